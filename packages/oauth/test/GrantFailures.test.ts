import { assert, describe, it } from "@effect/vitest"
import type { AccessToken } from "@heddle/core/AccessToken"
import * as Metrics from "@heddle/oauth/Metrics"
import * as TokenStore from "@heddle/oauth/TokenStore"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Metric from "effect/Metric"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import * as TestClock from "effect/TestClock"
import {
  aged,
  expired,
  stale,
  setUp,
  setUpTwo,
  setUpStore,
  callAll,
  currentOf,
  refreshing,
  value,
  stored,
  expiredWhere,
  leasedByCrashed
} from "./support/GrantProcesses.ts"

describe.concurrent("a failing service", { timeout: 60_000 }, () => {
  it.scopedLive("ends no grant: a valid token stays in use, an expired one fails with the error of the service", () =>
    Effect.gen(function* () {
      const { grants, service } = yield* setUp
      const { current }: Context.Tag.Service<AccessToken> = grants.accessToken("g")
      for (const [behaviour, tag] of [
        ["unavailable", "ServiceFailure"],
        ["invalidClient", "InvalidClient"]
      ] as const) {
        service.state.behaviour = behaviour
        yield* grants.save("g", aged(expired))
        assert.strictEqual((yield* Effect.flip(current))._tag, tag)
        yield* grants.save("g", aged(stale))
        assert.strictEqual(value(yield* current), "a-0")
        const asked = service.asked.length
        assert.strictEqual(value(yield* current), "a-0")
        assert.lengthOf(service.asked, asked)
        assert.isTrue(Option.isNone(Option.getOrThrow(yield* grants.describe("g")).dead))
      }
    })
  )

  it.scopedLive("gets no request for a while after it refused the application", () =>
    Effect.gen(function* () {
      const { grants, service } = yield* expiredWhere("invalidClient")
      yield* grants.save("h", aged(expired))
      for (const id of ["g", "h", "g"]) {
        assert.strictEqual((yield* Effect.flip(grants.accessToken(id).current))._tag, "InvalidClient")
      }
      assert.lengthOf(service.asked, 1)
    })
  )

  it.scopedLive("gets the same refresh token again after a while", () =>
    Effect.gen(function* () {
      const { grants, service } = yield* expiredWhere("unavailable")
      yield* Effect.flip(currentOf(grants))
      service.state.behaviour = "omit"
      // Not at once: a service that fails is left alone for a second, and then ever longer.
      assert.strictEqual((yield* Effect.flip(currentOf(grants)))._tag, "ServiceFailure")
      assert.lengthOf(service.asked, 1)
      const recovered = yield* Effect.retry(currentOf(grants), Schedule.spaced("100 millis"))
      assert.strictEqual(value(recovered), "a-1")
      assert.lengthOf(service.asked, 2)
      const { refreshToken } = yield* stored(grants)
      assert.strictEqual(refreshToken && value(refreshToken), "r-0")
    })
  )
})

describe.concurrent("a service that refuses every new token", { timeout: 60_000 }, () => {
  it.scopedLive("is asked for one refresh by a hundred refused calls", () =>
    Effect.gen(function* () {
      const { grants, service } = yield* setUp
      yield* grants.save("g", aged(0))
      const { current, refusedAgain, renew }: Context.Tag.Service<AccessToken> = grants.accessToken("g")
      for (let call = 0; call < 100; call += 1) {
        const refused = yield* current
        const renewed = yield* renew(refused)
        if (value(renewed) !== value(refused)) yield* refusedAgain!(renewed)
      }
      assert.lengthOf(service.asked, 1)
    })
  )

  it.scoped("gives a new token after five seconds, however many calls it refused at once", () =>
    Effect.gen(function* () {
      const { grants, service } = yield* setUp
      yield* grants.save("g", aged(0))
      yield* callAll([grants], 100, (process) => {
        const { current, refusedAgain, renew }: Context.Tag.Service<AccessToken> = process.accessToken("g")
        return Effect.flatMap(Effect.flatMap(current, renew), refusedAgain!)
      })
      assert.lengthOf(service.asked, 1)
      yield* TestClock.adjust("5 seconds")
      const { current, renew } = grants.accessToken("g")
      assert.strictEqual(value(yield* Effect.flatMap(current, renew)), "a-2")
    })
  )
})

