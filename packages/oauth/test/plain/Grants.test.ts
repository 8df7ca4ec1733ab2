import { assert, describe, it } from "@effect/vitest"
import * as RetryPolicy from "@heddle/core/RetryPolicy"
import type { FaultRule } from "@heddle/plain-service"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as PlainApplication from "./PlainApplication.ts"

const { start } = PlainApplication

const onToken = (fault: Pick<FaultRule, "effect" | "when" | "times">): FaultRule => ({ path: /token$/, ...fault })

/** A clock that stands still, so that a slow machine does not end a wait. */
const stopped = () => {
  const now = Date.now()
  return Object.assign(Clock.make(), {
    unsafeCurrentTimeMillis: () => now,
    unsafeCurrentTimeNanos: () => BigInt(now) * 1_000_000n
  })
}

describe.concurrent("an account at a service that knows the document alone", () => {
  it.scopedLive("is connected with the scopes that its user granted, until it is disconnected", () =>
    Effect.gen(function* () {
      const { connect, grants, profile } = yield* start({ withheldScopes: ["user.task.invokable"] })
      const tokens = yield* connect
      assert.strictEqual((yield* profile).nickname, "ada")
      const { openId, scopes } = Option.getOrThrow(yield* grants.describe("u"))
      assert.isTrue(scopes?.has("user.task.readable"))
      assert.isFalse(scopes?.has("user.task.invokable"))
      assert.strictEqual(openId, tokens.openId)
      assert.isFalse(yield* grants.disconnect("u"), "the document has no revocation")
      assert.strictEqual((yield* Effect.flip(profile))._tag, "Reauthorize")
    })
  )

  it.scopedLive("is not connected when its user or the service refuses", () =>
    Effect.gen(function* () {
      const { authorize, exchange, service, tokenRequests } = yield* start({ consent: "deny" })
      assert.strictEqual((yield* Effect.flip(authorize))._tag, "AccessDenied")
      service.setReadings({ consent: "auto" })
      const code = yield* authorize
      service.setReadings({ applicationActive: false })
      assert.strictEqual((yield* Effect.flip(exchange(code)))._tag, "InvalidClient")
      service.setReadings({ applicationActive: true })
      yield* exchange(code)
      assert.strictEqual((yield* Effect.flip(exchange(code)))._tag, "InvalidGrant")
      assert.lengthOf(tokenRequests(), 3)
    })
  )

  for (const refresh of ["keeps", "rotates"] as const) {
    it.scopedLive(`stays connected while the service ${refresh} refresh tokens`, () =>
      Effect.gen(function* () {
        const { connect, grants, profile, service } = yield* start({ refresh, refreshEndsAccess: true })
        yield* connect
        for (const unauthorized of ["empty", "invalid_token", "Unauthorized", "envelope", "text"] as const) {
          service.setReadings({ unauthorized })
          service.revokeTokens("access")
          assert.strictEqual((yield* profile).nickname, "ada", unauthorized)
        }
        service.revokeTokens("all")
        assert.strictEqual((yield* Effect.flip(profile))._tag, "Reauthorize")
        assert.isTrue(Option.isSome(Option.getOrThrow(yield* grants.describe("u")).dead))
      })
    )
  }

  for (const body of ["", "Unauthorized", { error: "invalid_token" }, { error: "Unauthorized" }, { code: 401 }]) {
    it.scopedLive(`thirty calls that are all refused cause one refresh (${JSON.stringify(body)})`, () =>
      Effect.gen(function* () {
        const { connect, profile, service, tokenRequests } = yield* start()
        yield* connect
        const before = tokenRequests().length
        service.addFault({ path: /profile$/, when: "before", effect: { status: 401, body }, times: Infinity })
        const calls = Array.from({ length: 30 }, () => Effect.flip(profile))
        for (const error of yield* Effect.withClock(Effect.all(calls, { concurrency: 10 }), stopped())) {
          assert.isTrue(RetryPolicy.isRefusedToken(error), error._tag)
        }
        assert.lengthOf(tokenRequests(), before + 1)
      })
    )
  }

  it.scopedLive("calls that began before a refresh go on after it, whether it ends the earlier token or not", () =>
    Effect.gen(function* () {
      for (const [refreshEndsAccess, status] of [
        [true, 401],
        [false, 200]
      ] as const) {
        const { connect, grants, profile, service, tokenRequests } = yield* start({ refreshEndsAccess })
        const { accessToken: earlier } = yield* connect
        const account = grants.accessToken("u")
        const renewed = yield* account.renew(earlier)
        const headers = { authorization: `Bearer ${Redacted.value(earlier)}` }
        const answer = yield* Effect.promise(() => fetch(`${service.url}/openapi/v2/user/profile`, { headers }))
        assert.strictEqual(answer.status, status)
        assert.strictEqual(Redacted.value(yield* account.renew(earlier)), Redacted.value(renewed))
        assert.strictEqual((yield* profile).nickname, "ada")
        assert.lengthOf(tokenRequests(), 2)
      }
    })
  )

  it.scopedLive("survives a lost refresh where refresh tokens are kept, and else has to be connected again", () =>
    Effect.gen(function* () {
      for (const [refresh, result] of [
        ["keeps", "ada"],
        ["rotates", "Reauthorize"]
      ] as const) {
        const { connect, profile, service } = yield* start({ refresh })
        yield* connect
        service.revokeTokens("access")
        service.addFault(onToken({ when: "after", effect: "reset" }))
        const ended = yield* Effect.match(profile, {
          onSuccess: ({ nickname }) => nickname,
          onFailure: ({ _tag }) => _tag
        })
        assert.strictEqual(ended, result)
      }
    })
  )
})

