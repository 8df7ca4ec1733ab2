import { assert, describe, it } from "@effect/vitest"
import { Inbox } from "@heddle/bot/store/Inbox"
import { Threads } from "@heddle/bot/store/Threads"
import { Turns } from "@heddle/bot/store/Turns"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { breakTable, entry, thread, withRows } from "../support/Rows.ts"

const ids = (entries: ReadonlyArray<{ readonly eventId: string }>) => entries.map(({ eventId }) => eventId)

const states = Effect.flatMap(Inbox, (inbox) =>
  Effect.forEach(["1", "2", "3", "4", "5", "11"], (id) =>
    Effect.map(inbox.find(id), (found) => Option.getOrUndefined(found)?.state)
  )
)

describe("of two threads", () => {
  it.scopedLive("one is closed with its waiting messages, and the other stays as it is", () =>
    withRows(
      Effect.gen(function* () {
        const [inbox, threads] = [yield* Inbox, yield* Threads]
        for (const id of ["1", "2"]) yield* threads.bind(thread(id), 0)
        yield* inbox.add(entry("1", { first: true }))
        yield* inbox.add(entry("2"))
        yield* inbox.add(entry("3"))
        yield* inbox.begin("3")
        yield* inbox.add(entry("4", { kind: "late_output" }))
        yield* inbox.add(entry("11", { threadId: "2" }))
        yield* threads.close("1", 5)
        assert.deepStrictEqual(yield* states, ["cut", "closed", "running", "done", undefined, "queued"])
        const closed = (threadId: string) =>
          Effect.map(threads.find(threadId), (found) => Option.getOrThrow(found).closed)
        assert.deepStrictEqual([yield* closed("1"), yield* closed("2")], [true, false])
        assert.isTrue(Option.isSome(yield* threads.reopen("1")))
        assert.isTrue(Option.isNone(yield* threads.reopen("1")))
        assert.isTrue(Option.isNone(yield* threads.reopen("2")))
      })
    )
  )

  it.scopedLive("one that cannot be closed with its messages is not closed", () =>
    withRows(
      Effect.gen(function* () {
        const [inbox, threads] = [yield* Inbox, yield* Threads]
        yield* threads.bind(thread("1"), 0)
        yield* inbox.add(entry("1"))
        yield* breakTable("inbox", "UPDATE")
        assert.isTrue(yield* Effect.isFailure(Effect.sandbox(threads.close("1", 5))))
        assert.isFalse(Option.getOrThrow(yield* threads.find("1")).closed)
      })
    )
  )

  it.scopedLive("each has its own position, which only grows, and only while it is open", () =>
    withRows(
      Effect.gen(function* () {
        const threads = yield* Threads
        for (const id of ["1", "2", "3"]) yield* threads.bind(thread(id, { lastSeenId: "99" }), 0)
        yield* threads.close("3", 0)
        for (const id of ["101", "98", "100"]) yield* threads.markSeen("1", id)
        yield* threads.markSeen("3", "100")
        const seen = yield* Effect.forEach(["1", "2", "3"], (id) =>
          Effect.map(threads.find(id), (found) => Option.getOrThrow(found).lastSeenId)
        )
        assert.deepStrictEqual(seen, ["101", "99", "99"])
      })
    )
  )

  it.scopedLive("the newer of a task's is its thread, and a hint is given once in each", () =>
    withRows(
      Effect.gen(function* () {
        const threads = yield* Threads
        yield* threads.bind(thread("1", { taskId: "t" }), 10)
        yield* threads.bind(thread("2", { taskId: "t" }), 20)
        yield* threads.bind(thread("1", { taskId: "other" }), 30)
        assert.strictEqual(Option.getOrThrow(yield* threads.findByTask("t")).threadId, "2")
        const first = [
          yield* threads.isFirstTime("1", "k"),
          yield* threads.isFirstTime("1", "k"),
          yield* threads.isFirstTime("2", "k"),
          yield* threads.isFirstTime("1", "l")
        ]
        assert.deepStrictEqual(first, [true, false, true, true])
      })
    )
  )
})

