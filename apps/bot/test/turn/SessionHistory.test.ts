import { assert, describe, it } from "@effect/vitest"
import * as SessionState from "@heddle/acp/SessionState"
import type { InboxEntry } from "@heddle/bot/store/Inbox"
import { Baseline } from "@heddle/bot/store/Turns"
import * as SessionHistory from "@heddle/bot/turn/session/history/SessionHistory"
import * as SessionPrompts from "@heddle/bot/turn/session/history/SessionPrompts"
import * as Schema from "effect/Schema"

const key = "1001"
const text = (words: string) => [{ type: "text" as const, text: words }]
const keyed = (words: string, promptKey = key) => SessionPrompts.withKey(text(words), promptKey)[0]!
const user = (content: ReturnType<typeof keyed>, messageId?: string) => ({
  sessionUpdate: "user_message_chunk" as const,
  content,
  ...(messageId === undefined ? {} : { messageId })
})
const agent = (messageId: string, words: string) => ({
  sessionUpdate: "agent_message_chunk" as const,
  messageId,
  content: { type: "text" as const, text: words }
})
const session = (...updates: ReadonlyArray<ReturnType<typeof agent> | ReturnType<typeof user>>) =>
  SessionState.fold(SessionState.empty, updates)
const baseline = (words: string) => ({
  items: 0,
  prompts: 0,
  asked: SessionPrompts.identify(SessionState.empty, text(words), key)
})

