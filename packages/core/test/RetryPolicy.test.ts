import * as HttpApi from "@effect/platform/HttpApi"
import { assert, describe, it } from "@effect/vitest"
import { OpenApi } from "@heddle/core/api/OpenApi"
import * as OpenApiError from "@heddle/core/OpenApiError"
import * as Operation from "@heddle/core/Operation"
import * as MonotonicClock from "@heddle/core/MonotonicClock"
import * as RetryPolicy from "@heddle/core/RetryPolicy"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Schedule from "effect/Schedule"
import * as TestClock from "effect/TestClock"
import { readFile, writeFile } from "node:fs/promises"
import * as Memory from "./Memory.ts"
import * as RetryPage from "./RetryPage.ts"

const said = { code: "c", description: "d" }
const limited = (retryAfter?: number) =>
  new OpenApiError.RateLimited({ ...said, ...(retryAfter === undefined ? {} : { retryAfter }) })
const failing = (status: number) => new OpenApiError.ServiceFailure({ ...said, status })
const refused = new OpenApiError.InvalidToken(said)
const signedOut = new OpenApiError.SignInRequired(said)
const unknown = new OpenApiError.OutcomeUnknown({ operation: "o", reason: "r" })
const unreachable = new OpenApiError.Unreachable({ operation: "o", reason: "r" })

/** Runs an attempt that fails with these errors one after the other, and tells at which seconds it was tried. */
const tries = (
  repeat: Operation.Operation["repeat"],
  errors: ReadonlyArray<OpenApiError.OpenApiError | "ok">,
  policy: Partial<RetryPolicy.Policy> = {}
) =>
  Effect.gen(function* () {
    const at: Array<number> = []
    const attempt = Effect.flatMap(Clock.currentTimeMillis, (now): Effect.Effect<string, OpenApiError.OpenApiError> => {
      const error = errors[Math.min(at.length, errors.length - 1)] ?? "ok"
      at.push(now / 1000)
      return error === "ok" ? Effect.succeed("ok") : Effect.fail(error)
    })
    const fiber = yield* Effect.fork(
      Effect.either(RetryPolicy.apply({ operation: { ...Operation.createTask, repeat }, ...policy })(() => attempt))
    )
    yield* TestClock.adjust("10 minutes")
    const result = yield* Fiber.join(fiber)
    return { at, result: result._tag === "Right" ? "ok" : result.left._tag }
  })

/** Waits are as asked or up to a quarter longer. */
const assertWaits = (at: ReadonlyArray<number>, waits: ReadonlyArray<number>) => {
  assert.lengthOf(at, waits.length + 1)
  waits.forEach((wait, n) => {
    // Whole milliseconds, as the clock counts: a difference of fractions is not exact.
    const real = Math.round((at[n + 1]! - at[n]!) * 1000) / 1000
    assert.isAtLeast(real, wait)
    assert.isAtMost(real, wait * 1.25)
  })
}

