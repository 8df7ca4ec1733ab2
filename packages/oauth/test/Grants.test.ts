import { assert, describe, it } from "@effect/vitest"
import { OpenId } from "@heddle/core/domain/OpenId"
import { TokenSet } from "@heddle/oauth/TokenSet"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import { once } from "node:events"
import * as TokenService from "./TokenService.ts"
import {
  aged,
  expired,
  stale,
  staleInBackground,
  setUp,
  setUpTwo,
  setUpStore,
  callAll,
  currentOf,
  refreshing,
  value,
  stored,
  expiredWhere,
  leasedByCrashed,
  ahead
} from "./support/GrantProcesses.ts"

/** With the secrets as plain values, which are compared: chai sees into no Redacted. */
const encode = Schema.encodeSync(TokenSet)

describe.concurrent("races", { timeout: 60_000 }, () => {
  it.scopedLive("50 fibers in each of two processes cause one refresh, and all get its token", () =>
    Effect.gen(function* () {
      const { grants, other, service } = yield* setUpTwo
      for (let round = 1; round <= 5; round += 1) {
        yield* grants.save("g", aged(expired, { refreshToken: Redacted.make(service.state.valid) }))
        const tokens = yield* callAll([grants, other], 100, currentOf)
        assert.deepStrictEqual(new Set(tokens.map(value)), new Set([`a-${round}`]))
        assert.lengthOf(service.asked, round)
        const { refreshToken: next } = yield* stored(other)
        assert.strictEqual(next && value(next), service.state.valid)
      }
    })
  )

  it.scopedLive("fibers of one process take one lease", () =>
    Effect.gen(function* () {
      let leases = 0
      const { grants } = yield* setUpStore((use, name) => {
        if (name === "lease") leases += 1
        return use
      })
      yield* grants.save("g", aged(expired))
      yield* callAll([grants], 50, currentOf)
      assert.strictEqual(leases, 1)
    })
  )

  it.scopedLive("many 401 for one token cause one refresh", () =>
    Effect.gen(function* () {
      const { grants, other, service } = yield* setUpTwo
      yield* grants.save("g", aged(0))
      const refused = Redacted.make("a-0")
      const tokens = yield* callAll([grants, other], 100, (each, n) =>
        Effect.delay(each.accessToken("g").renew(refused), n)
      )
      assert.deepStrictEqual(new Set(tokens.map(value)), new Set(["a-1"]))
      assert.lengthOf(service.asked, 1)
    })
  )

  it.scopedLive("a sent refresh is finished and stored after its caller was interrupted", () =>
    Effect.gen(function* () {
      const { grants, service } = yield* setUp
      yield* grants.save("g", aged(expired))
      const caller = yield* refreshing(service, grants)
      yield* Fiber.interrupt(caller)
      assert.strictEqual(value(yield* currentOf(grants)), "a-1")
      assert.lengthOf(service.asked, 1)
    })
  )

  it.scopedLive("a sent refresh is stored before the process ends", () =>
    Effect.gen(function* () {
      const { grants, open, service } = yield* setUp
      const scope = yield* Scope.make()
      const ending = yield* Scope.extend(open, scope)
      yield* grants.save("g", aged(expired))
      yield* refreshing(service, ending)
      yield* Scope.close(scope, Exit.void)
      assert.strictEqual(value((yield* stored(grants)).accessToken), "a-1")
      assert.strictEqual(value(yield* currentOf(grants)), "a-1")
      assert.lengthOf(service.asked, 1)
    })
  )

  it.scopedLive("the lease of a crashed process is taken over in ten seconds", () =>
    Effect.gen(function* () {
      const { grants, now, service } = yield* leasedByCrashed
      assert.strictEqual(value(yield* currentOf(grants)), "a-1")
      assert.isAtLeast(Date.now() - now, 10_000)
      assert.lengthOf(service.asked, 1)
    })
  )

  it.scopedLive("a process whose clock is 90 seconds ahead waits for a refresh that takes seven", () =>
    Effect.gen(function* () {
      const { grants, other, service } = yield* setUpTwo
      yield* grants.save("g", aged(expired))
      service.state.delay = 7_000
      const first = yield* refreshing(service, grants)
      assert.strictEqual(value(yield* Effect.withClock(currentOf(other), ahead(90_000))), "a-1")
      assert.strictEqual(value(yield* Fiber.join(first)), "a-1")
      assert.lengthOf(service.asked, 1)
    })
  )

  it.scopedLive("a user who connects again during a refresh keeps the new tokens", () =>
    Effect.gen(function* () {
      const { grants, service } = yield* setUp
      yield* grants.save("g", aged(expired))
      const answer = yield* TokenService.holdAnswers(service)
      const caller = yield* refreshing(service, grants)
      const fresh = new TokenSet({ ...aged(0), accessToken: Redacted.make("a-new") })
      yield* grants.save("g", fresh)
      yield* answer
      assert.strictEqual(value(yield* Fiber.join(caller)), "a-new")
      assert.deepStrictEqual(encode(yield* stored(grants)), encode(fresh))
    })
  )
})

