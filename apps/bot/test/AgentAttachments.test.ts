import { assert, describe, it } from "@effect/vitest"
import { scriptedAgent } from "@heddle/test-support/Agents"
import { withRealStack } from "./support/RealStack.ts"

const scripted = { server: { agents: [{ command: [process.execPath, scriptedAgent] }] } }

const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

const say = (content: object) =>
  `update ${JSON.stringify({ sessionUpdate: "agent_message_chunk", messageId: "m", content })}`

const link = (name: string, uri: string, title?: string) => say({ type: "resource_link", name, uri, title })

const artifact = (event: string, fields: object) => `artifact ${JSON.stringify({ event, artifact: fields })}`

describe.concurrent("files and links in what an agent says", () => {
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
        assert.include(contents, "🔗 Trick · cannot be opened from here")
        assert.lengthOf(end.match(/Between\./g) ?? [], 1)
        const at = (filename: string) =>
          posts.findIndex((post) => post.attachments.some((file) => file.filename === filename))
        assert.isTrue(contents.indexOf("Before.") < at("image.png") && at("image.png") < contents.indexOf("Between."))
      }, scripted),
    90_000
  )

  it("show where they lead, whatever they are called, and which of them cannot be opened", () =>
    withRealStack(async ({ ask, emulator, firstThread, link: connect }) => {
      await ask("settings language", { language: "zh-CN" })
      const links = [
        link("", "https://example.com/nameless"),
        link("Titled", "https://example.com/t", "A better title"),
        link("[x](https://evil.example) **b** <@1>", "https://example.com/a_(b)?q=1&x=>y"),
        link("User", "https://good.example@evil.example/x"),
        link("Looks alike", "https://еxample.com/"),
        link("Mail", "mailto:a@b.c"),
        link("Elsewhere", "file:///etc/hosts"),
        link("Missing", "artifacts/missing.txt")
      ]
      await connect(await ask("task new", { prompt: [...links, "echo The end."].join("\n") }))
      const { shows, thread } = await firstThread(20_000)
      await shows(/The end\.[^]*完成 ·/)
      const shown = emulator.messages(thread.id).flatMap(({ content }) => (content.startsWith("🔗") ? [content] : []))
      assert.deepEqual(shown, [
        "🔗 [example.com](<https://example.com/nameless>) · example.com",
        "🔗 [A better title](<https://example.com/t>) · example.com",
        "🔗 [\\[x\\](https:\u200b//evil.example) \\*\\*b\\*\\* \\<@1\\>](<https://example.com/a_(b)?q=1&x=%3Ey>) · example.com",
        "🔗 [User](<https://good.example@evil.example/x>) · evil.example",
        "🔗 [Looks alike](<https://xn--xample-2of.com/>) · xn--xample-2of.com",
        "🔗 Mail · 无法从这里打开",
        "🔗 Elsewhere · 无法从这里打开",
        "🔗 Missing · 无法从这里打开"
      ])
    }, scripted))

  it("follow the artifacts that they lead to, which the agent makes, changes and takes away", () =>
    withRealStack(async ({ ask, emulator, firstThread, link: connect, restart, you }) => {
      const summary = { type: "overview", uri: "agent:///artifacts/sum" }
      const prompt = [
        artifact("created", { ...summary, text: "First words. [x](https://evil.example)" }),
        artifact("created", {
          type: "weird",
          uri: "agent:///artifacts/w",
          name: "A **thing**",
          description: "What it is"
        }),
        link("The summary", "agent:///artifacts/sum"),
        "echo Made."
      ]
      await connect(await ask("task new", { prompt: prompt.join("\n") }))
      const { shows, thread } = await firstThread(20_000)
      await shows(/The summary — see its card in this thread: Summary[^]*Made\.[^]*done ·/)
      const cards = () => emulator.messages(thread.id).flatMap(({ embeds }) => embeds)
      const card = (words: RegExp) =>
        cards().find(({ description = "", title = "" }) => words.test(title + description))
      assert.match(card(/Summary/)?.description ?? "", /^First words\. \[x\]\u200b\(https/)
      assert.match(card(/thing/)?.description ?? "", /^What it is$/)
      await you.send(
        thread.id,
        [artifact("updated", { ...summary, text: "Second words." }), "echo Changed."].join("\n")
      )
      await shows(/Changed\.[^]*done ·/)
      assert.match(card(/Summary/)?.description ?? "", /^Second words\./)
      assert.lengthOf(
        cards().filter(({ title = "" }) => title.includes("Summary")),
        1
      )
      await restart()
      const gone = [artifact("deleted", summary), link("Gone", "agent:///artifacts/sum"), "echo Taken."]
      await you.send(thread.id, gone.join("\n"))
      await shows(/Gone · cannot be opened from here[^]*Taken\.[^]*done ·/)
      const list = (await ask("artifacts list", {}, thread.id)).embeds[0]?.description ?? ""
      assert.match(list, /~~Summary~~ · 🗑️ deleted/)
    }, scripted))
})
