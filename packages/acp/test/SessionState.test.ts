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
const fold = (...updates: ReadonlyArray<Update.Update>) => SessionState.fold(SessionState.empty, updates)
const outline = (state: SessionState.SessionState) =>
  state.entries.map((entry) =>
    entry._tag === "Message"
      ? `${entry.role}: ${entry.text}`
      : entry._tag === "ToolCall"
        ? `tool: ${entry.title}`
        : entry.title
  )

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
})