describe("apply", () => {
  it.effect("waits 1, 2 and 4 s after 429, for every operation", () =>
    Effect.gen(function* () {
      for (const repeat of ["safe", "keyed", "once"] as const) {
        const { at, result } = yield* tries(repeat, [limited()])
        assertWaits(at, [1, 2, 4])
        assert.strictEqual(result, "RateLimited")
      }
    })
  )

  it.effect("waits as long as Retry-After asks, but not longer than a minute", () =>
    Effect.gen(function* () {
      assertWaits((yield* tries("once", [limited(30), "ok"])).at, [30])
      assertWaits((yield* tries("once", [limited(0), "ok"])).at, [1])
      const { at, result } = yield* tries("once", [limited(9 * 3600)])
      assert.deepStrictEqual([at.length, result], [1, "RateLimited"])
    })
  )

  it.effect("renews once without a wait, also after a wait", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* tries("once", [refused, "ok"]), { at: [0, 0], result: "ok" })
      assert.deepStrictEqual((yield* tries("once", [refused])).result, "InvalidToken")
      assert.lengthOf((yield* tries("once", [refused])).at, 2)
      assert.strictEqual((yield* tries("once", [refused, limited(), refused, "ok"])).result, "ok")
    })
  )

  it.effect("renews once for a user who counts as signed out, too (decision 14)", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* tries("once", [signedOut, "ok"]), { at: [0, 0], result: "ok" })
      const { at, result } = yield* tries("once", [signedOut])
      assert.deepStrictEqual([at.length, result], [2, "SignInRequired"])
    })
  )

  it.effect("repeats failures of reads and keyed writes only", () =>
    Effect.gen(function* () {
      for (const error of [failing(502), failing(503), failing(504), unknown]) {
        assertWaits((yield* tries("safe", [error])).at, [1, 2, 4])
        assertWaits((yield* tries("keyed", [error])).at, [1, 2, 4])
        assert.lengthOf((yield* tries("once", [error])).at, 1)
      }
    })
  )

  it.effect("repeats 500 once, and only of reads and of redemptions (decisions 18, 96)", () =>
    Effect.gen(function* () {
      assertWaits((yield* tries("keyed", [failing(500)], { operation: Operation.redeem })).at, [1])
      assertWaits((yield* tries("safe", [failing(500)])).at, [1])
      assert.lengthOf((yield* tries("keyed", [failing(500)])).at, 1)
      assert.lengthOf((yield* tries("once", [failing(500)])).at, 1)
    })
  )

  it.effect("repeats requests that were never sent", () =>
    Effect.gen(function* () {
      for (const repeat of ["safe", "keyed", "once"] as const) {
        assertWaits((yield* tries(repeat, [unreachable, "ok"])).at, [1])
      }
    })
  )

  it.effect("never repeats a final refusal", () =>
    Effect.gen(function* () {
      for (const Final of [
        OpenApiError.InvalidGrant,
        OpenApiError.InvalidRequest,
        OpenApiError.InvalidClient,
        OpenApiError.AccessDenied,
        OpenApiError.NotFound,
        OpenApiError.Conflict,
        OpenApiError.PreconditionFailed,
        OpenApiError.Forbidden,
        OpenApiError.PermissionDenied,
        OpenApiError.AuthorizationPending,
        OpenApiError.EnvelopeError
      ]) {
        assert.lengthOf((yield* tries("safe", [new Final(said)])).at, 1)
      }
      assert.lengthOf((yield* tries("safe", [new OpenApiError.Reauthorize({ reason: "r" })])).at, 1)
    })
  )
})