describe("the prompt of a turn in a session", () => {
  it("is recognized by its key, independent of surrounding text", () => {
    const replay = session(user(keyed("<context/> go on"), "u1"), agent("a1", "answer"))
    assert.isTrue(SessionHistory.hasArrived(replay, baseline("go on")))
    assert.strictEqual(SessionHistory.entriesBefore(replay, baseline("go on")), 0)
  })

  it("does not match the same text with another key, or without a key where others have one", () => {
    const others = session(user(keyed("go on", "999"), "u1"), agent("a1", "theirs"), user(text("go on")[0]!, "u2"))
    assert.isFalse(SessionHistory.hasArrived(others, baseline("go on")))
    assert.strictEqual(SessionHistory.entriesBefore(others, baseline("go on")), Infinity)
  })

  it("that never arrived leaves what the agent still says to late output", () => {
    const refused = { items: 1, prompts: 1, asked: { after: 3, words: "two", key } }
    const state = session(user(keyed("one", "999"), "u1"), agent("a1", "answer"), agent("a2", "more"))
    assert.strictEqual(SessionHistory.entriesBefore(state, refused), Infinity)
    assert.deepEqual(SessionHistory.lateStartOf(state, refused), { skip: 1 })
  })

  it("is not a later message of this client with the same text", () => {
    const later = session(user(keyed("go on", "1002")))
    assert.isFalse(SessionHistory.showsPrompt(later, baseline("go on"), undefined, key))
    assert.isFalse(SessionHistory.showsPrompt(later, { items: 0, prompts: 0 }, "go on", key))
    assert.isTrue(SessionHistory.showsPrompt(later, { items: 0, prompts: 0 }, "go on", "1002"))
  })

  it("neither arrived nor lacks where a message without a key has its few words inside", () => {
    const replay = session(user(text("note: go on")[0]!, "u1"), agent("a1", "answer"))
    const found = SessionHistory.findings(replay, { baseline: baseline("go on"), hasShown: false, isHeld: true })
    assert.deepEqual(found, { hasArrived: false, isComplete: false })
    assert.deepEqual(SessionHistory.startOf(replay, baseline("go on")), { skip: Infinity })
    assert.deepEqual(SessionHistory.startOf(replay, baseline("go on"), true), { skip: 0 })
  })

  it("is recognized by its text when the service returns no keys", () => {
    const replay = session(user(text("go  on")[0]!, "u1"), agent("a1", "answer"))
    assert.isTrue(SessionHistory.hasArrived(replay, baseline("go on")))
    assert.isFalse(SessionHistory.hasArrived(replay, baseline("on")))
  })

  it("is recognized by its text when messages without ids are merged", () => {
    const joined = session(user(keyed("one. ", "999")), user(text("two")[0]!))
    assert.strictEqual(SessionPrompts.count(joined), 1)
    const mark = { ...baseline("two"), asked: { ...baseline("two").asked, after: 5 } }
    assert.strictEqual(SessionPrompts.find(joined, mark, true), 0)
    // The service keeps keys, and the second message has none: it may be another client's.
    assert.deepEqual(SessionHistory.findings(joined, { baseline: mark, hasShown: false, isHeld: false }), {
      hasArrived: false,
      isComplete: false
    })
    const both = session(user(keyed("one. ", "999")), user(keyed("two")))
    assert.isTrue(SessionHistory.hasArrived(both, mark))
  })

  it("is not assumed to exist for words of another client that begin or go on with its own", () => {
    const plain = (words: string) => text(words)[0]!
    const found = (...messages: ReadonlyArray<ReturnType<typeof keyed>>) =>
      SessionHistory.findings(session(...messages.map((each) => user(each))), {
        baseline: baseline("two"),
        hasShown: false,
        isHeld: false
      })
    const unknown = { hasArrived: false, isComplete: false }
    assert.deepEqual(found(plain("two things")), unknown)
    assert.deepEqual(found(plain("two things"), keyed("three", "999")), unknown)
    assert.deepEqual(found(keyed("three", "999")), { hasArrived: false, isComplete: true })
    assert.deepEqual(found(plain("two")), { hasArrived: true, isComplete: false })
  })

  const user1 = (words: string) => user(text(words)[0]!)
  const isComplete = (before: SessionState.SessionState, words: string, replay: SessionState.SessionState) => {
    const asked = SessionPrompts.identify(before, text(words), key)
    const entry = { eventId: key, kind: "message", first: false } as InboxEntry
    const mark = { ...SessionHistory.baselineOf(entry, before, undefined), asked }
    return SessionHistory.findings(replay, { baseline: mark, hasShown: false, isHeld: false }).isComplete
  }

  it("is not missing in a history of the newest messages only, which has them in place of equally long ones", () => {
    const rounds = (...words: ReadonlyArray<string>) =>
      session(...words.flatMap((each, index) => [user1(each), agent(`a${index}`, "Done.")]))
    assert.isFalse(isComplete(rounds("go on", "go on"), "go on", rounds("go on", "go on")))
    assert.isFalse(isComplete(rounds("one", "two"), "six", rounds("two", "six")))
    assert.isFalse(isComplete(rounds("one", "two", "one"), "two", rounds("two", "one", "two")))
    assert.isTrue(isComplete(rounds("one", "two"), "six", rounds("one", "two")))
  })

  it("is not missing where a newest message with the key of another client stands in place of those before", () => {
    const theirs = session(user(keyed("their words", "999")), agent("a9", "theirs"))
    assert.isFalse(isComplete(session(user1("one"), agent("a1", "first")), "two", theirs))
    const added = session(user1("one"), agent("a1", "first"), user(keyed("their words", "999")), agent("a9", "theirs"))
    assert.isTrue(isComplete(session(user1("one"), agent("a1", "first")), "two", added))
  })

  it("is not missing in a history of the newest message only, which is as long as the one before", () => {
    const answered = session(user1("abc"), agent("a1", "answer"))
    assert.isTrue(isComplete(answered, "xyz", answered))
    assert.isFalse(isComplete(answered, "xyz", session(user1("xyz"))))
    assert.isFalse(isComplete(answered, "xyz", session(user1("xyz"), agent("a1", "answer"))))
    assert.isFalse(isComplete(answered, "abc", session(user1("abc"))))
    assert.isFalse(isComplete(answered, "abc", answered))
    const longer = session(user1("one"), agent("a1", "answer"), user1("abc"), agent("a2", "answer"))
    assert.isTrue(isComplete(longer, "abc", longer))
    assert.isFalse(isComplete(longer, "abc", answered))
    const mute = session(user1("abc"))
    assert.isTrue(isComplete(mute, "xyz", mute))
    assert.isFalse(isComplete(mute, "xyz", session(user1("xyz"))))
    assert.isFalse(isComplete(mute, "abc", session(user1("abc"))))
  })

  it("is recognized by the words of a first prompt, and not by another client's message", () => {
    const first = { items: 0, prompts: 0, first: "one" }
    const found = (...entries: ReadonlyArray<ReturnType<typeof agent> | ReturnType<typeof user>>) => ({
      ...SessionHistory.findings(session(...entries), { baseline: first, hasShown: false, isHeld: false }),
      skip: SessionHistory.entriesBefore(session(...entries), first)
    })
    assert.deepEqual(found(user(text("other")[0]!), agent("a1", "theirs")), {
      hasArrived: false,
      isComplete: false,
      skip: Infinity
    })
    const later = [user(text("other")[0]!), agent("a1", "theirs"), user(text("Task: one")[0]!), agent("a2", "ours")]
    assert.deepEqual(found(...later), { hasArrived: true, isComplete: false, skip: 1 })
  })

  it("is assumed to exist after new agent entries when the history has no user messages", () => {
    assert.isFalse(SessionHistory.hasArrived(session(), baseline("go on")))
    const silent = session(agent("a1", "answer"))
    assert.isTrue(SessionHistory.hasArrived(silent, baseline("go on")))
    const before = { items: 0, prompts: 0 }
    assert.strictEqual(SessionHistory.historyOf(silent, before), "WithoutUserMessages")
    assert.strictEqual(SessionHistory.historyOf(session(), before), "Empty")
    assert.strictEqual(SessionHistory.historyOf(session(), { items: 1, prompts: 0 }), "WithoutUserMessages")
    assert.strictEqual(SessionHistory.historyOf(session(), { items: 0, prompts: 1 }), "WithoutUserMessages")
    assert.strictEqual(SessionHistory.historyOf(session(user(keyed("go on"))), before), "WithUserMessages")
  })

  it("has an answer when the agent has entries in its turn", () => {
    const state = session(agent("a1", "answer"), user(keyed("go on")))
    assert.isTrue(SessionHistory.hasAnswer(state, { skip: 0 }))
    assert.isFalse(SessionHistory.hasAnswer(state, { skip: 1 }))
    assert.isFalse(SessionHistory.hasAnswer(state, { skip: Infinity }))
  })

  it("is assumed to exist for a first prompt as soon as the agent has entries without user messages", () => {
    const before = { items: 0, prompts: 0 }
    assert.isTrue(SessionHistory.hasArrived(session(agent("a1", "answer")), before))
    assert.isFalse(SessionHistory.hasArrived(session(), before))
    assert.isFalse(SessionHistory.hasArrived(session(agent("a1", "answer")), { items: 1, prompts: 1 }))
  })
})

