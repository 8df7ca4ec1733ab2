import * as SessionFold from "@heddle/acp/SessionFold"
import * as SessionState from "@heddle/acp/SessionState"
import * as Update from "@heddle/acp/schema/Update"
import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"

const read = (update: object) => Update.decode({ sessionId: "s", update })!.update
const say = (role: "user" | "agent", text: string, messageId?: string) =>
  read({
    sessionUpdate: `${role}_message_chunk`,
    content: { type: "text", text },
    ...(messageId === undefined ? {} : { messageId })
  })
const think = (text: string) => read({ sessionUpdate: "agent_thought_chunk", content: { type: "text", text } })
const tool = (toolCallId: string, fields: object = {}) =>
  read({ sessionUpdate: "tool_call_update", toolCallId, ...fields })
type Spoken =
  | { readonly role: "user" | "agent" | "thought"; readonly texts: ReadonlyArray<string> }
  | { readonly tool: number; readonly status: string }
const fold = (...updates: ReadonlyArray<Update.Update>) => SessionState.fold(SessionState.empty, updates)
const outline = (state: SessionState.SessionState) =>
  state.entries.map((entry) =>
    entry._tag === "Message"
      ? `${entry.role}: ${entry.text}`
      : entry._tag === "ToolCall"
        ? `tool: ${entry.title}`
        : entry.title
  )

const rounds = Number(process.env["HEDDLE_ROUNDS"] ?? 100)

