import { assert, describe, it } from "@effect/vitest"
import type { Conversation, Item } from "@heddle/bot/thread/Conversation"
import { english } from "@heddle/bot/messages/Messages"
import * as View from "@heddle/bot/view/Turn"

const posts = (turn: Conversation) => View.posts(turn, english)

const view = (taskName: string) => View.view(taskName, english, 10 * 1024 * 1024)

const turn = (items: ReadonlyArray<Item>, more: Partial<Conversation> = {}): Conversation => ({
  turnId: "1",
  items,
  cards: [],
  above: [],
  ...more
})

describe("the view of a turn", () => {
  it("shows tool calls that follow each other in one post, and text in its own", () => {
    const shown = posts(
      turn([
        { _tag: "Said", id: "m1", text: "Reading." },
        { _tag: "Did", id: "t1", title: "Read\na.csv", status: "completed" },
        { _tag: "Did", id: "t2", title: "Read `b`", status: "in_progress" },
        { _tag: "Said", id: "m2", text: "Done." },
        { _tag: "Did", id: "t3", title: "Write", status: "failed" }
      ])
    )
    assert.deepEqual(
      shown.map(({ content, key }) => [key, content]),
      [
        ["text:m1:0", "Reading."],
        ["tools:t1", "-# ✅ Read a.csv\n-# ▸ Read \\`b\\`"],
        ["text:m2:0", "Done."],
        ["tools:t3", "-# ❌ Write"]
      ]
    )
  })

  it("keeps a thousand tool calls in one message", () => {
    const [post] = posts(
      turn(
        Array.from({ length: 1000 }, (_, n): Item => ({
          _tag: "Did",
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
    const shown = posts(
      turn([], {
        cards: (
          [
            { _tag: "Plan", title: long, text: `\`\`\`\n${"line\n".repeat(5000)}`, version: 3 },
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
            { _tag: "Overview", title: "", text: long }
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
      }
    }
    assert.match(shown[0]!.embeds[0]!.description!, /more characters\*$/)
    assert.match(shown[1]!.embeds[0]!.description!, /^■□{9} \*\*1 of 500 done/)
  })

  it("says how a turn ended", () => {
    const footer = (stopReason: string, milliseconds: number, tokens?: number) =>
      posts(turn([], { end: { _tag: "Done", stopReason, milliseconds, tokens } }))[0]!.content
    assert.strictEqual(footer("end_turn", 12_300), "-# done · 12 s")
    assert.strictEqual(footer("cancelled", 800), "-# stopped · 0.8 s")
    assert.strictEqual(footer("interrupted", 800), "-# stopped before it was finished · 0.8 s")
    assert.match(footer("max_tokens", 200_000, 1234), /length limit · 3 min 20 s · 1,234 tokens$/)
  })

  it("shows no step as going on after a turn that was cut off", () => {
    const calls = ["pending", "in_progress", "completed", "failed"].map((status): Item => ({
      _tag: "Did",
      id: status,
      title: status.replace("_", " "),
      status
    }))
    const steps = (end?: Conversation["end"]) => posts(turn(calls, end === undefined ? {} : { end }))[0]!.content
    const done = (stopReason: string) => ({ _tag: "Done", stopReason, milliseconds: 1, tokens: undefined }) as const
    const running = "-# ▢ pending\n-# ▸ in progress\n-# ✅ completed\n-# ❌ failed"
    const stopped = "-# ✖ pending\n-# ✖ in progress\n-# ✅ completed\n-# ❌ failed"
    assert.strictEqual(steps(), running)
    assert.strictEqual(steps(done("end_turn")), running)
    assert.strictEqual(steps(done("cancelled")), stopped)
    assert.strictEqual(steps(done("interrupted")), stopped)
    assert.strictEqual(steps({ _tag: "Failed", text: "gone" }), stopped)
  })

  it("shows what it held back as soon as nothing comes after it, however the turn ended", () => {
    const said = { _tag: "Said", id: "m", text: "Run this:\n```npm install foo --save" } as const
    const done = (stopReason: string) => ({ _tag: "Done", stopReason, milliseconds: 1, tokens: undefined }) as const
    const ends = [
      ...["end_turn", "max_tokens", "cancelled", "interrupted", "refusal"].map(done),
      { _tag: "Failed", text: "gone" } as const
    ]
    const whole = "Run this:\n```\nnpm install foo --save\n```"
    for (const end of ends) {
      const shown = view("")
      assert.strictEqual(shown(turn([said]))[0]!.content, "Run this:")
      assert.strictEqual(shown(turn([said], { end }))[0]!.content, whole)
    }
    const next = { _tag: "Did", id: "t", title: "Run", status: "pending" } as const
    assert.strictEqual(posts(turn([said, next]))[0]!.content, whole)
    const [card] = posts(
      turn([], {
        cards: [
          {
            uri: "agent:///artifacts/plan.md",
            number: 1,
            createdAt: 1,
            madeIn: "1",
            changedIn: "1",
            deleted: false,
            body: { _tag: "Plan", title: "Plan", text: said.text, version: 1 }
          }
        ]
      })
    )
    assert.strictEqual(card!.embeds[0]!.description, whole)
  })

  it("takes escapes out of the cells of a table, but not out of code", () => {
    const [post] = posts(
      turn([
        {
          _tag: "Said",
          id: "m",
          text: "| a\\_b | **c** |\n|---|---|\n| \\[x\\] \\| \\*\\* \\`y\\` | `\\d\\.\\|` C:\\dir |"
        }
      ])
    )
    assert.strictEqual(
      post!.content,
      "```\na_b           c\n────────────  ──────────────\n[x] | ** `y`  `\\d\\.|` C:\\dir\n```"
    )
  })

  it("makes tables readable, outside code blocks only", () => {
    const table = "| name | price |\n|---|---:|\n| a | 1 |\n| long name | 22.5 |"
    const [post] = posts(turn([{ _tag: "Said", id: "m", text: `Look:\n${table}\n\`\`\`\n${table}\n\`\`\`` }]))
    assert.strictEqual(
      post!.content,
      `Look:\n\`\`\`\nname       price\n─────────  ─────\na              1\nlong name   22.5\n\`\`\`\n\`\`\`\n${table}\n\`\`\``
    )
  })

  it("gives a long answer once more as a file, when it has ended", () => {
    const text = "A paragraph of some words.\n\n".repeat(60)
    const said = { _tag: "Said", id: "m", text } as const
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
    assert.strictEqual(posts(turn([{ ...said, text: "short" }], { end })).length, 2)
  })
})
