import * as SqlClient from "@effect/sql/SqlClient"
import { assert, describe, it } from "@effect/vitest"
import { TaskId } from "@heddle/core/domain/Task"
import * as Credits from "@heddle/server/credits/Credits"
import * as Metering from "@heddle/server/tasks/Metering"
import { ServerConfig } from "@heddle/server/config/ServerConfig"
import { settings, type ServerOptions } from "@heddle/server/config/ServerOptions"
import * as Database from "@heddle/server/sql/Database"
import * as TaskStore from "@heddle/server/tasks/TaskStore"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as TestClock from "effect/TestClock"
import * as TestServer from "../support/TestServer.ts"

/** The rules over real SQL, with the account ada and a clock that the test moves. */
const withRules = <A, E, R>(use: Effect.Effect<A, E, R>, options: Partial<ServerOptions> = {}) =>
  Effect.gen(function* () {
    const dataDir = yield* TestServer.dataDir
    const { withPort } = yield* settings({ ...options, dataDir })
    const layer = Metering.layer.pipe(
      Layer.provideMerge(Layer.mergeAll(Credits.layer, TaskStore.layer)),
      Layer.provideMerge(Layer.mergeAll(Database.layer(dataDir), Layer.succeed(ServerConfig, withPort(1))))
    )
    return yield* Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`INSERT INTO accounts (user_id, login, nickname, avatar, created_at) VALUES ('ada', 'ada', 'Ada', '', 0)`
      yield* sql`INSERT INTO applications (client_id, name, redirect_uris, scopes, active, created_at)
        VALUES ('app', 'app', '[]', '', 1, 0)`
      return yield* use
    }).pipe(Effect.provide(layer))
  })

const numbers = Effect.gen(function* () {
  const credits = yield* Credits.Credits
  const { total, used } = yield* credits.quota("ada")
  return [total, used, Option.getOrNull(yield* credits.remaining("ada"))]
})

describe("Credits", () => {
  it.scoped("counts packs that are valid or used up, and forgets expired ones (2.4)", () =>
    withRules(
      Effect.gen(function* () {
        const credits = yield* Credits.Credits
        assert.deepStrictEqual(yield* numbers, [0, 0, null])
        yield* credits.addPack({ userId: "ada", size: 10, source: "initial" })
        yield* credits.addPack({ userId: "ada", size: 5, source: "redemption", reference: "flow", expiresAt: 1000 })
        assert.deepStrictEqual(yield* numbers, [15, 0, 15])
        // The pack that expires first is used up first, the rest comes from the next.
        assert.strictEqual(yield* credits.spend({ userId: "ada", amount: 7, reference: "turn 1" }), 7)
        assert.deepStrictEqual(yield* numbers, [15, 7, 8])
        yield* TestClock.adjust("999 millis")
        assert.deepStrictEqual(yield* numbers, [15, 7, 8])
        yield* TestClock.adjust("1 millis")
        assert.deepStrictEqual(yield* numbers, [10, 2, 8])
        assert.strictEqual(yield* credits.spend({ userId: "ada", amount: 100, reference: "turn 2" }), 8)
        assert.deepStrictEqual(yield* numbers, [10, 10, 0])
      })
    )
  )

  it.scoped("distinguishes an account with expired packs from one without packs", () =>
    withRules(
      Effect.gen(function* () {
        const credits = yield* Credits.Credits
        yield* credits.addPack({ userId: "ada", size: 10, source: "initial", expiresAt: 1000 })
        yield* TestClock.adjust("1 second")
        assert.deepStrictEqual(yield* numbers, [0, 0, 0])
        assert.match(Option.getOrThrow(yield* (yield* Metering.Metering).refusal("ada")), /used up/)
      })
    )
  )

  it.scoped("charges a reference once and never more than the balance, also concurrently", () =>
    withRules(
      Effect.gen(function* () {
        const credits = yield* Credits.Credits
        yield* credits.addPack({ userId: "ada", size: 10, source: "initial" })
        yield* credits.addPack({ userId: "ada", size: 20, source: "initial" })
        const uses = Array.from({ length: 100 }, (_, nth) => ({
          userId: "ada",
          amount: 4,
          reference: `turn ${nth % 20}`
        }))
        const taken = yield* Effect.forEach(uses, credits.spend, { concurrency: "unbounded" })
        assert.strictEqual(
          taken.reduce((sum, each) => sum + each),
          30
        )
        assert.deepStrictEqual(yield* numbers, [30, 30, 0])
      })
    )
  )

  it.scoped("has an append-only ledger", () =>
    withRules(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* (yield* Credits.Credits).addPack({ userId: "ada", size: 10, source: "initial" })
        for (const change of ["UPDATE credit_ledger SET amount = 99", "DELETE FROM credit_ledger"]) {
          const refused = yield* Effect.flip(sql.unsafe(change))
          assert.include(String(refused.cause), "only ever added to")
        }
        assert.deepStrictEqual(yield* numbers, [10, 0, 10])
      })
    )
  )
})