describe("SessionState", () => {
  it("joins chunks to messages by id, else by who speaks without a pause", () => {
    const state = fold(
      say("user", "hi"),
      think("hm"),
      say("agent", "Hel"),
      say("agent", "lo"),
      tool("1", { title: "Look" }),
      say("agent", "Done"),
      say("agent", "A", "m1"),
      say("agent", "B", "m2"),
      say("agent", "a", "m1")
    )
    assert.deepStrictEqual(outline(state), [
      "user: hi",
      "thought: hm",
      "agent: Hello",
      "tool: Look",
      "agent: Done",
      "agent: Aa",
      "agent: B"
    ])
  })

  it("treats an id that returns after a prompt as a new entry, in a published state and in a continued one", () => {
    const round = (words: string) => [
      say("user", words, "u"),
      say("agent", `Ans`, "m1"),
      tool("1", { title: `Look ${words}`, status: "completed" }),
      say("agent", "wer", "m1")
    ]
    const all = [...round("one"), ...round("two"), ...round("three")]
    const expected = ["one", "two", "three"].flatMap((words) => [
      `user: ${words}`,
      "agent: Answer",
      `tool: Look ${words}`
    ])
    const state = fold(...all)
    assert.deepStrictEqual(outline(state), expected)
    assert.strictEqual(new Set(state.entries.map(({ key }) => key)).size, state.entries.length)
    assert.deepStrictEqual(SessionState.fold(fold(...all.slice(0, 5)), all.slice(5)), state)
    const live = SessionFold.make(fold(...round("one")))
    live.prompt([{ type: "text", text: "two" }])
    for (const update of round("two").slice(1)) live.apply(update)
    live.apply(tool("1", { status: "failed" }))
    assert.deepStrictEqual(outline(live.state()), expected.slice(0, 6))
    assert.deepStrictEqual(
      SessionState.toolCalls(live.state()).map(({ status }) => status),
      ["completed", "failed"]
    )
  })

  it("goes on with a step that was begun before a prompt, unless it begins again", () => {
    const state = fold(
      tool("1", { title: "Build", status: "in_progress" }),
      say("user", "and?"),
      tool("1", { status: "completed" })
    )
    assert.deepStrictEqual(outline(state), ["tool: Build", "user: and?"])
  })

  it("keeps what a sender says about its message", () => {
    const notice = read({
      sessionUpdate: "agent_message_chunk",
      messageId: "n",
      content: { type: "text", text: "Interrupted." },
      _meta: { "x/notice": true }
    })
    const [plain, marked] = fold(say("agent", "Half"), notice).entries
    assert.notProperty(plain, "meta")
    assert.deepInclude(marked, { text: "Interrupted.", meta: { "x/notice": true } })
  })

  it("takes an update of an unknown call for its beginning, a second call for an update, and absence for no change", () => {
    const state = fold(
      tool("1", { status: "in_progress", rawInput: { a: 1 } }),
      read({ sessionUpdate: "tool_call", toolCallId: "1", title: "Read a.csv", kind: "read" }),
      tool("1", { status: "completed", title: null, rawOutput: "text" })
    )
    assert.strictEqual(state.entries.length, 1)
    assert.deepInclude(state.entries[0], {
      title: "Read a.csv",
      kind: "read",
      status: "completed",
      rawInput: { a: 1 },
      rawOutput: "text"
    })
  })

  it("ignores empty text, keeps images between texts, and lets null clear the title", () => {
    const image = { type: "image", data: "AA==", mimeType: "image/png" }
    const state = fold(
      say("agent", ""),
      say("agent", "see "),
      say("agent", "this "),
      read({ sessionUpdate: "agent_message_chunk", content: image }),
      say("agent", "nice"),
      read({ sessionUpdate: "session_info_update", title: "Title", updatedAt: "2026-01-01T00:00:00Z" }),
      read({ sessionUpdate: "session_info_update", title: null }),
      read({ sessionUpdate: "usage_update", used: 5, size: 10 })
    )
    const [message] = SessionState.messages(state)
    assert.deepStrictEqual(
      message?.content.map((block) => block.type),
      ["text", "image", "text"]
    )
    assert.strictEqual(message?.text, "see this nice")
    assert.isUndefined(state.title)
    assert.strictEqual(state.updatedAt, "2026-01-01T00:00:00Z")
    assert.deepStrictEqual(state.usage, { used: 5, size: 10 })
  })

  const updates = FastCheck.array(
    FastCheck.oneof(
      FastCheck.record({
        role: FastCheck.constantFrom("user" as const, "agent" as const),
        text: FastCheck.string(),
        id: FastCheck.option(FastCheck.constantFrom("m1", "m2"), { nil: undefined })
      }).map(({ role, text, id }) => say(role, text, id)),
      FastCheck.record({
        id: FastCheck.constantFrom("1", "2"),
        status: FastCheck.constantFrom("pending", "completed")
      }).map(({ id, status }) => tool(id, { status })),
      FastCheck.string().map((content) =>
        read({ sessionUpdate: "plan", entries: [{ content, priority: "low", status: "pending" }] })
      )
    )
  )

  it("is the same in whatever pieces the updates come", () => {
    FastCheck.assert(
      FastCheck.property(updates, FastCheck.nat(), (all, cut) => {
        const at = all.length === 0 ? 0 : cut % all.length
        const inTwo = SessionState.fold(SessionState.fold(SessionState.empty, all.slice(0, at)), all.slice(at))
        assert.deepStrictEqual(inTwo, fold(...all))
      })
    )
  })

  it("is not changed by a replay of the same updates, and keeps its very entries", () => {
    FastCheck.assert(
      FastCheck.property(updates, (all) => {
        const live = fold(...all)
        const after = SessionState.reconcile(live, fold(...all))
        assert.deepStrictEqual(after, live)
        assert.strictEqual(SessionState.difference(live, after).size, 0)
      })
    )
  })

  // What agents say in a turn: with message ids or without, in pieces of any size.
  const spoken = FastCheck.array(
    FastCheck.oneof(
      FastCheck.record({
        role: FastCheck.constantFrom("user" as const, "agent" as const, "thought" as const),
        texts: FastCheck.array(FastCheck.string({ minLength: 1 }), { minLength: 1, maxLength: 5 })
      }),
      FastCheck.record({
        tool: FastCheck.nat(3),
        status: FastCheck.constantFrom("pending", "in_progress", "completed", "failed")
      })
    ),
    { maxLength: 20 }
  )

  const inPieces = (all: ReadonlyArray<Spoken>, whole: boolean, ids: boolean) =>
    all.flatMap((each, position) => {
      if ("tool" in each) {
        const { status, tool: id } = each
        return whole
          ? [read({ sessionUpdate: "tool_call", toolCallId: `${id}`, title: "Look", status })]
          : [tool(`${id}`, { title: "Look" }), tool(`${id}`, { status })]
      }
      const kind = each.role === "thought" ? "agent_thought_chunk" : `${each.role}_message_chunk`
      return (whole ? [each.texts.join("")] : each.texts).map((text) =>
        read({
          sessionUpdate: kind,
          content: { type: "text", text },
          ...(ids ? { messageId: `m${position}` } : {})
        })
      )
    })

  it("is the same after a replay in other pieces as it was live", () => {
    FastCheck.assert(
      FastCheck.property(spoken, FastCheck.boolean(), (all, ids) => {
        const live = fold(...inPieces(all, false, ids))
        const replayed = fold(...inPieces(all, true, ids))
        assert.deepStrictEqual(outline(replayed), outline(live))
        const after = SessionState.reconcile(live, replayed)
        assert.deepStrictEqual(after, live)
        assert.strictEqual(SessionState.difference(live, after).size, 0)
      }),
      { numRuns: rounds }
    )
  })

  // Prompts of this client, which agents do not send back while they run, each with an answer; the last may be running.
  const turns = FastCheck.array(
    FastCheck.record({
      prompt: FastCheck.constantFrom("yes", "yes", "no", "go on"),
      answer: FastCheck.array(FastCheck.string({ minLength: 1 }), { minLength: 1, maxLength: 4 })
    }),
    { maxLength: 8 }
  )

  it("is the same after a replay that names this client's prompts and leaves out the running answer", () => {
    FastCheck.assert(
      FastCheck.property(turns, FastCheck.boolean(), FastCheck.boolean(), (all, ids, running) => {
        const folding = SessionFold.make(SessionState.empty)
        const replay: Array<Update.Update> = []
        for (const [turn, { prompt, answer }] of all.entries()) {
          const id = (role: string) => (ids ? `${role}${turn}` : undefined)
          folding.prompt([{ type: "text", text: prompt }])
          for (const text of answer) folding.apply(say("agent", text, id("a")))
          replay.push(say("user", prompt, id("u")))
          if (!running || turn < all.length - 1) replay.push(say("agent", answer.join(""), id("a")))
        }
        const live = folding.state()
        const after = SessionState.reconcile(live, fold(...replay))
        assert.deepStrictEqual(after, live)
        assert.strictEqual(SessionState.difference(live, after).size, 0)
      }),
      { numRuns: rounds }
    )
  })

  it("does not double what only a replay gives a name to", () => {
    const folding = SessionFold.make(SessionState.empty)
    folding.prompt([{ type: "text", text: "yes" }])
    folding.apply(say("agent", "Fine", "a1"))
    folding.prompt([{ type: "text", text: "yes" }])
    folding.apply(say("agent", "half", "a2"))
    const live = folding.state()
    // The running turn's answer is left out of the replay.
    const replayed = fold(say("user", "yes", "u1"), say("agent", "Fine", "a1"), say("user", "yes", "u2"))
    const after = SessionState.reconcile(live, replayed)
    assert.deepStrictEqual(after, live)
    assert.strictEqual(SessionState.difference(live, after).size, 0)
  })

  it("takes from a replay what was missed and keeps of the running turn what the replay leaves out", () => {
    const live = fold(say("user", "one"), say("agent", "first"), say("user", "two"), say("agent", "second, half"))
    const replayed = fold(say("user", "one"), say("agent", "first, corrected"), say("user", "two"))
    const after = SessionState.reconcile(live, replayed)
    assert.deepStrictEqual(outline(after), ["user: one", "agent: first, corrected", "user: two", "agent: second, half"])
    assert.deepStrictEqual([...SessionState.difference(live, after)], ["agent#1"])
    const longer = fold(
      say("user", "one"),
      say("agent", "first"),
      say("user", "two"),
      say("agent", "second, half and more")
    )
    assert.strictEqual(outline(SessionState.reconcile(live, longer)).at(-1), "agent: second, half and more")
    const shorter = fold(say("user", "one"), say("agent", "first"), say("user", "two"), say("agent", "second"))
    assert.strictEqual(outline(SessionState.reconcile(live, shorter)).at(-1), "agent: second, half")
    assert.deepStrictEqual(outline(SessionState.reconcile(live, SessionState.empty)), outline(live))
  })
})

