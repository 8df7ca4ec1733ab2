import { assert, describe, it } from "@effect/vitest"
import { scriptedAgent } from "@heddle/test-support/Agents"
import { withRealStack } from "./support/RealStack.ts"

const scripted = { server: { agents: [{ command: [process.execPath, scriptedAgent] }] } }

const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

const say = (content: object) =>
  `update ${JSON.stringify({ sessionUpdate: "agent_message_chunk", messageId: "m", content })}`

const link = (name: string, uri: string) => say({ type: "resource_link", name, uri })

describe("files and links in what an agent says", () => {
  it(
    "are posted once in their place, also after a restart in the middle of the answer",
    () =>
      withRealStack(async ({ emulator, firstThread, link: connect, startBot, stopBot, you }) => {
        const tool = { type: "content", content: { type: "audio", data: "UklGRg==", mimeType: "audio/wav" } }
        const prompt = [
          "write artifacts/chart.txt x",
          say({ type: "text", text: "Before." }),
          say({ type: "image", data: pixel, mimeType: "image/png" }),
          say({ type: "text", text: "Between." }),
          say({ type: "resource", resource: { uri: "file:///task/notes.md", text: "# Notes" } }),
          link("Site", "https://example.com/a?b=1"),
          link("Trick", "javascript:alert(1)"),
          link("Chart", "file:///task/artifacts/chart.txt"),
          `update ${JSON.stringify({ sessionUpdate: "tool_call", toolCallId: "t", title: "Record", kind: "execute", status: "completed", content: [tool] })}`,
          "wait 3000",
          "echo After."
        ].join("\n")
        const asked = await you.command(emulator.channelId, "task new", { prompt })
        await connect(await asked.settled())
        const { shows, thread } = await firstThread(20_000)
        await shows(/Chart — see its card[^]*Record/)
        await stopBot()
        await startBot()
        const end = await shows(/Before\.[^]*Between\.[^]*Site[^]*Trick[^]*Chart[^]*Record[^]*After\.[^]*done ·/)
        const posts = emulator.messages(thread.id)
        const files = posts.flatMap(({ attachments }) => attachments)
        const names = files.map(({ filename }) => filename).filter((name) => name !== "chart.txt")
        assert.deepEqual(names, ["image.png", "notes.md", "audio.wav"])
        const picture = await fetch(files.find(({ filename }) => filename === "image.png")!.url)
        assert.strictEqual(Buffer.from(await picture.arrayBuffer()).toString("base64"), pixel)
        const contents = posts.map(({ content }) => content)
        assert.include(contents, "🔗 [Site](<https://example.com/a?b=1>) · example.com")
        assert.include(contents, "🔗 Trick")
        assert.lengthOf(end.match(/Between\./g) ?? [], 1)
        const at = (filename: string) =>
          posts.findIndex((post) => post.attachments.some((file) => file.filename === filename))
        assert.isTrue(contents.indexOf("Before.") < at("image.png") && at("image.png") < contents.indexOf("Between."))
      }, scripted),
    90_000
  )
})
