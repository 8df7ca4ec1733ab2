import { assert, describe, it } from "@effect/vitest"
import { scriptedAgent } from "@heddle/test-support/Agents"
import { withRealStack } from "./support/RealStack.ts"
import { buttonsOf } from "./support/Stack.ts"

const scripted = { server: { agents: [{ command: [process.execPath, scriptedAgent] }] } }

const step = (toolCallId: string, output: string) =>
  `update ${JSON.stringify({
    sessionUpdate: "tool_call_update",
    toolCallId,
    kind: "execute",
    title: `run ${toolCallId}`,
    status: "completed",
    rawOutput: output
  })}`

describe("what an agent does after its turn", () => {
  it(
    "has its outputs and its files offered, as at the end of a turn, and nothing twice",
    () =>
      withRealStack(async ({ emulator, firstThread, link, startBot, stopBot, you }) => {
        const prompt = [
          step("early", "during the turn"),
          "write early.md x",
          `later 1000 ${step("late", "after the turn")}`,
          "later 1000 write late.md late",
          "later 1100 echo I went on.",
          "echo answered"
        ].join("\n")
        const asked = await you.command(emulator.channelId, "task new", { prompt })
        await link(await asked.settled())
        const { shows, thread } = await firstThread(20_000)
        await shows(/answered[^]*early\.md · 1 B · new[^]*done ·/)
        await shows(/done ·[^]*I went on\.[^]*the agent went on after its answer/)
        const text = await shows(/I went on\.[^]*late\.md · 4 B · new/)
        assert.lengthOf(text.match(/early\.md ·/g) ?? [], 1)
        assert.lengthOf(text.match(/I went on/g) ?? [], 1)

        const messages = () => emulator.messages(thread.id)
        const outputs = () => messages().filter((each) => buttonsOf(each).some(({ label }) => label === "Outputs"))
        const open = async (index: number) => {
          const message = outputs()[index]!
          return (await (await you.press(thread.id, message.id, buttonsOf(message)[0]!.custom_id)).settled()).content
        }
        await stopBot()
        await startBot()
        assert.lengthOf(outputs(), 2)
        assert.strictEqual(await open(0), "run early\n```\nduring the turn\n```")
        assert.strictEqual(await open(1), "run late\n```\nafter the turn\n```")
        const card = messages().findLast(({ embeds }) => /Files of/.test(embeds[0]?.title ?? ""))!
        const all = buttonsOf(card).find(({ custom_id: id }) => id.endsWith(":get"))!
        await you.select(thread.id, card.id, all.custom_id, ["0"])
        await emulator.waitFor(() => messages().some(({ attachments }) => attachments[0]?.filename === "late.md"), {
          what: "the file",
          timeoutMs: 20_000
        })
        await you.send(thread.id, "echo next")
        const end = await shows(/next[^]*done ·/)
        assert.lengthOf(end.match(/late\.md · /g) ?? [], 2)
        assert.lengthOf(outputs(), 2)
      }, scripted),
    90_000
  )
})