describe.concurrent("a token request", () => {
  it.scopedLive("is repeated after 429, as long as Retry-After says, else after a second", () =>
    Effect.gen(function* () {
      const waits = [{ status: 429 }, { status: 429, retryAfterSeconds: 2 }]
      yield* Effect.forEach(
        waits,
        (effect) =>
          Effect.gen(function* () {
            const { authorize, endpoint, exchange, service, tokenRequests } = yield* start()
            const code = yield* authorize
            service.addFault(onToken({ when: "before", effect }))
            const tokens = yield* exchange(code)
            service.addFault(onToken({ when: "before", effect }))
            yield* endpoint.refresh(tokens)
            const sent = tokenRequests()
            assert.deepStrictEqual(
              sent.map(({ status }) => status),
              [429, 200, 429, 200]
            )
            const wait = (effect.retryAfterSeconds ?? 1) * 1000 - 10
            assert.isAtLeast(sent[1]!.at - sent[0]!.at, wait)
            assert.isAtLeast(sent[3]!.at - sent[2]!.at, wait)
          }),
        { concurrency: "unbounded" }
      )
    })
  )

  it.scopedLive("of a call that needs a new token is repeated after 429 by that call", () =>
    Effect.gen(function* () {
      const { connect, profile, service } = yield* start()
      yield* connect
      service.revokeTokens("access")
      service.addFault(onToken({ when: "before", effect: { status: 429 } }))
      assert.strictEqual((yield* profile).nickname, "ada")
    })
  )

  it.scopedLive("is sent once where its outcome is unknown, and where the service has failed", () =>
    Effect.gen(function* () {
      for (const [when, effect, tag, repeated] of [
        ["after", "reset", "OutcomeUnknown", "InvalidGrant"],
        ["after", { status: 502 }, "OutcomeUnknown", "InvalidGrant"],
        ["before", { status: 503 }, "ServiceFailure", "ok"]
      ] as const) {
        const { authorize, exchange, service, tokenRequests } = yield* start()
        const code = yield* authorize
        service.addFault(onToken({ when, effect, times: 1 }))
        assert.strictEqual((yield* Effect.flip(exchange(code)))._tag, tag)
        assert.lengthOf(tokenRequests(), 1)
        const again = yield* Effect.match(exchange(code), { onSuccess: () => "ok", onFailure: ({ _tag }) => _tag })
        assert.strictEqual(again, repeated)
        assert.lengthOf(tokenRequests(), 2)
      }
    })
  )
})