describe("of several messages", () => {
  it.scopedLive("each is stored once, in the order of Discord", () =>
    withRows(
      Effect.gen(function* () {
        const inbox = yield* Inbox
        for (const id of ["100", "99", "98"]) assert.isTrue(yield* inbox.add(entry(id)))
        assert.isFalse(yield* inbox.add(entry("99", { content: "again" })))
        yield* inbox.add(entry("97", { threadId: "2", authorId: "3" }))
        yield* inbox.add(entry("101", { kind: "late_output", authorId: "" }))
        assert.deepStrictEqual(ids(yield* inbox.pending), ["97", "98", "99", "100", "101"])
        const { count, hasSeveralAuthors, visible } = yield* inbox.queued("1", 2)
        assert.deepStrictEqual([count, hasSeveralAuthors, ...ids(visible)], [3, false, "98", "99"])
        assert.isFalse(yield* inbox.hasSeveralAuthors("1"))
        yield* inbox.add(entry("102", { authorId: "3" }))
        assert.isTrue(yield* inbox.hasSeveralAuthors("1"))
        assert.isTrue((yield* inbox.queued("1", 0)).hasSeveralAuthors)
        assert.strictEqual(yield* inbox.countWaiting("1"), 4)
      })
    )
  )

  it.scopedLive("only one that waits is changed or removed, and the first of a task never", () =>
    withRows(
      Effect.gen(function* () {
        const inbox = yield* Inbox
        yield* inbox.add(entry("1", { first: true }))
        yield* inbox.add(entry("2"))
        yield* inbox.add(entry("3"))
        yield* inbox.begin("2")
        const change = (id: string, content: string, expected?: string) =>
          inbox.updateText(
            id,
            { content, attachments: [] },
            expected === undefined ? undefined : { content: expected, attachments: [] }
          )
        const changed = yield* Effect.forEach(["1", "2", "3"], (id) => change(id, "new"))
        assert.deepStrictEqual(changed, [false, false, true])
        assert.isFalse(yield* change("3", "new"), "it has this text already")
        assert.isFalse(yield* change("3", "newer", "3"), "a reader of the new text was faster")
        assert.isTrue(yield* change("3", "newer", "new"))
        const removed = yield* Effect.forEach(["1", "2", "3"], (id) => inbox.remove(id))
        assert.deepStrictEqual(removed, [false, false, true])
        assert.isTrue(Option.isNone(yield* inbox.begin("3")), "what was removed is not begun")
        yield* inbox.finish("2")
        assert.isTrue(Option.isNone(yield* inbox.begin("2")), "what was finished is not begun again")
      })
    )
  )

  it.scopedLive("of a closed thread those that the agent may have are cut, and go on when it opens, in order", () =>
    withRows(
      Effect.gen(function* () {
        const [inbox, threads, turns] = [yield* Inbox, yield* Threads, yield* Turns]
        yield* threads.bind(thread("1"), 0)
        yield* threads.bind(thread("2"), 0)
        yield* turns.begin("99", "1", 0)
        yield* turns.setPrompted("99", { items: 0, prompts: 0 })
        yield* turns.begin("98", "1", 0)
        for (const id of ["99", "98", "100"]) yield* inbox.add(entry(id))
        yield* inbox.add(entry("11", { threadId: "2" }))
        for (const id of ["99", "98"]) yield* inbox.begin(id)
        assert.isFalse(yield* inbox.markInterrupted("99"), "the thread is open")
        yield* threads.close("1", 5)
        assert.isTrue(yield* inbox.markInterrupted("99"))
        assert.isTrue(yield* inbox.markInterrupted("98"))
        assert.isFalse(yield* inbox.markInterrupted("11"))
        yield* threads.reopen("1")
        const { interrupted, neverDelivered } = yield* inbox.resumeThread("1")
        assert.deepStrictEqual([ids(interrupted), ids(neverDelivered)], [["99"], ["98", "100"]])
        assert.strictEqual(interrupted[0]?.attempt, 1)
        const again = yield* inbox.resumeThread("1")
        assert.deepStrictEqual([again.interrupted, again.neverDelivered], [[], []])
      })
    )
  )
})

describe("of several turns", () => {
  it.scopedLive("the neighbours and the last prompted one are those of the same thread", () =>
    withRows(
      Effect.gen(function* () {
        const [inbox, threads, turns] = [yield* Inbox, yield* Threads, yield* Turns]
        for (const id of ["1", "2"]) yield* threads.bind(thread(id), 0)
        for (const [id, threadId] of [
          ["10", "1"],
          ["11", "2"],
          ["12", "1"],
          ["13", "2"],
          ["14", "1"],
          ["15", "1"]
        ] as const) {
          yield* inbox.add(entry(id, { threadId }))
          yield* turns.begin(id, threadId, 0)
          if (id !== "12") yield* turns.setPrompted(id, { items: 0, prompts: 0 })
        }
        const neighbors = (id: string) =>
          Effect.map(turns.neighbors(id), ({ after, before }) => [before?.turnId, after?.turnId])
        assert.deepStrictEqual(yield* neighbors("12"), ["10", "14"])
        assert.deepStrictEqual(yield* neighbors("15"), ["14", undefined])
        assert.strictEqual(Option.getOrThrow(yield* turns.lastPrompted("14")).turnId, "10")
        assert.isTrue(Option.isNone(yield* turns.lastPrompted("10")))
      })
    )
  )

  it.scopedLive("an offer to send a message once more is taken once, and only in its thread", () =>
    withRows(
      Effect.gen(function* () {
        const turns = yield* Turns
        for (const [id, threadId] of [
          ["10", "1"],
          ["11", "1"],
          ["12", "2"],
          ["13", "2"]
        ] as const) {
          yield* turns.begin(id, threadId, 0)
          yield* turns.setEnd(id, { _tag: "Failed", text: "lost", resend: true })
        }
        assert.isTrue(yield* turns.takeResend("10", "20"))
        assert.isFalse(yield* turns.takeResend("10", "21"))
        yield* turns.markArrived("12")
        assert.isFalse(yield* turns.takeResend("12", "22"))
        assert.deepStrictEqual(
          (yield* turns.offeringResend("1")).map(({ turnId }) => turnId),
          ["11"]
        )
        assert.strictEqual(Option.getOrThrow(yield* turns.resentBy("1", "20")).turnId, "10")
        assert.isTrue(Option.isNone(yield* turns.resentBy("2", "20")))
      })
    )
  )
})
