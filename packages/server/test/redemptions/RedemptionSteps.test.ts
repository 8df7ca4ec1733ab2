import { assert, describe, it } from "@effect/vitest"
import { RedemptionRequest } from "@heddle/core/domain/Redemption"
import { Credits } from "@heddle/server/credits/Credits"
import { RedemptionCodes } from "@heddle/server/redemptions/RedemptionCodes"
import { Redemptions } from "@heddle/server/redemptions/Redemptions"
import type { Owner } from "@heddle/server/tasks/TaskStore"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/TestClock"
import { withAllRules } from "../support/AllRules.ts"

const none = Redacted.make("")

const redeem = (owner: Owner, code: Redacted.Redacted, requestId: string) =>
  Effect.flatMap(Redemptions, (redemptions) => redemptions.redeem(owner, new RedemptionRequest({ code, requestId })))

const codes = (batch: { readonly credits: number; readonly count?: number; readonly uses?: number }) =>
  Effect.flatMap(RedemptionCodes, (service) => service.create(batch))

const total = (userId: string) =>
  Effect.flatMap(Credits, (credits) => Effect.map(credits.quota(userId), ({ total }) => total))

const guess = (owner: Owner, nth: number) => Effect.flip(redeem(owner, Redacted.make("a guess"), `a-guess-${nth}`))

describe("of two users, applications and requests", () => {
  it.scoped("a code with two uses serves each user once, also through two applications", () =>
    withAllRules({}, ({ clientId, otherClientId }) =>
      Effect.gen(function* () {
        const [code = none] = yield* codes({ credits: 5, uses: 2 })
        const ada = { clientId, userId: "ada" }
        assert.include(yield* redeem(ada, code, "request-1"), "success")
        assert.include((yield* Effect.flip(redeem(ada, code, "request-2"))).message, "already")
        const elsewhere = yield* Effect.flip(redeem({ ...ada, clientId: otherClientId }, code, "request-3"))
        assert.include(elsewhere.message, "already")
        assert.include(yield* redeem({ clientId, userId: "bea" }, code, "request-1"), "success")
        assert.deepStrictEqual([yield* total("ada"), yield* total("bea")], [5, 5])
      })
    )
  )

  it.scoped("a code is used as often as it can be, and then refused in words", () =>
    withAllRules({}, ({ clientId }) =>
      Effect.gen(function* () {
        const [code = none] = yield* codes({ credits: 5 })
        yield* redeem({ clientId, userId: "ada" }, code, "request-1")
        const refused = yield* Effect.flip(redeem({ clientId, userId: "bea" }, code, "request-1"))
        assert.include(refused.message, "as often as it can be")
      })
    )
  )

  it.scoped("a request id belongs to one user of one application", () =>
    withAllRules({}, ({ clientId, otherClientId }) =>
      Effect.gen(function* () {
        const [one = none, two = none, three = none] = yield* codes({ credits: 5, count: 3 })
        const ada = { clientId, userId: "ada" }
        const first = yield* redeem(ada, one, "request-1")
        assert.notStrictEqual(yield* redeem({ clientId: otherClientId, userId: "ada" }, two, "request-1"), first)
        assert.include(yield* redeem({ clientId, userId: "bea" }, three, "request-1"), "success")
        assert.strictEqual(yield* redeem(ada, one, "request-1"), first)
        const conflict = yield* Effect.flip(redeem(ada, two, "request-1"))
        assert.strictEqual(conflict._tag, "Conflict")
        assert.deepStrictEqual([yield* total("ada"), yield* total("bea")], [10, 5])
      })
    )
  )

  it.scoped("the secret of one voucher does not open another with the same secret", () =>
    withAllRules({}, ({ clientId }) =>
      Effect.gen(function* () {
        const [voucher] = yield* (yield* RedemptionCodes).createVouchers({ credits: 5 })
        const { giftCode, giftKey } = voucher ?? (yield* Effect.dieMessage("no voucher"))
        const redemptions = yield* Redemptions
        const ada = { clientId, userId: "ada" }
        const wrong = new RedemptionRequest({
          giftCode,
          giftKey: Redacted.make("AAAA-AAAA-AAAA-AAAA"),
          requestId: "request-1"
        })
        assert.strictEqual((yield* Effect.flip(redemptions.redeem(ada, wrong)))._tag, "NotFound")
        const right = new RedemptionRequest({ giftCode, giftKey, requestId: "request-2" })
        assert.include(yield* redemptions.redeem(ada, right), "success")
      })
    )
  )

  it.scoped("the guesses of one user do not limit another, and used codes count as guesses", () =>
    withAllRules({}, ({ clientId }) =>
      Effect.gen(function* () {
        const [code = none, good = none] = yield* codes({ credits: 5, count: 2 })
        const [ada, bea] = [
          { clientId, userId: "ada" },
          { clientId, userId: "bea" }
        ]
        yield* redeem(ada, code, "request-1")
        for (let nth = 0; nth < 2; nth++) yield* guess(ada, nth)
        for (let nth = 0; nth < 3; nth++) yield* Effect.flip(redeem(ada, code, `again-${nth}-x`))
        assert.strictEqual((yield* guess(ada, 9))._tag, "RateLimited")
        assert.include(yield* redeem(bea, good, "request-1"), "success")
      })
    )
  )

  it.scoped("the newest five of more guesses decide how long to wait", () =>
    withAllRules({}, ({ clientId }) =>
      Effect.gen(function* () {
        const ada = { clientId, userId: "ada" }
        // Nine minutes for the first one; the next come ten minutes after it.
        yield* guess(ada, 0)
        yield* TestClock.adjust("9 minutes")
        for (let nth = 1; nth <= 4; nth++) yield* guess(ada, nth)
        yield* TestClock.adjust("1 minute")
        assert.strictEqual((yield* guess(ada, 5))._tag, "NotFound")
        const limited = yield* guess(ada, 6)
        assert.strictEqual(limited._tag === "RateLimited" ? limited.retryAfter : 0, 540)
      })
    )
  )

  it.scoped("a first answer is repeated, also a refusal", () =>
    withAllRules({}, ({ clientId }) =>
      Effect.gen(function* () {
        const ada = { clientId, userId: "ada" }
        const [code = none] = yield* codes({ credits: 5 })
        yield* redeem({ clientId, userId: "bea" }, code, "request-1")
        const first = yield* Effect.flip(redeem(ada, code, "request-1"))
        const again = yield* Effect.flip(redeem(ada, code, "request-1"))
        assert.deepStrictEqual([again._tag, again.message], [first._tag, first.message])
      })
    )
  )
})
