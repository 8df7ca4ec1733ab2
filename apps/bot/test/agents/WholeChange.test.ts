import { assert, describe, it } from "@effect/vitest"
import { scriptedAgent } from "@heddle/test-support/Agents"
import { controls } from "../support/Controls.ts"
import { withRealStack } from "../support/RealStack.ts"

const scripted = { server: { agents: [{ command: [process.execPath, scriptedAgent] }] } }

const approve = (toolCall: object) => `approve ${JSON.stringify({ toolCallId: "w", title: "Write", ...toolCall })}`

const diff = (path: string, oldText: string | null, newText: string) => ({ type: "diff", path, oldText, newText })

const lines = (count: number, word: string) => Array.from({ length: count }, (_, index) => `${word}${index}`).join("\n")

describe("the card of a change", () => {
  it(
    "carries all of a change that it cannot show, before and after the answer and a restart",
    () =>
      withRealStack(async (stack) => {
        const { ask, emulator, firstThread, link, restart, you } = stack
        const { shows, thread } = await link(await ask("task new", { prompt: "echo begin" })).then(() =>
          firstThread(20_000)
        )
        await shows(/begin[^]*done ·/)
        const long = `key = ${"x".repeat(300)} end`
        const content = [diff("notes.txt", null, lines(60, "note")), diff("keys.ini", "a\nb\n", `a\n${long}\n`)]
        await you.send(thread.id, `${approve({ content })}\necho written`)
        await shows(/\[Allow once\]/)
        const card = () => emulator.messages(thread.id).find(({ embeds }) => embeds[0]?.title?.endsWith("Write"))
        const whole = async () => {
          const [file] = card()?.attachments ?? []
          const text = file === undefined ? "" : await (await fetch(file.url)).text()
          return [file?.filename, text.replace(/@@ .* @@/g, "@@")]
        }
        const changes = [
          "--- /dev/null\n+++ notes.txt\n@@",
          ...lines(60, "+note").split("\n"),
          `--- keys.ini\n+++ keys.ini\n@@\n a\n-b\n+${long}\n`
        ].join("\n")
        assert.deepEqual(await whole(), ["changes.diff", changes])
        assert.match(card()?.embeds[0]?.description ?? "", /\+note39\n```\n\*… 2\d more lines\*[^]*`changes\.diff`/)
        await controls(stack, thread.id).press(/^p1:\w+:0/)
        await shows(/written[^]*done ·/)
        assert.deepEqual(await whole(), ["changes.diff", changes])
        await restart()
        await you.send(thread.id, "echo later")
        await shows(/later[^]*done ·/)
        assert.deepEqual(await whole(), ["changes.diff", changes])
        assert.match(card()?.embeds[0]?.description ?? "", /Allow once[^]*`changes\.diff`/)
      }, scripted),
    60_000
  )
})
