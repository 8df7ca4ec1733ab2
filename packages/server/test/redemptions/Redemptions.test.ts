import * as SqlClient from "@effect/sql/SqlClient"
import { assert, describe, it } from "@effect/vitest"
import { RedemptionRequest } from "@heddle/core/domain/Redemption"
import * as Accounts from "@heddle/server/accounts/Accounts"
import * as Applications from "@heddle/server/oauth/Applications"
import * as Credits from "@heddle/server/credits/Credits"
import * as OpenIds from "@heddle/server/accounts/OpenIds"
import * as RedemptionCodes from "@heddle/server/redemptions/RedemptionCodes"
import * as Redemptions from "@heddle/server/redemptions/Redemptions"
import { ServerConfig } from "@heddle/server/config/ServerConfig"
import { settings } from "@heddle/server/config/ServerOptions"
import * as Storage from "@heddle/server/sql/Storage"
import type { Owner } from "@heddle/server/tasks/TaskStore"
import * as Cause from "effect/Cause"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/TestClock"
import * as TestServer from "../support/TestServer.ts"

describe("Redemptions", () => {
  const withRules = <A, E, R>(use: (owner: Owner) => Effect.Effect<A, E, R>) =>
    Effect.gen(function* () {
      const dataDir = yield* TestServer.dataDir
      const { withPort } = yield* settings({ dataDir })
      const layer = Layer.mergeAll(Accounts.layer, Applications.layer, RedemptionCodes.layer, Redemptions.layer).pipe(
        Layer.provideMerge(Layer.mergeAll(Credits.layer, OpenIds.layer)),
        Layer.provideMerge(Layer.mergeAll(Storage.layer(dataDir), Layer.succeed(ServerConfig, withPort(1))))
      )
      return yield* Effect.gen(function* () {
        const { clientId } = yield* (yield* Applications.Applications).create({ name: "Loom", redirectUris: [] })
        const { userId } = yield* (yield* Accounts.Accounts).create({ name: "Bea" })
        return yield* use({ clientId, userId })
      }).pipe(Effect.provide(layer))
    })

  const redeem = (owner: Owner, code: Redacted.Redacted, requestId: string) =>
    Effect.flatMap(Redemptions.Redemptions, (redemptions) =>
      redemptions.redeem(owner, new RedemptionRequest({ code, requestId }))
    )
  const codes = (batch: RedemptionCodes.Batch) =>
    Effect.flatMap(RedemptionCodes.RedemptionCodes, (service) => service.create(batch))

  it.scoped("ends a code at its stated expiry", () =>
    withRules((owner) =>
      Effect.gen(function* () {
        const [soon = Redacted.make(""), late = soon] = yield* codes({ credits: 1, count: 2, expiresIn: "1 day" })
        yield* TestClock.adjust(Duration.subtract("1 day", "1 millis"))
        assert.include(yield* redeem(owner, soon, "request-1"), "success")
        yield* TestClock.adjust("1 millis")
        const refused = yield* Effect.flip(redeem(owner, late, "request-2"))
        assert.strictEqual(refused._tag, "InvalidGrant")
        assert.include(refused.message, "expired")
      })
    )
  )

  it.scoped("allows five failures in any ten minutes (decision 95)", () =>
    withRules((owner) =>
      Effect.gen(function* () {
        const guess = (nth: number) => Effect.flip(redeem(owner, Redacted.make("a guess"), `request-${nth}`))
        for (let nth = 0; nth < 5; nth++) {
          assert.strictEqual((yield* guess(nth))._tag, "NotFound")
          yield* TestClock.adjust("1 minute")
        }
        const limited = yield* guess(5)
        assert.strictEqual(limited._tag === "RateLimited" ? limited.retryAfter : 0, 300)
        yield* TestClock.adjust("299 seconds")
        assert.strictEqual((yield* guess(5))._tag, "RateLimited")
        yield* TestClock.adjust("1 second")
        assert.strictEqual((yield* guess(5))._tag, "NotFound")
        assert.strictEqual((yield* guess(6))._tag, "RateLimited")
      })
    )
  )

  it.scoped("a clock that is set back two hours locks out no one who guessed", () =>
    withRules((owner) =>
      Effect.gen(function* () {
        yield* TestClock.adjust("1 day")
        const [code = Redacted.make("")] = yield* codes({ credits: 1 })
        for (let nth = 0; nth < 5; nth++) yield* Effect.flip(redeem(owner, Redacted.make("a guess"), `request-${nth}`))
        assert.strictEqual((yield* Effect.flip(redeem(owner, code, "request-5")))._tag, "RateLimited")
        yield* TestClock.setTime(Duration.toMillis("22 hours"))
        assert.include(yield* redeem(owner, code, "request-5"), '"credits":1')
      })
    )
  )

  it.scoped("stores request ids for 30 days (contract decision 89)", () =>
    withRules((owner) =>
      Effect.gen(function* () {
        const [code = Redacted.make("")] = yield* codes({ credits: 1 })
        const first = yield* redeem(owner, code, "request-1")
        yield* TestClock.adjust(Duration.subtract("30 days", "1 millis"))
        assert.strictEqual(yield* redeem(owner, code, "request-1"), first)
        yield* TestClock.adjust("1 millis")
        assert.include((yield* Effect.flip(redeem(owner, code, "request-1"))).message, "already")
      })
    )
  )

  it.scoped("stores no internal error and changes no data: the same request succeeds later (decision 96)", () =>
    withRules((owner) =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const credits = yield* Credits.Credits
        const [code = Redacted.make("")] = yield* codes({ credits: 40 })
        yield* sql`CREATE TRIGGER breakdown BEFORE INSERT ON credit_ledger BEGIN SELECT RAISE(ABORT, 'disk'); END`
        const broken = yield* Effect.exit(redeem(owner, code, "request-1"))
        assert.isTrue(Exit.isFailure(broken) && Cause.isDie(broken.cause))
        assert.strictEqual((yield* credits.quota(owner.userId)).total, 0)
        yield* sql`DROP TRIGGER breakdown`
        assert.include(yield* redeem(owner, code, "request-1"), "success")
        assert.strictEqual((yield* credits.quota(owner.userId)).total, 40)
      })
    )
  )
})

describe("RedemptionCodes", () => {
  it.scopedLive("refuses invalid numbers of credits and uses", () =>
    Effect.gen(function* () {
      const server = yield* TestServer.make()
      const wrong = [
        { credits: 0 },
        { credits: 1.5 },
        { credits: -3 },
        { credits: 1, count: 0 },
        { credits: 1, count: 10_001 },
        { credits: 1, uses: 0 },
        { credits: 1, expiresIn: 0 }
      ]
      for (const batch of wrong) {
        const refused = yield* Effect.flip(server.redemptionCodes.create(batch))
        assert.match(refused.message, /must be/)
      }
      const codes = yield* server.redemptionCodes.create({ credits: 1, count: 1000 })
      assert.strictEqual(new Set(codes.map((code) => Redacted.value(code))).size, 1000)
    })
  )
})