describe("a stored baseline", () => {
  it("keeps its late output under the keys late and past", () => {
    const shown = { prompts: 1, chars: 2, hash: "h" }
    const stored = { items: 1, prompts: 1, late: "rest", past: shown }
    const baseline = { items: 1, prompts: 1, lateText: "rest", alreadyShown: shown }
    assert.deepEqual(Schema.decodeSync(Baseline)(stored), baseline)
    assert.deepEqual(Schema.encodeSync(Baseline)(baseline), stored)
  })
})

describe("the place of a turn in a replay that joins messages and lacks those of users", () => {
  const says = (words: string) => ({
    sessionUpdate: "agent_message_chunk" as const,
    content: { type: "text" as const, text: words }
  })
  const thinks = { ...says("Hm. "), sessionUpdate: "agent_thought_chunk" as const }
  const tool = (toolCallId: string) => ({ sessionUpdate: "tool_call" as const, toolCallId, title: toolCallId })
  type Update = Parameters<typeof SessionState.fold>[1] extends Iterable<infer Each> ? Each : never
  const fold = (...updates: ReadonlyArray<Update>) => SessionState.fold(SessionState.empty, updates)
  const baselineAt = (session: SessionState.SessionState) =>
    SessionHistory.baselineOf({ eventId: "3", kind: "message", first: false } as InboxEntry, session, undefined)
  const first = [user(text("one")[0]!), says("First. ")]
  const second = [user(text("two")[0]!), says("Second. "), thinks, tool("t2")]
  const third = [user(text("three")[0]!), says("Third. "), tool("t3")]
  const replay = fold(says("First. Second. "), tool("t2"), says("Third. "), tool("t3"))
  const atSecond = baselineAt(fold(...first))
  const atThird = baselineAt(fold(...first, ...second))

  it("is found by the words and the steps before it", () => {
    assert.deepEqual(SessionHistory.startOf(replay, atSecond), { skip: 0, skippedChars: "First. ".length })
    assert.deepEqual(SessionHistory.startOf(replay, atThird), { skip: 2 })
    assert.strictEqual(SessionHistory.countAgentEntries(fold(...first, ...second, ...third)), 6)
  })

  it("shows whether the prompt arrived", () => {
    assert.isTrue(SessionHistory.hasArrived(replay, atThird))
    assert.isFalse(SessionHistory.hasArrived(fold(says("First. Second. "), tool("t2")), atThird))
  })

  it("ends where the next turn begins", () => {
    const calls = SessionHistory.entriesOfEnded(replay, atSecond, atThird).flatMap((entry) =>
      entry._tag === "ToolCall" ? [entry.toolCallId] : []
    )
    assert.deepEqual(calls, ["t2"])
  })
})
