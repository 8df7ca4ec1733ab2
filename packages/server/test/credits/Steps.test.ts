import * as SqlClient from "@effect/sql/SqlClient"
import { assert, describe, it } from "@effect/vitest"
import { TaskId } from "@heddle/core/domain/Task"
import { Credits } from "@heddle/server/credits/Credits"
import * as Metering from "@heddle/server/tasks/Metering"
import { TaskStore } from "@heddle/server/tasks/TaskStore"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as TestClock from "effect/TestClock"
import { withAllRules } from "../support/AllRules.ts"

/** Gives a user a pack by its size. */
const give = (size: number, expiresAt?: number, userId = "ada") =>
  Effect.flatMap(Credits, (credits) => credits.addPack({ userId, size, source: "initial", expiresAt }))

const spend = (amount: number, reference: string, userId = "ada") =>
  Effect.flatMap(Credits, (credits) => credits.spend({ userId, amount, reference }))

/** What is used of each pack, by the pack's size. */
const used = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ size: number; used: number }>`SELECT p.size AS size, SUM(l.amount) AS used
    FROM credit_packs p JOIN credit_ledger l ON l.pack_id = p.pack_id AND l.kind = 'used' GROUP BY p.pack_id`
  return Object.fromEntries(rows.map(({ size, used }) => [size, used]))
})

describe("of several packs", () => {
  it.scoped("the one that ends first is used first, and one without an end last", () =>
    withAllRules({}, () =>
      Effect.gen(function* () {
        yield* give(10)
        yield* give(11, 2000)
        yield* give(12, 1000)
        assert.strictEqual(yield* spend(13, "turn 1"), 13)
        assert.deepStrictEqual(yield* used, { 12: 12, 11: 1 })
        assert.strictEqual(yield* spend(13, "turn 2"), 13)
        assert.deepStrictEqual(yield* used, { 12: 12, 11: 11, 10: 3 })
      })
    )
  )

  it.scoped("with the same end the older is used first", () =>
    withAllRules({}, () =>
      Effect.gen(function* () {
        for (const size of [10, 11, 12, 13]) {
          yield* give(size, 1_000_000)
          yield* TestClock.adjust("1 second")
        }
        yield* spend(22, "turn")
        assert.deepStrictEqual(yield* used, { 10: 10, 11: 11, 12: 1 })
      })
    )
  )

  it.scoped("each counts until its own end, and only for its own user", () =>
    withAllRules({}, () =>
      Effect.gen(function* () {
        const credits = yield* Credits
        yield* give(10, 1000)
        yield* give(20, 2000)
        yield* give(40, undefined, "bea")
        const total = Effect.map(credits.quota("ada"), ({ total }) => total)
        const totals: Array<number> = []
        for (const millis of [999, 1, 999, 1]) {
          yield* TestClock.adjust(millis)
          totals.push(yield* total)
        }
        assert.deepStrictEqual(totals, [30, 20, 20, 0])
        assert.strictEqual(yield* spend(1, "turn"), 0)
        assert.strictEqual((yield* credits.quota("bea")).total, 40)
        assert.strictEqual(yield* spend(50, "turn of bea", "bea"), 40)
      })
    )
  )
})