describe.concurrent("a lost answer", { timeout: 60_000 }, () => {
  it.scopedLive("is requested again, and a service with a grace period repeats it", () =>
    Effect.gen(function* () {
      const { grants, other, service } = yield* setUpTwo
      service.state.behaviour = "rotateWithReplay"
      service.state.lost = 2
      yield* grants.save("g", aged(expired))
      const tokens = yield* callAll([grants, other], 40, currentOf)
      assert.deepStrictEqual(new Set(tokens.map(value)), new Set(["a-1"]))
      assert.lengthOf(service.asked, 3)
      const { refreshToken } = yield* stored(grants)
      assert.strictEqual(refreshToken && value(refreshToken), service.state.valid)
    })
  )

  it.scopedLive("replaced by a gateway error is requested again; a failure of the service itself is not", () =>
    Effect.gen(function* () {
      for (const [status, asked] of [
        [502, 2],
        [504, 2],
        [500, 1]
      ] as const) {
        const { grants, service } = yield* setUp
        service.state.behaviour = "rotateWithReplay"
        Object.assign(service.state, { lost: 1, lostAs: status })
        yield* grants.save("g", aged(expired))
        const { current } = grants.accessToken("g")
        if (status === 500) assert.propertyVal(yield* Effect.flip(current), "_tag", "OutcomeUnknown")
        else assert.strictEqual(value(yield* current), "a-1")
        assert.lengthOf(service.asked, asked)
      }
    })
  )

  it.scopedLive("that the service does not repeat ends the grant with that reason", () =>
    Effect.gen(function* () {
      const { grants, service } = yield* setUp
      service.state.lost = 1
      yield* grants.save("g", aged(expired))
      const error = yield* Effect.flip(currentOf(grants))
      assert.strictEqual(error._tag, "Reauthorize")
      assert.include(error.message, "rotation_response_lost")
      assert.lengthOf(service.asked, 2)
      const counted = yield* Metric.value(Metric.tagged(Metrics.refreshes, "outcome", "rotation_response_lost"))
      assert.isAtLeast(counted.count, 1)
    })
  )

  it.scopedLive("of a crashed process is known to the process that takes over", () =>
    Effect.gen(function* () {
      const { grants, service } = yield* leasedByCrashed
      service.state.valid = "r-of-the-crashed"
      const error = yield* Effect.flip(currentOf(grants))
      assert.include(error.message, "rotation_response_lost")
    })
  )

  it.scopedLive("of a process that crashed while this one waited for its lease is known, too", () =>
    Effect.gen(function* () {
      const crashedLease = { owner: "crashed" }
      let crash: Effect.Effect<unknown> = Effect.void
      // The other process takes the lease after this one has read the grant.
      const { grants, memory, service } = yield* setUpStore((use, name) =>
        name === "lease" ? Effect.zipRight(crash, use) : use
      )
      yield* grants.save("g", aged(expired))
      crash = yield* Effect.once(Effect.orDie(memory.lease("g", 1, crashedLease)))
      service.state.valid = "r-of-the-crashed"
      const error = yield* Effect.flip(currentOf(grants))
      assert.include(error.message, "rotation_response_lost")
    })
  )
})

describe.concurrent("a failing store", { timeout: 60_000 }, () => {
  it.scopedLive("loses no new tokens: they are stored before any caller gets them", () =>
    Effect.gen(function* () {
      const failures = new Map([
        ["get", 2],
        ["replace", 3]
      ])
      const { grants, memory, service } = yield* setUpStore((use, name) =>
        Effect.suspend(() => {
          const left = failures.get(name) ?? 0
          failures.set(name, left - 1)
          return left > 0 ? Effect.fail(new TokenStore.TokenStoreUnavailable({ reason: "down" })) : use
        })
      )
      yield* grants.save("g", aged(expired))
      assert.strictEqual(value(yield* currentOf(grants)), "a-1")
      const kept = Option.getOrThrow(Option.getOrThrow(yield* memory.get("g")).tokens)
      assert.strictEqual(kept.refreshToken && value(kept.refreshToken), "r-1")
      assert.lengthOf(service.asked, 1)
    })
  )
})

describe.concurrent("a store that is away", { timeout: 60_000 }, () => {
  it.scopedLive(
    "for longer than a lease loses no tokens: the process that takes over waits for the owner to write",
    () =>
      Effect.gen(function* () {
        let away = false
        const gone = new TokenStore.TokenStoreUnavailable({ reason: "away" })
        const {
          grants: owner,
          memory,
          open,
          service
        } = yield* setUpStore((use, name) =>
          Effect.suspend(() => (away && ["get", "lease", "replace"].includes(name) ? Effect.fail(gone) : use))
        )
        const other = yield* open
        yield* owner.save("g", aged(expired))
        const first = yield* refreshing(service, owner)
        away = true
        // Its owner keeps the new tokens, and hands them out though nothing can be stored.
        assert.strictEqual(value(yield* Fiber.join(first)), "a-1")
        assert.strictEqual(value(yield* currentOf(owner)), "a-1")
        assert.strictEqual(Option.getOrThrow(yield* memory.get("g")).refresh, "leased")
        away = false
        const late = yield* currentOf(other)
        assert.strictEqual(value(late), "a-1")
        assert.lengthOf(service.asked, 1)
      })
  )
})