describe("schedules", () => {
  const fails = <E extends OpenApiError.OpenApiError>(error: E) => {
    const at: Array<number> = []
    const attempt = Effect.flatMap(Clock.currentTimeMillis, (now) => {
      at.push(now / 1000)
      return Effect.fail(error)
    })
    return { at, attempt }
  }
  const run = <E>(program: Effect.Effect<never, E>) =>
    Effect.gen(function* () {
      const fiber = yield* Effect.fork(Effect.either(program))
      yield* TestClock.adjust("10 minutes")
      yield* Fiber.join(fiber)
    })

  it.effect("renewal allows one more try at once", () =>
    Effect.gen(function* () {
      const { at, attempt } = fails(refused)
      yield* run(Effect.retry(attempt, RetryPolicy.renewal))
      assert.deepStrictEqual(at, [0, 0])
    })
  )

  it.effect("backoff waits as long as Retry-After asks and ends after its tries", () =>
    Effect.gen(function* () {
      const { at, attempt } = fails(limited(3))
      yield* run(Effect.retry(attempt, RetryPolicy.backoff({ tries: 5 })))
      assertWaits(at, [3, 3, 4, 8])
    })
  )

  it.effect("backoff repeats no write that may have happened, unless its operation says that it may", () =>
    Effect.gen(function* () {
      const lost = fails(new OpenApiError.OutcomeUnknown({ operation: "tasks.create", reason: "the answer was lost" }))
      yield* run(Effect.retry(lost.attempt, RetryPolicy.backoff()))
      assert.deepStrictEqual(lost.at, [0])
      yield* run(Effect.retry(lost.attempt, RetryPolicy.backoff({ operation: { repeat: "keyed", keyIn: "header" } })))
      assert.strictEqual(lost.at.length, 1 + RetryPolicy.defaultTries)
    })
  )

  it.effect("asRequested waits as long as an error asks, for ten minutes at most", () =>
    Effect.gen(function* () {
      for (const [seconds, wait] of [
        [undefined, 1],
        [0, 1],
        [90, 90],
        [1e9, 600]
      ] as const) {
        const { at, attempt } = fails(limited(seconds))
        yield* run(
          Effect.retry(attempt, RetryPolicy.asRequested(Schedule.addDelay(Schedule.recurs(1), () => "1 second")))
        )
        const [first = 0, second = 0] = at
        assert.strictEqual(second - first, wait)
      }
    })
  )

  it.effect("cappedExponential grows to its cap", () =>
    Effect.gen(function* () {
      const { at, attempt } = fails(unreachable)
      const schedule = RetryPolicy.cappedExponential("1 second", "5 seconds").pipe(
        Schedule.intersect(Schedule.recurs(4))
      )
      yield* run(Effect.retry(attempt, schedule))
      assert.deepStrictEqual(at, [0, 1, 3, 7, 12])
    })
  )

  it.effect("retryIf hands its schedule only the errors that the refinement accepts", () =>
    Effect.gen(function* () {
      const given: Array<string> = []
      const noted = Schedule.tapInput(RetryPolicy.backoff(), (error: RetryPolicy.Retryable) =>
        Effect.sync(() => given.push(error._tag))
      )
      const errors = [limited(), unreachable, new OpenApiError.InvalidGrant(said)]
      let number = 0
      const attempt = Effect.suspend((): Effect.Effect<never, OpenApiError.OpenApiError> =>
        Effect.fail(errors[number++]!)
      )
      yield* run(RetryPolicy.retryIf(attempt, RetryPolicy.isRetryable, noted))
      assert.deepStrictEqual(given, ["RateLimited", "Unreachable"])
      assert.strictEqual(number, 3)
    })
  )

  it("accept no InvalidGrant, so that its retry does not compile", () => {
    const refresh: Effect.Effect<never, OpenApiError.OpenApiError> = Effect.fail(limited())
    const isInvalidGrant = (error: OpenApiError.OpenApiError): error is OpenApiError.InvalidGrant =>
      error._tag === "InvalidGrant"
    const accepted = (schedule: Schedule.Schedule<unknown, OpenApiError.InvalidGrant>) => schedule
    accepted(RetryPolicy.cappedExponential("1 second", "2 seconds"))
    // @effect-diagnostics missingEffectError:off
    // @ts-expect-error InvalidGrant is outside the input type.
    accepted(RetryPolicy.backoff())
    // @ts-expect-error InvalidGrant is outside the input type.
    accepted(RetryPolicy.renewal)
    // @ts-expect-error InvalidGrant is outside the input type.
    accepted(RetryPolicy.busyBackoff)
    // @ts-expect-error InvalidGrant is outside the input type.
    accepted(RetryPolicy.steadyBackoff)
    // @ts-expect-error The errors of a refresh include InvalidGrant.
    void Effect.retry(refresh, RetryPolicy.backoff())
    // @ts-expect-error The errors of a refresh include InvalidGrant.
    void Effect.retry(refresh, RetryPolicy.busyBackoff)
    // @ts-expect-error The errors of a refresh include InvalidGrant.
    void Effect.retry(refresh, { schedule: RetryPolicy.backoff(), while: RetryPolicy.isRetryable })
    // @ts-expect-error A predicate does not narrow the errors.
    void RetryPolicy.retryIf(refresh, () => true, RetryPolicy.backoff())
    // @ts-expect-error InvalidGrant is outside the input type.
    void RetryPolicy.retryIf(refresh, isInvalidGrant, RetryPolicy.backoff())
    // @effect-diagnostics missingEffectError:error
    void RetryPolicy.retryIf(refresh, RetryPolicy.isRetryable, RetryPolicy.backoff())
    void refresh.pipe(RetryPolicy.retryIf(RetryPolicy.isRetryable, RetryPolicy.backoff()))
  })
})

describe("timeoutFailDisconnected", () => {
  it.effect("fails in time without waiting for an effect that cannot be interrupted", () =>
    Effect.gen(function* () {
      const stuck = Effect.uninterruptible(Effect.never)
      const fiber = yield* Effect.fork(
        Effect.flip(
          RetryPolicy.timeoutFailDisconnected(stuck, { duration: "2 seconds", onTimeout: () => "late" as const })
        )
      )
      yield* TestClock.adjust("2 seconds")
      assert.strictEqual(yield* Fiber.join(fiber), "late")
    })
  )
})

describe("a deadline", () => {
  it.effect("ends in time where the time of day is set back", () =>
    Memory.withSetBackClock((setBack) =>
      Effect.gen(function* () {
        const from = yield* MonotonicClock.now
        let count = 0
        const attempt = Effect.suspend(() => {
          if (++count === 2) setBack(7_200_000)
          return Effect.fail(limited())
        })
        const ends = { tries: 100, endsAt: from + 60_000 }
        const calls = yield* Effect.fork(
          Effect.all(
            [
              RetryPolicy.apply({ operation: Operation.createTask, ...ends })(() => attempt),
              Effect.retry(attempt, RetryPolicy.upTo("60 seconds")(Schedule.spaced("1 second")))
            ].map((each) => Effect.exit(each))
          )
        )
        yield* TestClock.adjust("2 minutes")
        assert.strictEqual((yield* Fiber.poll(calls))._tag, "Some")
        assert.isAbove(count, 60)
      })
    )
  )

  it.effect("prevents waits that would end later", () =>
    Effect.gen(function* () {
      const soon = yield* Clock.currentTimeMillis
      assert.lengthOf((yield* tries("safe", [limited(20)], { endsAt: soon + 10_000 })).at, 1)
      const later = yield* Clock.currentTimeMillis
      assert.lengthOf((yield* tries("safe", [limited(2)], { endsAt: later + 3_000 })).at, 2)
    })
  )
})