describe("what real agents do", () => {
  const first = (state: SessionState.SessionState) => state.entries[0]
  const oddities: ReadonlyArray<
    readonly [name: string, updates: ReadonlyArray<object>, expected: (state: SessionState.SessionState) => void]
  > = [
    [
      "an update of an unannounced tool call begins it",
      [{ sessionUpdate: "tool_call_update", toolCallId: "t", status: "in_progress", title: "ls -la" }],
      (state) =>
        assert.deepInclude(first(state), { toolCallId: "t", title: "ls -la", status: "in_progress", kind: "other" })
    ],
    [
      "a tool call announced twice is one",
      [
        { sessionUpdate: "tool_call", toolCallId: "t", title: "Read", kind: "read", status: "pending" },
        { sessionUpdate: "tool_call_update", toolCallId: "t", status: "completed" },
        { sessionUpdate: "tool_call", toolCallId: "t", title: "Read a.csv", status: "completed" }
      ],
      (state) => {
        assert.strictEqual(state.entries.length, 1)
        assert.deepInclude(first(state), { title: "Read a.csv", kind: "read", status: "completed" })
      }
    ],
    [
      "a tool call with nothing but its input and meta",
      [
        {
          sessionUpdate: "tool_call_update",
          toolCallId: "t",
          rawInput: { questions: [] },
          _meta: { "vendor.ai/toolName": "Ask" }
        },
        { sessionUpdate: "tool_call_update", toolCallId: "t", _meta: { more: 1 } }
      ],
      (state) =>
        assert.deepInclude(first(state), {
          title: "",
          rawInput: { questions: [] },
          meta: { "vendor.ai/toolName": "Ask", more: 1 }
        })
    ],
    [
      "empty texts that carry usage along say nothing, between messages and within",
      [
        {
          sessionUpdate: "agent_message_chunk",
          content: { type: "text", text: "" },
          _meta: { usage: { totalTokens: 9 } }
        },
        { sessionUpdate: "agent_message_chunk", content: { type: "text", text: "Hi" } },
        { sessionUpdate: "agent_thought_chunk", content: { type: "text", text: "" } },
        { sessionUpdate: "agent_message_chunk", content: { type: "text", text: "!" } },
        { sessionUpdate: "user_message_chunk", content: { type: "text", text: "" } }
      ],
      (state) => assert.deepStrictEqual(outline(state), ["agent: Hi!"])
    ],
    [
      "raw output is a string, an object, or an array",
      [
        { sessionUpdate: "tool_call_update", toolCallId: "a", rawOutput: "done" },
        { sessionUpdate: "tool_call_update", toolCallId: "b", rawOutput: { output: "done" } },
        { sessionUpdate: "tool_call_update", toolCallId: "c", rawOutput: [1] }
      ],
      (state) =>
        assert.deepStrictEqual(
          SessionState.toolCalls(state).map(({ rawOutput }) => rawOutput),
          ["done", { output: "done" }, [1]]
        )
    ],
    [
      "message ids are missing, null, or there for some",
      [
        { sessionUpdate: "agent_message_chunk", content: { type: "text", text: "a" } },
        { sessionUpdate: "agent_message_chunk", content: { type: "text", text: "b" }, messageId: null },
        { sessionUpdate: "agent_message_chunk", content: { type: "text", text: "c" }, messageId: "m" },
        { sessionUpdate: "agent_message_chunk", content: { type: "text", text: "d" } }
      ],
      (state) => assert.deepStrictEqual(outline(state), ["agent: ab", "agent: cd"])
    ],
    [
      "usage comes several times in a turn",
      [
        { sessionUpdate: "usage_update", used: 1, size: 10, cost: { amount: 0.1, currency: "USD" } },
        { sessionUpdate: "usage_update", used: 2, size: 10, cost: null }
      ],
      (state) => assert.deepStrictEqual(state.usage, { used: 2, size: 10 })
    ],
    [
      "session info comes forty times, mostly with meta only",
      [
        { sessionUpdate: "session_info_update", title: "A title", updatedAt: null },
        ...Array.from({ length: 40 }, (_, offset) => ({
          sessionUpdate: "session_info_update",
          _meta: { "vendor.ai": { mode: "history", offset } }
        }))
      ],
      (state) => assert.deepStrictEqual([state.title, state.entries.length], ["A title", 0])
    ],
    [
      "a status and an option kind of the vendor's own are kept",
      [{ sessionUpdate: "tool_call_update", toolCallId: "t", status: "cancelled", kind: "teleport" }],
      (state) => assert.deepInclude(first(state), { status: "cancelled", kind: "teleport" })
    ],
    [
      "content of the future is kept in messages and in tools",
      [
        { sessionUpdate: "agent_message_chunk", content: { type: "hologram", depth: 3 } },
        {
          sessionUpdate: "tool_call_update",
          toolCallId: "t",
          content: [{ type: "smell" }, { type: "content", content: { type: "hologram" } }]
        }
      ],
      (state) => {
        const [message, call] = state.entries
        assert.deepStrictEqual(message?._tag === "Message" && message.content, [
          { type: "unknown", tag: "hologram", raw: { type: "hologram", depth: 3 } }
        ])
        assert.deepStrictEqual(call?._tag === "ToolCall" && call.content.map((each) => each.type), [
          "unknown",
          "content"
        ])
      }
    ],
    [
      "kinds of the future and of the vendor change nothing",
      [
        { sessionUpdate: "session_end", reason: "done" },
        { sessionUpdate: "agent_message", messageId: "m", content: [] },
        { sessionUpdate: "compaction_update", compactionId: "c", status: "in_progress" }
      ],
      (state) => assert.deepStrictEqual(state, SessionState.empty)
    ]
  ]
  for (const [name, updates, expected] of oddities) it(name, () => expected(fold(...updates.map(read))))
})