describe.concurrent("the end of a grant", { timeout: 60_000 }, () => {
  it.scopedLive("is found once for all processes, with no further request", () =>
    Effect.gen(function* () {
      const { grants, other, service } = yield* setUpTwo
      service.state.behaviour = "invalidGrant"
      yield* grants.save("g", aged(expired))
      const all = yield* callAll([grants, other], 40, (each) => Effect.flip(currentOf(each)))
      assert.deepStrictEqual(new Set(all.map((error) => error._tag)), new Set(["Reauthorize"]))
      const told = all.filter((error) => error._tag === "Reauthorize" && error.status !== undefined)
      assert.deepInclude({ ...told[0] }, { status: 400, requestId: "trace-1", description: "bad [redacted]" })
      assert.strictEqual((yield* Effect.flip(currentOf(other)))._tag, "Reauthorize")
      assert.lengthOf(service.asked, 1)
      const { dead } = Option.getOrThrow(yield* grants.describe("g"))
      assert.isTrue(Option.isSome(dead))
      yield* grants.save("g", aged(0))
      assert.strictEqual(value(yield* currentOf(other)), "a-0")
      assert.isTrue(Option.isNone(Option.getOrThrow(yield* grants.describe("g")).dead))
    })
  )

  it.scopedLive("is prevented by a renewal of another process", () =>
    Effect.gen(function* () {
      const { grants, service } = yield* expiredWhere("invalidGrant")
      const answer = yield* TokenService.holdAnswers(service)
      const caller = yield* refreshing(service, grants)
      assert.isTrue(
        yield* grants.store.replace("g", 1, new TokenSet({ ...aged(0), accessToken: Redacted.make("a-9") }))
      )
      yield* answer
      assert.strictEqual(value(yield* Fiber.join(caller)), "a-9")
    })
  )

  it.scopedLive("is Reauthorize where no account is connected or no refresh token exists", () =>
    Effect.gen(function* () {
      const { grants, service } = yield* setUp
      assert.strictEqual((yield* Effect.flip(currentOf(grants)))._tag, "Reauthorize")
      assert.isTrue(Option.isNone(yield* grants.describe("g")))
      yield* grants.save("g", aged(stale, {}))
      assert.strictEqual(value(yield* currentOf(grants)), "a-0")
      yield* grants.save("g", aged(expired, {}))
      assert.strictEqual((yield* Effect.flip(currentOf(grants)))._tag, "Reauthorize")
      yield* grants.forget("g")
      assert.isTrue(Option.isNone(yield* grants.describe("g")))
      assert.lengthOf(service.asked, 0)
    })
  )
})

describe.concurrent("disconnecting", { timeout: 60_000 }, () => {
  it.scopedLive("revokes at the service and removes here, even if the service does not answer", () =>
    Effect.gen(function* () {
      const { grants, service } = yield* setUp
      yield* grants.save("g", aged(0))
      assert.isTrue(yield* grants.disconnect("g"))
      assert.deepInclude(Object.fromEntries(service.asked[0]?.form ?? []), {
        token: "r-0",
        token_type_hint: "refresh_token",
        client_id: "app"
      })
      assert.isTrue(Option.isNone(yield* grants.describe("g")))
      assert.isFalse(yield* grants.disconnect("g"))

      yield* grants.save("g", aged(0))
      service.state.behaviour = "unavailable"
      assert.isTrue(Either.isLeft(yield* Effect.either(grants.revoke("g"))))
      assert.isTrue(Option.isSome(yield* grants.describe("g")), "it can be revoked later")
      assert.isFalse(yield* grants.disconnect("g"))
      assert.isTrue(Option.isNone(yield* grants.describe("g")))
    })
  )
})

describe.concurrent("another account", { timeout: 60_000 }, () => {
  it.scopedLive("is not used for calls of the previous account, whose grant can be moved", () =>
    Effect.gen(function* () {
      const { grants } = yield* setUp
      const [before, after] = [OpenId.make("o-1"), OpenId.make("o-2")]
      const of = (openId: OpenId, name: string) =>
        new TokenSet({ ...aged(0), accessToken: Redacted.make(name), openId })
      yield* grants.save("g", of(before, "a-before"))
      assert.strictEqual(value(yield* grants.accessToken("g", before).current), "a-before")
      assert.isTrue(yield* grants.move("g", "aside"))
      assert.isFalse(yield* grants.move("g", "aside"), "there is none any more")
      assert.isFalse(yield* grants.isSame("g", "aside"))
      yield* grants.save("g", yield* Effect.succeed(of(before, "a-before")))
      assert.isTrue(yield* grants.isSame("g", "aside"))
      yield* grants.save("g", of(after, "a-after"))
      assert.isFalse(yield* grants.isSame("g", "nobody"))
      for (const call of ["current", "renew"] as const) {
        const bound = grants.accessToken("g", before)
        const error = yield* Effect.flip(call === "current" ? bound.current : bound.renew(Redacted.make("a-before")))
        assert.strictEqual(error._tag, "Reauthorize")
      }
      assert.strictEqual(value(yield* currentOf(grants)), "a-after")
      assert.strictEqual(value(yield* grants.accessToken("aside", before).current), "a-before")
    })
  )
})

describe.concurrent("a stale token", { timeout: 60_000 }, () => {
  it.scopedLive("is renewed before it expires", () =>
    Effect.gen(function* () {
      const { grants, service } = yield* setUp
      yield* grants.save("g", aged(stale))
      assert.strictEqual(value(yield* currentOf(grants)), "a-1")
      assert.lengthOf(service.asked, 1)
    })
  )

  it.scopedLive("is used at once while enough time is left, and renewed in the background", () =>
    Effect.gen(function* () {
      const { grants, service } = yield* setUp
      service.state.delay = 200
      const asked = once(service.server, "request")
      yield* grants.save("g", aged(staleInBackground))
      const tokens = yield* callAll([grants], 20, currentOf)
      assert.deepStrictEqual(new Set(tokens.map(value)), new Set(["a-0"]))
      yield* Effect.promise(() => asked)
      assert.strictEqual(value(yield* grants.accessToken("g").renew(Redacted.make("a-0"))), "a-1")
      assert.lengthOf(service.asked, 1)
    })
  )
})
