import * as SessionFold from "@heddle/acp/SessionFold"
import * as SessionState from "@heddle/acp/SessionState"
import type * as Update from "@heddle/acp/schema/Update"
import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import { fold, outline, read, say, think, tool } from "./fixtures/Updates.ts"

type Spoken =
  | { readonly role: "user" | "agent" | "thought"; readonly texts: ReadonlyArray<string> }
  | { readonly tool: number; readonly status: string }

const rounds = Number(process.env["HEDDLE_ROUNDS"] ?? 100)

describe("SessionState", () => {
  it("collects the terminal output that an agent streams with a tool call", () => {
    const piece = (data: unknown) => ({ _meta: { terminal_output_delta: { data } } })
    const outputAfter = (...pieces: ReadonlyArray<object>) => {
      const [call] = fold(...pieces.map((each) => tool("a", each))).entries
      return call?._tag === "ToolCall" ? call.terminalOutput : undefined
    }
    assert.isUndefined(outputAfter({ title: "ls" }, piece(1)))
    assert.strictEqual(outputAfter(piece("one\n"), piece("two"), { status: "completed" }), "one\ntwo")
    const long = outputAfter(piece("x".repeat(2_000_000)), piece("end"))
    assert.strictEqual(long, `${"x".repeat(999_997)}end`)
  })

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

  it("does not begin a step again that ended before the prompt, and takes what else is said of it", () => {
    const state = fold(
      tool("1", { title: "Read", status: "failed" }),
      say("user", "next"),
      tool("1", { status: "in_progress", rawOutput: "late" }),
      tool("1", { status: "cancelled" })
    )
    const [call, ...more] = SessionState.toolCalls(state)
    assert.deepInclude(call, { status: "cancelled", rawOutput: "late" })
    assert.deepStrictEqual(more, [])
  })

  it("shows a compaction once, with its newest status", () => {
    const compaction = (status: string, fields: object = {}) =>
      read({ sessionUpdate: "compaction_update", compactionId: "c", status, ...fields })
    const states = [[], [compaction("completed")], [compaction("failed", { error: "too long" })]].map((later) =>
      fold(say("agent", "a"), compaction("in_progress"), say("agent", "b"), ...later)
    )
    assert.deepStrictEqual(
      states.map((state) => outline(state)[1]),
      [
        "The agent is summarising the earlier conversation to make room",
        "The agent summarised the earlier conversation to make room",
        "The agent could not summarise the earlier conversation"
      ]
    )
    assert.deepInclude(states[2]?.entries[1], { description: "too long", severity: "warning" })
    assert.lengthOf(states[1]?.entries ?? [], 3)
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

  it("is completed by a replay that leaves out this client's prompts and joins the answers", () => {
    FastCheck.assert(
      FastCheck.property(
        turns,
        FastCheck.nat(4),
        FastCheck.boolean(),
        FastCheck.boolean(),
        (all, heard, ids, tools) => {
          const folding = SessionFold.make(SessionState.empty)
          const complete = SessionFold.make(SessionState.empty)
          const replay: Array<Update.Update> = []
          for (const [turn, { prompt, answer }] of all.entries()) {
            const id = ids ? `a${turn}` : undefined
            const pieces = [
              ...answer.map((text) => say("agent", text, id)),
              ...(tools ? [tool(`t${turn}`, { title: "Look", status: "completed" })] : [])
            ]
            const isLast = turn === all.length - 1
            for (const [into, count] of [
              [folding, isLast ? heard : pieces.length],
              [complete, pieces.length]
            ] as const) {
              into.prompt([{ type: "text", text: prompt }])
              for (const piece of pieces.slice(0, count)) into.apply(piece)
            }
            replay.push(...pieces)
          }
          const after = SessionState.reconcile(folding.state(), fold(...replay))
          assert.deepStrictEqual(outline(after), outline(complete.state()))
          assert.strictEqual(new Set(after.entries.map(({ key }) => key)).size, after.entries.length)
        }
      ),
      { numRuns: rounds }
    )
  })

  for (const hasPrompts of [true, false])
    it(`is completed by a replay without calls that only a request told of (${hasPrompts ? "with" : "without"} prompts)`, () => {
      const answers = FastCheck.array(
        FastCheck.array(FastCheck.oneof(FastCheck.string({ minLength: 1 }), FastCheck.constant(undefined)), {
          maxLength: 5
        }),
        { maxLength: 4 }
      )
      FastCheck.assert(
        FastCheck.property(answers, FastCheck.nat(5), (all, heard) => {
          const [folding, complete] = [SessionFold.make(SessionState.empty), SessionFold.make(SessionState.empty)]
          const replay: Array<Update.Update> = []
          for (const [turn, pieces] of all.entries()) {
            const isLast = turn === all.length - 1
            for (const into of [folding, complete]) into.prompt([{ type: "text", text: `prompt ${turn}` }])
            if (hasPrompts) replay.push(say("user", `prompt ${turn}`))
            for (const [index, text] of [...pieces, ...(isLast ? [] : ["Done"])].entries()) {
              const call = tool(`t${turn}.${index}`, { title: "Write" })
              const isHeard = !isLast || index < heard
              if (isHeard) folding.apply(text === undefined ? call : say("agent", text))
              // A request that was missed is not in a replay.
              if (text !== undefined) complete.apply(say("agent", text))
              else if (isHeard) complete.apply(call)
              if (text !== undefined) replay.push(say("agent", text))
            }
          }
          const after = SessionState.reconcile(folding.state(), fold(...replay))
          assert.deepStrictEqual(outline(after), outline(complete.state()))
          assert.strictEqual(new Set(after.entries.map(({ key }) => key)).size, after.entries.length)
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