describe("Metering", () => {
  const addTask = (taskId: string, userId: string) => (clientId: string) =>
    Effect.flatMap(TaskStore, (store) =>
      store.insert({ taskId: TaskId.make(taskId), clientId, userId, name: taskId, agent: "default" })
    )
  const turn = (turnId: string, taskId = "t") => ({ taskId: TaskId.make(taskId), turnId })

  /** Credits that run an effect at their steps. */
  const withSteps = (steps: {
    readonly afterRemaining?: Effect.Effect<void>
    readonly beforeSpend?: Effect.Effect<void>
  }) =>
    Effect.map(Credits, (credits) =>
      Credits.of({
        ...credits,
        remaining: (userId) => Effect.tap(credits.remaining(userId), () => steps.afterRemaining ?? Effect.void),
        spend: (request) => Effect.zipRight(steps.beforeSpend ?? Effect.void, credits.spend(request))
      })
    )

  const meteringOver = (credits: Credits["Type"]) =>
    Effect.map(Layer.build(Layer.provide(Metering.layer, Layer.succeed(Credits, credits))), (context) =>
      Effect.provide(Metering.Metering, context)
    ).pipe(Effect.flatten)

  it.scoped("reserves for each user alone, and releases what it refused or ended", () =>
    withAllRules({}, ({ clientId }) =>
      Effect.gen(function* () {
        const metering = yield* Metering.Metering
        yield* addTask("t", "ada")(clientId)
        yield* addTask("b", "bea")(clientId)
        yield* give(1)
        yield* give(1, undefined, "bea")
        assert.isTrue(Option.isNone(yield* metering.begin(turn("1"))))
        assert.isTrue(Option.isNone(yield* metering.begin(turn("2", "b"))), "another user has credits of their own")
        assert.match(Option.getOrThrow(yield* metering.begin(turn("3"))), /Turns that still run/)
        yield* metering.end({ ...turn("1"), counts: false })
        assert.isTrue(Option.isNone(yield* metering.begin(turn("4"))), "the refused turn holds nothing")
        yield* metering.end({ ...turn("4"), counts: true })
        assert.match(Option.getOrThrow(yield* metering.begin(turn("5"))), /used up/)
        yield* give(1)
        assert.isTrue(Option.isNone(yield* metering.begin(turn("6"))), "an ended turn holds nothing")
      })
    )
  )

  it.scoped("charges two turns of one task, each once", () =>
    withAllRules({}, ({ clientId }) =>
      Effect.gen(function* () {
        const metering = yield* Metering.Metering
        yield* addTask("t", "ada")(clientId)
        yield* give(5)
        for (const id of ["1", "2"]) {
          yield* metering.begin(turn(id))
          yield* metering.end({ ...turn(id), counts: true })
        }
        assert.deepStrictEqual(yield* used, { 5: 2 })
      })
    )
  )

  it.scoped("begins no turn on the credit of one that ends at this moment", () =>
    withAllRules({}, ({ clientId }) =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* addTask("t", "ada")(clientId)
        yield* give(1)
        let end: Effect.Effect<void, unknown> | undefined
        const ending: Array<Fiber.Fiber<void, unknown>> = []
        const afterRemaining = Effect.suspend(() => {
          if (end === undefined) return Effect.void
          // In a fiber of its own, which has no part in the transaction; it goes as far as it can.
          ending.push(Effect.runFork(end))
          end = undefined
          return Effect.repeatN(
            Effect.promise(() => new Promise((resolve) => setImmediate(resolve))),
            50
          )
        })
        const metering = yield* meteringOver(yield* withSteps({ afterRemaining }))
        assert.isTrue(Option.isNone(yield* metering.begin(turn("1"))))
        end = sql.withTransaction(metering.end({ ...turn("1"), counts: true }))
        assert.isTrue(Option.isSome(yield* metering.begin(turn("2"))))
        yield* Fiber.joinAll(ending)
        assert.deepStrictEqual(yield* used, { 1: 1 })
      })
    )
  )

  it.scoped("holds the reservation of a turn until it is charged", () =>
    withAllRules({}, ({ clientId }) =>
      Effect.gen(function* () {
        yield* addTask("t", "ada")(clientId)
        yield* give(1)
        const seen: Array<string> = []
        let look: Effect.Effect<void> = Effect.void
        const beforeSpend = Effect.suspend(() => look)
        const metering = yield* meteringOver(yield* withSteps({ beforeSpend }))
        look = Effect.map(metering.refusal("ada"), (refusal) => void seen.push(Option.getOrElse(refusal, () => "none")))
        yield* metering.begin(turn("1"))
        yield* metering.end({ ...turn("1"), counts: true })
        assert.match(seen.join(), /^Turns that still run/)
      })
    )
  )

  it.scoped("begins nothing that could not be stored", () =>
    withAllRules({}, ({ clientId }) =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const metering = yield* Metering.Metering
        yield* addTask("t", "ada")(clientId)
        yield* give(1)
        yield* sql`PRAGMA query_only = ON`
        assert.isTrue(yield* Effect.isFailure(Effect.sandbox(metering.begin(turn("1")))))
        yield* sql`PRAGMA query_only = OFF`
        assert.isTrue(Option.isNone(yield* metering.begin(turn("2"))))
      })
    )
  )
})
