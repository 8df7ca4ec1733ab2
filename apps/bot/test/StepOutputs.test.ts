import { assert, describe, it } from "@effect/vitest"
import { scriptedAgent } from "@heddle/test-support/Agents"
import { withRealStack } from "./support/RealStack.ts"
import { buttonsOf } from "./support/Stack.ts"

const scripted = { server: { agents: [{ command: [process.execPath, scriptedAgent] }] } }

const update = (toolCallId: string, fields: object) =>
  `update ${JSON.stringify({ sessionUpdate: "tool_call_update", toolCallId, kind: "execute", ...fields })}`

const text = (words: string) => [{ type: "content", content: { type: "text", text: words } }]

const piece = (data: string) => ({
  content: [{ type: "terminal", terminalId: "long" }],
  _meta: { terminal_output_delta: { data } }
})

describe("outputs of an agent's steps", () => {
  it(
    "open from the end of the answer, few lines as text and many as a file, also after a restart",
    () =>
      withRealStack(async ({ emulator, firstThread, link, startBot, stopBot, you }) => {
        const prompt = [
          update("short", { title: "npm test", content: text("```console\n\u001b[32m2 passed\u001b[39m\n```") }),
          update("short", { status: "completed", rawOutput: "0 %\r100 %\r\n2 \u202epassed" }),
          update("file", { title: "Read .env", kind: "read", status: "completed", content: text("KEY=1") }),
          "echo tested"
        ].join("\n")
        const asked = await you.command(emulator.channelId, "task new", { prompt })
        await link(await asked.settled())
        const { shows, thread } = await firstThread(20_000)
        await shows(/tested[^]*done ·/)
        const lines = Array.from({ length: 20 }, (_, index) => `line ${index + 1}`)
        const next = [
          update("long", { title: "npm run build", status: "in_progress", ...piece(lines.slice(0, 9).join("\n")) }),
          update("long", piece(`\n${lines.slice(9).join("\n")}`)),
          update("long", { status: "completed" }),
          "echo built"
        ]
        await you.send(thread.id, next.join("\n"))
        await shows(/built[^]*done ·/)
        const ends = () =>
          emulator.messages(thread.id).filter((message) => buttonsOf(message).some(({ label }) => label === "Outputs"))
        const open = async (index: number, who = you) => {
          const end = ends()[index]!
          return (await who.press(thread.id, end.id, buttonsOf(end)[0]!.custom_id)).settled()
        }
        assert.lengthOf(ends(), 2)

        await stopBot()
        await startBot()
        const short = await open(0)
        assert.strictEqual(short.content, "npm test\n```\n100 %\n2 ⟨U+202E⟩passed\n```")
        const long = await open(1)
        assert.strictEqual(long.content, "The output of one step:")
        const file = await fetch(long.attachments[0]!.url)
        assert.strictEqual(await file.text(), `# npm run build\n\n${lines.join("\n")}\n`)
        assert.lengthOf(ends(), 2)

        const refused = await open(0, emulator.user("Sam"))
        assert.notInclude(refused.content, "100 %")
      }, scripted),
    90_000
  )
})
