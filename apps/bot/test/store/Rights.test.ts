import { assert, describe, it } from "@effect/vitest"
import { AuditLog } from "@heddle/bot/store/AuditLog"
import { Chats } from "@heddle/bot/store/Chats"
import { GrantsToEnd } from "@heddle/bot/store/account/GrantsToEnd"
import { Rules } from "@heddle/bot/store/Rules"
import { Shares } from "@heddle/bot/store/Shares"
import { Threads } from "@heddle/bot/store/Threads"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { breakTable, thread, withRows } from "../support/Rows.ts"

const by = (eventId: string) => ({ eventId, userId: "admin", at: 1 })
const task = (taskId: string) => ({ ownerId: "owner", taskId, guildId: "g", channelId: "c", threadId: "1" })
const share = (userId: string, approve = false) => ({ userId, reply: true, approve })
const everyone = { _tag: "Everyone" } as const
const rule = (allow: boolean | undefined, capability: "reply" | "stop" = "reply", channelId?: string) => ({
  subject: everyone,
  capability,
  channelId,
  allow
})

const entries = Effect.flatMap(AuditLog, (audit) =>
  Effect.map(audit.read("g", { skip: 0, size: 10 }), ({ entries }) => entries.map(({ action }) => action._tag))
)

describe("shares", () => {
  it.scopedLive("of two tasks and two people end one by one, and each change is logged once", () =>
    withRows(
      Effect.gen(function* () {
        const shares = yield* Shares
        for (const [id, taskId, who] of [
          ["1", "one", "ada"],
          ["2", "one", "bea"],
          ["3", "two", "ada"]
        ] as const)
          yield* shares.add(task(taskId), share(who), by(id))
        yield* shares.add(task("one"), share("bea", true), by("4"))
        assert.isTrue(yield* shares.end(task("one"), "ada", by("5")))
        assert.isFalse(yield* shares.end(task("one"), "ada", by("6")))
        assert.deepStrictEqual(yield* shares.of("one"), [share("bea", true)])
        assert.deepStrictEqual(yield* shares.of("two"), [share("ada")])
        assert.deepStrictEqual((yield* entries).toSorted(), ["Shared", "Shared", "Shared", "Shared", "Unshared"])
      })
    )
  )

  it.scopedLive("that cannot be logged are not made or ended", () =>
    withRows(
      Effect.gen(function* () {
        const shares = yield* Shares
        yield* shares.add(task("one"), share("ada"), by("1"))
        yield* breakTable("audit")
        assert.isTrue(yield* Effect.isFailure(Effect.sandbox(shares.add(task("one"), share("bea"), by("2")))))
        assert.isTrue(yield* Effect.isFailure(Effect.sandbox(shares.end(task("one"), "ada", by("3")))))
        assert.deepStrictEqual(yield* shares.of("one"), [share("ada")])
      })
    )
  )
})

describe("rules", () => {
  it.scopedLive("of two servers, channels and capabilities are set and removed one by one", () =>
    withRows(
      Effect.gen(function* () {
        const rules = yield* Rules
        const allowed = (guildId: string) =>
          Effect.map(rules.of(guildId), (all) =>
            all.map(({ allow, capability, channelId }) => [capability, channelId, allow])
          )
        assert.deepStrictEqual(yield* allowed("g"), [])
        yield* rules.set("g", rule(true), by("1"))
        yield* rules.set("g", rule(true, "stop"), by("2"))
        yield* rules.set("g", rule(true, "reply", "c"), by("3"))
        yield* rules.set("other", rule(false), by("4"))
        yield* rules.set("g", rule(false), by("5"))
        assert.deepStrictEqual(yield* allowed("g"), [
          ["reply", undefined, false],
          ["reply", "c", true],
          ["stop", undefined, true]
        ])
        yield* rules.set("g", rule(undefined), by("6"))
        assert.deepStrictEqual(yield* allowed("g"), [
          ["reply", "c", true],
          ["stop", undefined, true]
        ])
        assert.deepStrictEqual(yield* allowed("other"), [["reply", undefined, false]])
      })
    )
  )

  it.scopedLive("that cannot be logged do not count", () =>
    withRows(
      Effect.gen(function* () {
        const rules = yield* Rules
        yield* rules.of("g")
        yield* breakTable("audit")
        assert.isTrue(yield* Effect.isFailure(Effect.sandbox(rules.set("g", rule(true), by("1")))))
        assert.deepStrictEqual(yield* rules.of("g"), [])
      })
    )
  )
})

