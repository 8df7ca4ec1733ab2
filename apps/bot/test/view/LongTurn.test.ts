import { assert, describe, it } from "@effect/vitest"
import * as SessionState from "@heddle/acp/SessionState"
import type { Item } from "@heddle/bot/model/Conversation"
import { english } from "@heddle/bot/messages/Translations"
import * as Projection from "@heddle/bot/turn/session/Projection"
import * as Pages from "@heddle/bot/text/Pages"
import * as View from "@heddle/bot/view/Turn"
import { posts, request, turn, view } from "./TurnView.ts"

const done = { _tag: "Done", stopReason: "end_turn", milliseconds: 1, tokens: undefined } as const

const textOf = (shown: ReadonlyArray<{ readonly files: ReadonlyArray<{ readonly text?: string }> }>) =>
  shown.flatMap(({ files }) => files.map(({ text }) => text ?? "")).join("")

describe("the view of a turn that says more than Discord takes", () => {
  it("keeps a thousand tool calls in one message", () => {
    const [post] = posts(
      turn(
        Array.from({ length: 1000 }, (_, n): Item => ({
          _tag: "ToolCallStep",
          id: `t${n}`,
          title: `Step ${n}`,
          status: "completed"
        }))
      )
    )
    assert.isAtMost(post!.content.length, 2000)
    assert.match(post!.content, /^-# … \d+ earlier steps\n/)
    assert.match(post!.content, /Step 999$/)
  })

  it("fits cards of any size into Discord's limits", () => {
    const long = "word ".repeat(5000)
    const description = "*word* ".repeat(5000)
    const shown = posts(
      turn([], {
        cards: (
          [
            { _tag: "Plan", title: long, description, text: `\`\`\`\n${"line\n".repeat(5000)}`, version: 3 },
            {
              _tag: "Tasks",
              title: "Tasks",
              items: Array.from({ length: 500 }, (_, n) => ({
                content: `task *${n}* ${long}`,
                status: n === 0 ? "completed" : "new"
              })),
              done: 1,
              total: 500,
              cancelled: 0
            },
            { _tag: "Overview", title: "", description, text: long },
            { _tag: "Other", title: long, description, type: long, link: `https://a.example/${"a".repeat(480)}` },
            { _tag: "Media", title: long, description, name: long, kind: "video", version: "1" }
          ] as const
        ).map((body, n) => ({
          uri: `agent:///artifacts/${n}.md`,
          number: n + 1,
          createdAt: n,
          madeIn: "1",
          changedIn: "1",
          deleted: n === 2,
          body
        })),
        end: { _tag: "Failed", text: long }
      })
    )
    for (const { embeds } of shown) {
      for (const embed of embeds) {
        assert.isAtMost(embed.title!.length, 256)
        assert.isAtMost(embed.description!.length, 4096)
        assert.isAtMost(embed.footer?.length ?? 0, 2048)
      }
    }
    assert.match(shown[0]!.embeds[0]!.description!, /more characters\*$/)
    assert.match(shown[1]!.embeds[0]!.description!, /^■□{9} \*\*1 of 500 done/)
  })

  it("adds a long answer as a file after its end", () => {
    const text = "A paragraph of some words.\n\n".repeat(300)
    const said = { _tag: "AgentMessage", id: "m", text } as const
    const shown = view("What is it? 漢字")
    assert.isUndefined(shown(turn([said])).find(({ files }) => files.length > 0))
    const end = { _tag: "Done", stopReason: "end_turn", milliseconds: 1, tokens: undefined } as const
    const ended = shown({ ...turn([said], { end }), turnId: "1430000000000000000" })
    assert.deepEqual(
      ended.flatMap(({ files }) => files.map((file) => [file.name, file.text])),
      [["what-is-it-2025-10-21-0109.md", text]]
    )
    assert.deepEqual(
      ended.slice(-2).map(({ key }) => key),
      ["answer", "end"]
    )
    assert.strictEqual(posts(turn([{ ...said, text: "short" }], { end })).length, 1)
    const short = [0, 1, 2, 3].map((n): Item => ({ ...said, id: `m${n}`, text: "short" }))
    const steps = short.map((_, n): Item => ({ _tag: "ToolCallStep", id: `t${n}`, title: "Step", status: "completed" }))
    const broken = posts(
      turn(
        short.flatMap((each, n) => [each, steps[n] ?? each]),
        { end }
      )
    )
    assert.isUndefined(broken.find(({ files }) => files.length > 0))
  })

  it("shows the newest of a hundred thousand tool calls in limited time", () => {
    const calls = Array.from({ length: 100_000 }, (_, n) => ({
      _tag: "ToolCall" as const,
      key: `tool:${n}`,
      toolCallId: `${n}`,
      title: `Step ${n}`,
      kind: "other" as const,
      status: "completed" as const,
      content: [],
      locations: []
    }))
    const shown = view("x")
    // CPU time, since other tests may use the machine meanwhile.
    const began = process.cpuUsage()
    let made: ReturnType<typeof shown> = []
    for (let look = 0; look < 10; look++) {
      const items = Projection.items({ ...SessionState.empty, entries: calls.slice(look) }, { skip: 0 }, [])
      made = shown(turn(items))
    }
    // Ten looks of 100 to 200 ms each; a list that is copied for every call takes minutes.
    assert.isBelow(process.cpuUsage(began).user / 1000, 5000)
    const [first = "", ...lines] = made[0]!.content.split("\n")
    assert.strictEqual(first, "-# … 99,971 earlier steps")
    assert.deepEqual(lines.slice(-1), ["-# ✅ Step 99999"])
    assert.strictEqual(lines.length, 20)
  })

  it("names a file of the agent that is too large to be posted", () => {
    const attachment = (size: number): Item => {
      const content = { _tag: "File", size, version: "1", data: { base64: "AAAA" } } as const
      return { _tag: "AgentAttachment", id: "m#0", name: "film.mp4", content }
    }
    const limit = 10 * 1024 * 1024
    const [fits] = view("x")(turn([attachment(limit)]))
    assert.strictEqual(fits!.files[0]!.name, "film.mp4")
    const [large] = view("x")(turn([attachment(limit + 1)]))
    assert.lengthOf(large!.files, 0)
    assert.match(large!.content, /film\.mp4 · .* — too large to be posted here: the limit is 10/)
  })

  it("posts the first pages of a text of ten million characters, and the rest as a file", () => {
    const shown = view("x")
    const text = "A sentence of some words. ".repeat(400_000)
    const said: Item = { _tag: "AgentMessage", id: "m", text }
    const began = process.cpuUsage()
    const growing = shown(turn([said]))
    assert.isBelow(process.cpuUsage(began).user / 1000, 2000)
    assert.strictEqual(growing.length, 21)
    assert.match(growing.at(-1)!.content, /all of it comes as a file when this answer is complete/)
    const ended = shown(turn([said], { end: done }))
    assert.deepEqual(
      ended.slice(0, 20).map(({ content }) => content),
      growing.slice(0, 20).map(({ content }) => content)
    )
    const characters = text.length - Pages.joined(Pages.split(text.slice(0, 60_000)).slice(0, 20)).length
    assert.strictEqual(
      ended[20]!.content,
      `-# ✂️ the rest is in the file below: ${characters.toLocaleString("en")} characters`
    )
    assert.deepEqual(
      ended.slice(21).map(({ key }) => key),
      ["answer", "end"]
    )
    assert.strictEqual(textOf(ended), text)
  })

  it("splits a file at the upload limit without cutting a character", () => {
    const text = "Ein Wört 漢字 👍.\n\n".repeat(2000)
    const ended = View.view("x", english, 9001)(turn([{ _tag: "AgentMessage", id: "m", text }], { end: done }))
    const files = ended.flatMap(({ files }) => files)
    assert.isAbove(files.length, 4)
    assert.strictEqual(new Set(files.map(({ name }) => name)).size, files.length)
    for (const { text = "" } of files) assert.isAtMost(Buffer.byteLength(text), 9001)
    assert.strictEqual(textOf(ended), text)
  })

  it("limits the posts of many messages and steps, but shows every request", () => {
    const items = Array.from({ length: 3000 }, (_, n): ReadonlyArray<Item> => [
      { _tag: "AgentMessage", id: `m${n}`, text: `Message ${n}.` },
      { _tag: "Remark", id: `r${n}`, text: `Remark ${n}.` },
      ...(n < 2000 ? [] : [{ _tag: "ToolCallStep", id: `t${n}`, title: `Step ${n}`, status: "completed" } as const])
    ]).flat()
    const shown = posts(turn([...items, request(1, { _tag: "Open" })], { end: done }))
    assert.deepEqual(
      shown.slice(98).map(({ key }) => key),
      ["text:m49:0", "remark:r49", "rest", "asked:r1", "answer", "end"]
    )
    assert.match(shown[100]!.content, /the rest is in the file below: \d\d,\d+ characters; 1,000 more steps$/)
    assert.match(textOf(shown), /^Message 0\.\n\nMessage 1\.[^]*Message 2999\.$/)
    const steps = posts(turn(items.filter(({ _tag }) => _tag === "ToolCallStep")))
    assert.deepEqual(
      steps.map(({ key }) => key),
      ["tools:t2000"]
    )
  })

  it("shows the last words of a turn with very many words, which no limit of earlier ones hides", () => {
    const items = Array.from({ length: 60 }, (_, n): Item => ({
      _tag: "AgentMessage",
      id: `m${n}`,
      text: `Message ${n}. ${"A sentence of some words. ".repeat(40)}`
    }))
    const shown = posts(turn(items, { end: done }))
    const words = shown.filter(({ key }) => key.startsWith("text:"))
    assert.match(words.at(-1)!.content, /Message 59\./)
    assert.deepEqual(
      shown.filter(({ key }) => !key.startsWith("text:")).map(({ key }) => key),
      ["answer", "end"]
    )
  })

  it("gives fifty files a card of their own, and counts the others", () => {
    const cards = Array.from({ length: 60 }, (_, n) => ({
      uri: `agent:///${n}.txt`,
      number: n + 1,
      createdAt: n,
      madeIn: "1",
      changedIn: "1",
      deleted: false,
      body: { _tag: "Media", title: `${n}`, name: `${n}.txt`, kind: "file", version: "1" } as const
    }))
    const shown = posts(turn([], { cards, end: done }))
    assert.strictEqual(shown.filter(({ key }) => key.startsWith("card:")).length, 50)
    assert.match(shown[50]!.content, /10 more files: `\/artifacts list`/)
  })

  it("posts no long remaining text after a stop, and says where it is", () => {
    const words = (count: number): Item => ({
      _tag: "AgentMessage",
      id: "m",
      text: "A paragraph of some words.\n\n".repeat(count)
    })
    const there = new Set(["text:m0:0", "text:m0:1"])
    const first = { ...words(500), id: "m0" }
    const last: Item = { _tag: "ToolCallStep", id: "t", title: "Step", status: "pending" }
    const stopped = (items: ReadonlyArray<Item>) =>
      view("x")(turn(items, { stopped: true, end: { ...done, stopReason: "cancelled" } }), (key) => there.has(key))
    const cut = stopped([first, last])
    assert.deepEqual(
      cut.map(({ content, key }) => [key, content.slice(0, 40)]),
      [
        ["text:m0:0", cut[0]!.content.slice(0, 40)],
        ["text:m0:1", cut[1]!.content.slice(0, 40)],
        ["rest", "-# ✂️ a stop was requested; the rest is "],
        ["answer", "-# 📄 the whole answer as one file"],
        ["end", "-# stopped · 0.0 s"]
      ]
    )
    assert.strictEqual(textOf(cut), "text" in first ? first.text : "")
    assert.deepEqual(
      stopped([{ ...words(2), id: "m0" }, last]).map(({ key }) => key),
      ["text:m0:0", "tools:t", "end"]
    )
  })
})