describe("Metering", () => {
  const task = { taskId: TaskId.make("t") }
  const withTask = <A, E, R>(use: Effect.Effect<A, E, R>, options: Partial<ServerOptions> = {}) =>
    withRules(
      Effect.gen(function* () {
        const store = yield* TaskStore.TaskStore
        yield* store.insert({ ...task, clientId: "app", userId: "ada", name: "t", agent: "default" })
        return yield* use
      }),
      options
    )

  it.scoped("reserves the price of running turns, so one credit cannot pay for two", () =>
    withTask(
      Effect.gen(function* () {
        const metering = yield* Metering.Metering
        yield* (yield* Credits.Credits).addPack({ userId: "ada", size: 3, source: "initial" })
        const turns = Array.from({ length: 20 }, (_, nth) => ({ ...task, turnId: `turn ${nth}` }))
        const begun = yield* Effect.forEach(turns, metering.begin, { concurrency: "unbounded" })
        assert.strictEqual(begun.filter(Option.isNone).length, 3)
        assert.match(Option.getOrThrow(yield* metering.refusal("ada")), /Turns that still run/)
        yield* metering.end({ ...task, turnId: "turn 0", counts: false })
        assert.isTrue(Option.isNone(yield* metering.begin({ ...task, turnId: "turn 20" })))
        for (const turnId of ["turn 1", "turn 2", "turn 2", "turn 20"]) {
          yield* metering.end({ ...task, turnId, counts: true })
        }
        assert.deepStrictEqual(yield* numbers, [3, 3, 0])
        assert.match(Option.getOrThrow(yield* metering.begin({ ...task, turnId: "turn 21" })), /used up its credits/)
      })
    )
  )

  it.scoped("requires the full price of a turn, and no credits where turns are free or unmetered", () =>
    Effect.gen(function* () {
      const begin = Effect.gen(function* () {
        return Option.getOrNull(yield* (yield* Metering.Metering).begin({ ...task, turnId: "turn" }))
      })
      const end = Effect.flatMap(Metering.Metering, (metering) =>
        metering.end({ ...task, turnId: "turn", counts: true })
      )
      const give = Effect.flatMap(Credits.Credits, (credits) =>
        credits.addPack({ userId: "ada", size: 2, source: "initial" })
      )
      const dear = yield* withTask(Effect.zipRight(give, begin), { creditsPerTurn: 3 })
      assert.match(String(dear), /2 credits left, and a turn costs 3/)
      const free = yield* withTask(Effect.all([give, begin, end, numbers]), { creditsPerTurn: 0 })
      assert.deepStrictEqual(free.slice(1), [null, undefined, [2, 0, 2]])
      const uncounted = yield* withTask(Effect.all([begin, end, numbers]))
      assert.deepStrictEqual(uncounted, [null, undefined, [0, 0, null]])
    })
  )
})
