import { readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { scriptedAgent } from "@heddle/test-support/Agents"
import { assert, describe, it } from "@effect/vitest"
import { choosing, startTask } from "../support/Choices.ts"
import { withRealStack } from "../support/RealStack.ts"

const notice = (severity: string, title: string, description?: string) =>
  `update ${JSON.stringify({ sessionUpdate: "notice", severity, title, description })}`

describe("remarks in a thread", () => {
  it(
    "of the agent's program stand in their place as one plain line, once, also after a restart",
    () =>
      withRealStack(
        async ({ ask, emulator, firstThread, link, restart, you }) => {
          const { shows, thread } = await link(await ask("task new", { prompt: "echo first" })).then(() =>
            firstThread(20_000)
          )
          await shows(/first[^]*done ·/)
          const said = [
            "echo Before.",
            notice("warning", "Falling back", "the model is busy"),
            "echo After.",
            notice("info", "# <@1> **big** [l](https://evil.example)\nline", `${"d".repeat(600)} @everyone`),
            notice("unknown", "\u200b"),
            "echo End."
          ]
          await you.send(thread.id, said.join("\n"))
          const order = /Before\.[^]*ℹ️ Falling back: the model is busy[^]*After\.[^]*End\.[^]*done ·/
          await shows(order)
          await restart()
          await you.send(thread.id, "echo later")
          await shows(/later[^]*done ·/)
          const posts = emulator.messages(thread.id).filter(({ author }) => author.id !== you.id)
          const remarks = posts.map(({ content }) => content).filter((content) => content.startsWith("-# ℹ️"))
          assert.strictEqual(remarks.length, 2, remarks.join("\n"))
          assert.strictEqual(remarks[0], "-# ℹ️ Falling back: the model is busy")
          assert.match(
            remarks[1] ?? "",
            /^-# ℹ️ \\# \\<@1\\> \\\*\\\*big\\\*\\\* \\\[l\\\]\(https:\u200b[^\n]*d{600} @everyone$/
          )
        },
        { server: { agents: [{ command: [process.execPath, scriptedAgent], isolation: "none" }] } }
      ),
    60_000
  )

  it(
    "of the service say that a chosen mode is no longer offered, once, and the bot which one it is now",
    () =>
      withRealStack(async (stack) => {
        const { ask, shows, state, thread } = await startTask(stack)
        await ask("task mode", { mode: "plan" })
        await stack.ask("settings language", { language: "zh-CN" })
        await stack.restart(() => {
          const sandboxes = join(stack.folder, "server/sandboxes")
          const task = join(sandboxes, readdirSync(sandboxes)[0] ?? "")
          writeFileSync(join(task, "offers.json"), JSON.stringify({ modes: [{ id: "ask", name: "Always ask" }] }))
        })
        assert.include(await state(), { mode: "ask" })
        await shows(/智能体的模式现在是 \*\*Always ask\*\*（之前：\*\*Plan\*\*）/)
        await stack.you.send(thread.id, "echo later")
        const transcript = await shows(/later[^]*完成 ·/)
        const note = /-# ℹ️ The agent no longer offers the mode "Plan"[^\n]*goes on with mode "Always ask"\.\n/g
        assert.lengthOf(transcript.match(note) ?? [], 1)
        assert.lengthOf(transcript.match(/模式现在是/g) ?? [], 1)
      }, choosing("modes")),
    60_000
  )
})