describe("grants to end", () => {
  it.scopedLive("are due at their own times, to the millisecond", () =>
    withRows(
      Effect.gen(function* () {
        const grants = yield* GrantsToEnd
        yield* grants.schedule("ada:1", 100)
        yield* grants.schedule("bea:1", 200)
        const due = (now: number) => Effect.map(grants.due(now), (rows) => rows.map(({ grantId }) => grantId))
        assert.deepStrictEqual([yield* due(99), yield* due(100)], [[], ["ada:1"]])
        assert.deepStrictEqual(
          [yield* grants.nextDueAfter(99), yield* grants.nextDueAfter(100), yield* grants.nextDueAfter(200)].map(
            Option.getOrUndefined
          ),
          [100, 200, undefined]
        )
        yield* grants.postpone("ada:1", 300)
        assert.deepStrictEqual(yield* due(200), ["bea:1"])
        yield* grants.makeDue("bea:")
        assert.deepStrictEqual(yield* due(99), ["bea:1"])
        yield* grants.remove("bea:1")
        assert.deepStrictEqual(yield* due(300), ["ada:1"])
      })
    )
  )
})

describe("chats", () => {
  const chat = (threadId: string, ownerId = "ada") => ({
    threadId,
    ownerId,
    guildId: "g",
    channelId: "c",
    openId: undefined,
    lastSeenId: "1",
    activeUntil: 0
  })

  it.scopedLive("of one person: the newest that is open counts, and messages go in the order of Discord", () =>
    withRows(
      Effect.gen(function* () {
        const chats = yield* Chats
        yield* chats.open(chat("1"), 10)
        yield* chats.open(chat("2"), 20)
        yield* chats.open(chat("3"), 30)
        yield* chats.close("3", 40)
        const newest = Effect.map(chats.ofPerson("ada", "g"), (found) => Option.getOrUndefined(found)?.threadId)
        assert.strictEqual(yield* newest, "2")
        for (const id of ["100", "99"])
          assert.isTrue(yield* chats.addMessage({ eventId: id, threadId: "1", content: id }, 5))
        assert.isFalse(yield* chats.addMessage({ eventId: "99", threadId: "1", content: "again" }, 5))
        const queued = yield* chats.queued("1")
        assert.deepStrictEqual(
          queued.map(({ content }) => content),
          ["99", "100"]
        )
        yield* chats.markSent(queued[0]!, "m-1")
        assert.deepStrictEqual(
          (yield* chats.queued("1")).map(({ eventId }) => eventId),
          ["100"]
        )
        const stored = Option.getOrThrow(yield* chats.find("1"))
        assert.deepStrictEqual([stored.lastSeenId, stored.cursor, stored.activeUntil], ["100", "m-1", 5])
        assert.isUndefined(Option.getOrThrow(yield* chats.find("2")).cursor)
      })
    )
  )

  it.scopedLive("a message that cannot be noted in its chat is not stored, and can come again", () =>
    withRows(
      Effect.gen(function* () {
        const chats = yield* Chats
        yield* chats.open(chat("1"), 10)
        yield* breakTable("assistant_chats", "UPDATE")
        const added = chats.addMessage({ eventId: "9", threadId: "1", content: "9" }, 5)
        assert.isTrue(yield* Effect.isFailure(Effect.sandbox(added)))
        assert.deepStrictEqual(yield* chats.queued("1"), [])
      })
    )
  )

  it.scopedLive("a message whose place in the conversation cannot be stored is sent again", () =>
    withRows(
      Effect.gen(function* () {
        const [chats, threads] = [yield* Chats, yield* Threads]
        yield* threads.bind(thread("1"), 0)
        yield* chats.open(chat("1"), 10)
        yield* chats.addMessage({ eventId: "9", threadId: "1", content: "9" }, 5)
        const [queued] = yield* chats.queued("1")
        yield* breakTable("assistant_chats", "UPDATE")
        assert.isTrue(yield* Effect.isFailure(Effect.sandbox(chats.markSent(queued!, "m-1"))))
        assert.lengthOf(yield* chats.queued("1"), 1)
      })
    )
  )
})
