import * as SqlClient from "@effect/sql/SqlClient"
import { assert, describe, it } from "@effect/vitest"
import * as Database from "@heddle/server/sql/Database"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import { afterAll } from "vitest"
import * as Redeemers from "../support/Redeemers.ts"
import * as TestServer from "../support/TestServer.ts"

const oneCode = (server: TestServer.TestServer, uses = 1) =>
  Effect.map(server.redemptionCodes.create({ credits: 50, uses }), ([code]) =>
    Redacted.value(code ?? Redacted.make(""))
  )

/** The users that credits were issued to by redemption, and how many. */
const issued = (dataDir: string) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql<{ userId: string; amount: number }>`SELECT l.user_id AS "userId", l.amount AS amount
      FROM credit_ledger l JOIN credit_packs p ON p.pack_id = l.pack_id
      WHERE l.kind = 'issued' AND p.source = 'redemption'`
  ).pipe(Effect.provide(Database.layer(dataDir)))

/** A hundred requests with ten request ids for one code. */
const hundred = <A extends object>(code: string, more: A) =>
  Array.from({ length: 100 }, (_, nth) => ({ ...more, body: { code, request_id: `request-${nth % 10}` } }))

const count = (answers: ReadonlyArray<Redeemers.Said>, word: string) =>
  answers.filter(({ said }) => said === word).length

/** One id redeems, five learn that the code is used, the others nothing; each id gets the same answer ten times. */
const isOneIssue = (answers: ReadonlyArray<Redeemers.Said>) => {
  assert.deepStrictEqual(
    {
      success: count(answers, "success"),
      used: count(answers, "invalid_grant"),
      limited: count(answers, "rate_limited")
    },
    { success: 10, used: 50, limited: 40 }
  )
  const successes = answers.filter(({ said }) => said === "success")
  assert.strictEqual(new Set(successes.map(({ text }) => text)).size, 1)
  assert.strictEqual(new Set(successes.map(({ id }) => id)).size, 1)
  const words = new Set(answers.filter(({ said }) => said === "invalid_grant").map(({ text }) => text))
  assert.deepStrictEqual([...words], ["You have redeemed this already; nothing was credited again."])
}

describe("redemption from four processes", { timeout: 60_000 }, () => {
  const scope = Effect.runSync(Scope.make())
  // The same four for all tests: they take work as often as it comes.
  const { redeem } = Effect.runSync(Scope.extend(Redeemers.start(4), scope))
  afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

  it.scopedLive("issues credits once for concurrent HTTP requests", () =>
    Effect.gen(function* () {
      const server = yield* TestServer.make()
      const token = yield* server.grantTo("Loom", "Bea")
      const code = yield* oneCode(server)
      isOneIssue(yield* redeem({ url: server.url }, hundred(code, { token })))
      const entries = yield* issued(server.dataDir)
      assert.deepStrictEqual(
        entries.map(({ amount }) => amount),
        [50]
      )
    })
  )

  it.scopedLive("issues credits once for concurrent database writers", () =>
    Effect.gen(function* () {
      const server = yield* TestServer.make()
      const { userId } = yield* server.accounts.ensure({ name: "Bea" })
      const code = yield* oneCode(server)
      const owner = { clientId: server.clientId, userId }
      isOneIssue(yield* redeem({ dataDir: server.dataDir }, hundred(code, { owner })))
      assert.deepStrictEqual(yield* issued(server.dataDir), [{ userId, amount: 50 }])
    })
  )

  it.scopedLive("allows exactly three of ten users to redeem a code with three uses", () =>
    Effect.gen(function* () {
      const server = yield* TestServer.make()
      const users = yield* Effect.forEach(Array.from({ length: 10 }), (_, nth) =>
        server.accounts.ensure({ name: `user ${nth}` })
      )
      const code = yield* oneCode(server, 3)
      // Everyone tries twice, with two request ids.
      const requests = [...users, ...users].map(({ userId }, nth) => ({
        owner: { clientId: server.clientId, userId },
        body: { code, request_id: `request-${nth}` }
      }))
      const answers = yield* redeem({ dataDir: server.dataDir }, requests)
      assert.strictEqual(count(answers, "success"), 3)
      assert.strictEqual(count(answers, "invalid_grant"), 17)
      const entries = yield* issued(server.dataDir)
      assert.strictEqual(new Set(entries.map(({ userId }) => userId)).size, 3)
      assert.strictEqual(entries.length, 3)
    })
  )
})