describe("SessionFold", () => {
  it("shows a prompt at once and takes its echo for it", () => {
    const folding = SessionFold.make(SessionState.empty)
    folding.prompt([{ type: "text", text: "hello there" }])
    assert.deepStrictEqual(outline(folding.state()), ["user: hello there"])
    folding.apply(say("user", "hello "))
    folding.apply(say("user", "there"))
    folding.apply(say("agent", "hi"))
    assert.deepStrictEqual(outline(folding.state()), ["user: hello there", "agent: hi"])
  })

  it("does not take another person's message for the echo", () => {
    const folding = SessionFold.make(SessionState.empty)
    folding.prompt([{ type: "text", text: "mine" }])
    folding.apply(say("user", "theirs", "m1"))
    assert.deepStrictEqual(outline(folding.state()), ["user: mine", "user: theirs"])
  })

  it("folds a replay of 200,000 updates in a moment and copies only what is looked at", () => {
    const folding = SessionFold.make(SessionState.empty)
    for (let turn = 0; turn < 2000; turn++) {
      folding.apply(say("user", `question ${turn}`))
      folding.apply(tool(`${turn}`, { title: "Look" }))
      for (let chunk = 0; chunk < 98; chunk++) folding.apply(say("agent", "word "))
    }
    const state = folding.state()
    assert.strictEqual(state.entries.length, 6000)
    assert.strictEqual(folding.state(), state)
    assert.strictEqual(SessionState.messages(state, "agent")[1999]?.text.length, 490)
  })

  it("costs the same for each update of one message, however long it is and whatever it holds", () => {
    const link = read({ sessionUpdate: "agent_message_chunk", content: { type: "resource_link", name: "a", uri: "b" } })
    const time = (updates: number) => {
      const folding = SessionFold.make(SessionState.empty)
      const word = say("agent", "word ")
      const from = performance.now()
      for (let n = 0; n < updates; n++) folding.apply(n % 2 === 0 ? word : link)
      const [message] = SessionState.messages(folding.state())
      assert.strictEqual(message?.content.length, updates)
      assert.strictEqual(message?.text.length, (updates / 2) * 5)
      return performance.now() - from
    }
    // Copying the message for each update would take a quarter of an hour.
    assert.isBelow(time(200_000), 10_000)
  })

  it("gives a new message a key of its own after a replay that named some", () => {
    const folding = SessionFold.make(SessionState.empty)
    for (const text of ["a", "b"]) {
      folding.prompt([{ type: "text", text }])
      folding.apply(say("agent", `answer to ${text}`, text))
    }
    const replayed = fold(
      say("user", "a, as the agent keeps it", "u1"),
      say("agent", "answer to a", "a"),
      say("user", "b", "u2"),
      say("agent", "answer to b", "b")
    )
    const again = SessionFold.make(SessionState.reconcile(folding.state(), replayed))
    again.prompt([{ type: "text", text: "c" }])
    assert.deepStrictEqual(outline(again.state()), [
      "user: a, as the agent keeps it",
      "agent: answer to a",
      "user: b",
      "agent: answer to b",
      "user: c"
    ])
  })

  it("gives each reader the text so far, and what it gave is not changed afterwards", () => {
    const folding = SessionFold.make(SessionState.empty)
    folding.apply(say("agent", "one", "m"))
    const before = folding.state()
    folding.apply(say("agent", " two", "m"))
    folding.apply(tool("t", { title: "Look" }))
    const after = folding.state()
    folding.apply(say("agent", " three", "m"))
    assert.deepStrictEqual(
      [outline(before), outline(after), outline(folding.state())],
      [["agent: one"], ["agent: one two", "tool: Look"], ["agent: one two three", "tool: Look"]]
    )
    assert.strictEqual(folding.state().entries[1], after.entries[1])
  })
})