describe("doubt", () => {
  it.effect("about a keyed write ends only with an answer about the write", () =>
    Effect.gen(function* () {
      for (const [errors, result] of [
        [[unknown, limited()], "OutcomeUnknown"],
        [[unknown, unreachable], "OutcomeUnknown"],
        [[unknown, failing(503)], "OutcomeUnknown"],
        [[unknown, refused], "OutcomeUnknown"],
        [[unknown, new OpenApiError.NotFound(said)], "NotFound"],
        [[unknown, new OpenApiError.Conflict(said)], "OutcomeUnknown"],
        [[unknown, "ok"], "ok"],
        [[unknown, signedOut], "OutcomeUnknown"],
        [[failing(503), unreachable], "OutcomeUnknown"],
        [[failing(502)], "OutcomeUnknown"],
        [[failing(504), failing(503)], "OutcomeUnknown"],
        [[failing(502), limited()], "OutcomeUnknown"],
        [[failing(504), new OpenApiError.NotFound(said)], "NotFound"],
        [[new OpenApiError.Conflict(said)], "OutcomeUnknown"],
        [[failing(500)], "OutcomeUnknown"],
        [[failing(503)], "OutcomeUnknown"]
      ] as const) {
        assert.strictEqual((yield* tries("keyed", errors)).result, result)
      }
    })
  )

  it.effect("follows every failure of a write, and never that of a read", () =>
    Effect.gen(function* () {
      for (const status of [500, 502, 503, 504]) {
        assert.strictEqual((yield* tries("once", [failing(status)])).result, "OutcomeUnknown")
        assert.strictEqual((yield* tries("safe", [failing(status)])).result, "ServiceFailure")
      }
      const exchange = { operation: Operation.exchange }
      assert.strictEqual((yield* tries("once", [failing(503)], exchange)).result, "ServiceFailure")
      assert.strictEqual((yield* tries("once", [failing(502)], exchange)).result, "OutcomeUnknown")
    })
  )
})

describe("the table of operations", () => {
  it("has the success status and the repeatability that the contract gives each endpoint", () => {
    const endpoints = new Set<string>()
    HttpApi.reflect(OpenApi, {
      onGroup: () => undefined,
      onEndpoint: ({ endpoint, group, successes }) => {
        const name = `${group.identifier}.${endpoint.name}`
        endpoints.add(name)
        const rows = RetryPage.operations.filter((operation) => operation.endpoint === name)
        assert.isNotEmpty(rows, name)
        for (const row of rows) {
          assert.deepStrictEqual([...successes.keys()], [row.successStatus])
          const named = (...names: ReadonlyArray<string>) => names.some((name) => endpoint.path.endsWith(`/${name}`))
          const reads = endpoint.method === "GET" || named("phoneverification", "introspect")
          // The idempotency key of a redemption is in its body, and a token is revoked once however often it is sent.
          const key =
            endpoint.headersSchema._tag === "Some" ? "header" : named("redemptions", "revoke") ? "body" : undefined
          assert.strictEqual(row.repeat, reads ? "safe" : key === undefined ? "once" : "keyed")
          assert.strictEqual(row.keyIn, key)
        }
      }
    })
    assert.deepStrictEqual(
      RetryPage.operations.filter(({ endpoint }) => !endpoints.has(endpoint)),
      []
    )
  })

  it("lets a keyed write without a kept key be sent once only", () => {
    assert.strictEqual(Operation.withKey(Operation.createTask, undefined).repeat, "once")
    assert.strictEqual(Operation.withKey(Operation.createTask, "k").repeat, "keyed")
    assert.strictEqual(Operation.withKey(Operation.redeem, undefined).repeat, "keyed")
    assert.strictEqual(Operation.withKey(Operation.refresh, "k").repeat, "once")
  })

  it("is the page of the documentation", async () => {
    const page = new URL("../../../apps/docs/guide/retries.md", import.meta.url)
    const before = await readFile(page, "utf8")
    const rendered = RetryPage.render(before)
    if (process.env["WRITE_DOCS"] !== undefined) await writeFile(page, rendered)
    else assert.strictEqual(before, rendered, "run this test with WRITE_DOCS=1")
  })
})
