import * as SessionState from "@heddle/acp/SessionState"
import { assert, describe, it } from "@effect/vitest"
import * as PromptEvidence from "#internal/session/PromptEvidence"

const text = (words: string) => ({ type: "text" as const, text: words })
const user = (words: string) => ({ sessionUpdate: "user_message_chunk" as const, content: text(words) })
const agent = (words: string) => ({ sessionUpdate: "agent_message_chunk" as const, content: text(words) })
const session = (...updates: ReadonlyArray<ReturnType<typeof agent> | ReturnType<typeof user>>) =>
  SessionState.fold(SessionState.empty, updates)

/** Looks for the prompt "go on", which was sent after `before` and has no answer yet. */
const find = (before: SessionState.SessionState, history: SessionState.SessionState) => {
  const live = SessionState.fold(before, [user("go on")])
  return PromptEvidence.find({ key: live.entries.at(-1)!.key, content: [text("go on")], before }, history, live)
}

describe("a prompt in doubt", () => {
  it("is missing in the history from before, and not in one that is shorter or has other words since", () => {
    const before = session(user("one"), agent("first"))
    assert.strictEqual(find(before, before), "Missing")
    assert.strictEqual(find(before, session(user("one"), agent("first"), user("go &amp; on"))), "Unproven")
    assert.strictEqual(find(session(user("zero"), user("one")), session(user("one"), agent("first"))), "Unproven")
    assert.strictEqual(find(before, session(user("one"), agent("first"), user("go on"))), "Present")
  })

  it("is not missing in a history of the newest message only, which may be the prompt in place of an equal one", () => {
    const before = session(user("go on"), agent("first"))
    assert.strictEqual(find(before, before), "Unproven")
    assert.strictEqual(find(before, session(user("go on"))), "Unproven")
    assert.strictEqual(find(session(user("go on")), session(user("go on"))), "Unproven")
    const longer = session(user("one"), agent("first"), user("go on"), agent("first"))
    assert.strictEqual(find(longer, longer), "Missing")
    assert.strictEqual(find(longer, before), "Unproven")
  })

  it("is shown by a history without user messages only through what the agent has added", () => {
    const before = session(agent("first"))
    assert.strictEqual(find(before, session(agent("first"))), "Unproven")
    assert.strictEqual(find(before, session()), "Unproven")
    assert.strictEqual(find(session(), session()), "Unproven")
    assert.strictEqual(find(session(), session(agent("answer"))), "Present")
    assert.strictEqual(find(before, session(agent("first"), agent("answer"))), "Present")
  })
})
