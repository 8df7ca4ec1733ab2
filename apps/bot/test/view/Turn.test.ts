import { assert, describe, it } from "@effect/vitest"
import type { Conversation, Item } from "@heddle/bot/model/Conversation"
import { posts, request, turn, view } from "./TurnView.ts"

describe("the view of a turn", () => {
  it("shows the words before the first step, one post of all steps, and later words in one post", () => {
    const shown = posts(
      turn([
        { _tag: "AgentMessage", id: "m1", text: "Reading." },
        { _tag: "ToolCallStep", id: "t1", title: "Read\na.csv", status: "completed" },
        { _tag: "ToolCallStep", id: "t2", title: "Read `b`", status: "in_progress" },
        { _tag: "AgentMessage", id: "m2", text: "Done." },
        { _tag: "ToolCallStep", id: "t3", title: "Write", status: "failed" }
      ])
    )
    assert.deepEqual(
      shown.map(({ content, key }) => [key, content]),
      [
        ["text:m1:0", "Reading."],
        ["tools:t1", "-# ✅ Read a.csv\n-# ▸ Read \\`b\\`\n-# ❌ Write"],
        ["text:m2:0", "Done."]
      ]
    )
  })

  it("shows how a turn ended", () => {
    const footer = (stopReason: string, milliseconds: number, tokens?: number) =>
      posts(turn([], { end: { _tag: "Done", stopReason, milliseconds, tokens } }))[0]!.content
    assert.strictEqual(footer("end_turn", 12_300), "-# done · 12 s")
    assert.strictEqual(footer("cancelled", 800), "-# stopped · 0.8 s")
    assert.strictEqual(footer("interrupted", 800), "-# stopped before it was finished · 0.8 s")
    assert.match(footer("max_tokens", 200_000, 1234), /length limit · 3 min 20 s · 1,234 tokens$/)
  })

  it("shows unfinished steps as cancelled only after a turn that the agent or the service ended early", () => {
    const calls = ["pending", "in_progress", "completed", "failed"].map((status): Item => ({
      _tag: "ToolCallStep",
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
    for (const reason of ["unconfirmed", "stop_not_delivered", "ended_after_stop", "paused", "max_tokens"])
      assert.strictEqual(steps(done(reason)), running)
    assert.strictEqual(steps({ _tag: "Failed", text: "gone" }), running)
  })

  it("shows withheld text as soon as the text is complete, for every end of the turn", () => {
    const said = { _tag: "AgentMessage", id: "m", text: "Run this:\n```npm install foo --save" } as const
    const done = (stopReason: string) => ({ _tag: "Done", stopReason, milliseconds: 1, tokens: undefined }) as const
    const ends = [
      ...["end_turn", "max_tokens", "cancelled", "interrupted", "refusal"].map(done),
      { _tag: "Failed", text: "gone" } as const
    ]
    const whole = "Run this:\n```\nnpm install foo --save\n```"
    for (const end of ends) {
      const shown = view("")
      assert.strictEqual(shown(turn([said]))[0]!.content, "Run this:")
      const { content } = shown(turn([said], { end }))[0]!
      assert.strictEqual(content.replace(/\n-# .*$/, ""), whole)
    }
    const next = { _tag: "ToolCallStep", id: "t", title: "Run", status: "pending" } as const
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

  it("removes escapes from table cells, but not from code", () => {
    const [post] = posts(
      turn([
        {
          _tag: "AgentMessage",
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

  it("lays out tables, except in code blocks", () => {
    const table = "| name | price |\n|---|---:|\n| a | 1 |\n| long name | 22.5 |"
    const [post] = posts(turn([{ _tag: "AgentMessage", id: "m", text: `Look:\n${table}\n\`\`\`\n${table}\n\`\`\`` }]))
    assert.strictEqual(
      post!.content,
      `Look:\n\`\`\`\nname       price\n─────────  ─────\na              1\nlong name   22.5\n\`\`\`\n\`\`\`\n${table}\n\`\`\``
    )
  })

  it("does not mention a request that was withdrawn before it was posted", () => {
    const step = (n: number): Item => ({ _tag: "ToolCallStep", id: `t${n}`, title: `Step ${n}`, status: "pending" })
    const items = [0, 1, 2].flatMap((n) => [step(n), request(n, { _tag: "Withdrawn" })])
    const seen = view("x")(turn(items), (key) => key === "asked:r1")
    assert.deepEqual(
      seen.map(({ key }) => key),
      ["tools:t0", "asked:r1"]
    )
  })

  it("shows deceptive text of an agent in escaped form", () => {
    const shown = (items: ReadonlyArray<Item>) => posts(turn(items)).map(({ content }) => content)
    const did = (title: string, status = "completed"): Item => ({ _tag: "ToolCallStep", id: title, title, status })
    assert.deepEqual(shown([did("proto", "constructor"), did("a", "__proto__")]), ["-# ▸ proto\n-# ▸ a"])
    assert.deepEqual(shown([did("\u202eevil\u0000 \ud800"), did("\u200b\u3164"), did(`x${"\u0301".repeat(99)}y`)]), [
      `-# ✅ evil \ufffd\n-# ✅ Use a tool\n-# ✅ x${"\u0301".repeat(8)}y`
    ])
    const footer = (stopReason: string, milliseconds: number, tokens?: number) =>
      posts(turn([], { end: { _tag: "Done", stopReason, milliseconds, tokens } }))[0]!.content
    assert.strictEqual(
      footer("\u202esee `http://evil.test` @everyone", 1000),
      "-# ended: `see 'http://evil.test' @everyone` · 1.0 s"
    )
    assert.strictEqual(footer("\u200b", 1000), "-# ended · 1.0 s")
    assert.strictEqual(footer("toString", 1000), "-# ended: `toString` · 1.0 s")
    for (const odd of [-5.5e300, 1e300, -1, 0.5, Number.NaN, Number.POSITIVE_INFINITY]) {
      assert.strictEqual(footer("end_turn", 1000, odd), "-# done · 1.0 s")
    }
    assert.strictEqual(footer("end_turn", -3_595_700, 12), "-# done · 12 tokens")
  })
})
