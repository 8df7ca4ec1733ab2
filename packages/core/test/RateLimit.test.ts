import { assert, describe, it } from "@effect/vitest"
import { NodeHttpClient } from "@effect/platform-node"
import * as HttpClient from "@effect/platform/HttpClient"
import * as CallOptions from "@heddle/core/CallOptions"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/TestClock"
import * as Memory from "./Memory.ts"
import * as Service from "./Service.ts"

const { profile } = Memory

const together = (count: number) =>
  Effect.all(
    Array.from({ length: count }, () => profile),
    { concurrency: "unbounded" }
  )

describe("429", () => {
  it.effect("pauses every call of the client, and spreads them after the pause", () =>
    Effect.gen(function* () {
      const { httpClient, seen } = Memory.make((_, nth) =>
        nth === 1 ? Memory.json(429, {}, { "retry-after": "10" }) : Memory.json(200)
      )
      yield* Effect.gen(function* () {
        const first = yield* Effect.fork(profile)
        yield* TestClock.adjust("1 second")
        const others = yield* Effect.fork(together(20))
        yield* TestClock.adjust("1 minute")
        yield* Fiber.join(Fiber.zip(first, others))
      }).pipe(Effect.provide(Memory.services(httpClient)))
      const times = seen.slice(1).map(({ at }) => at)
      assert.lengthOf(times, 21)
      assert.isAtLeast(Math.min(...times), 10)
      assert.isAtMost(Math.max(...times), 12.5)
      assert.isAbove(new Set(times).size, 15)
    })
  )

  it.live("holds up no call for longer where the time of day is set back", () =>
    Memory.withSetBackClock((setBack) =>
      Effect.gen(function* () {
        const { httpClient, seen } = Memory.make((_, nth) =>
          nth === 1 ? Memory.json(429, {}, { "retry-after": "1" }) : Memory.json(200)
        )
        yield* Effect.gen(function* () {
          const from = performance.now()
          const first = yield* Effect.fork(profile)
          yield* Effect.sleep("300 millis")
          setBack(7_200_000)
          yield* profile
          yield* Fiber.join(first)
          assert.isBelow(performance.now() - from, 3000)
          assert.lengthOf(seen, 3)
        }).pipe(Effect.provide(Memory.services(httpClient)))
      })
    )
  )

  it.effect("pauses one client and not another", () =>
    Effect.gen(function* () {
      const limited = Memory.make(() => Memory.json(429, {}, { "retry-after": "10" }))
      const free = Memory.make(() => Memory.json(200))
      const fiber = yield* Effect.fork(Effect.provide(profile, Memory.services(limited.httpClient)))
      yield* TestClock.adjust("1 second")
      const other = yield* Effect.fork(Effect.provide(profile, Memory.services(free.httpClient)))
      yield* TestClock.adjust("1 second")
      yield* Fiber.join(other)
      assert.isAtMost(free.seen[0]?.at ?? 9, 2)
      yield* Fiber.interrupt(fiber)
    })
  )

  it.effect("pauses calls without retries, too, and fails at once where the deadline comes first", () =>
    Effect.gen(function* () {
      const { httpClient, seen } = Memory.make((_, nth) =>
        nth === 1 ? Memory.json(429, {}, { "retry-after": "10" }) : Memory.json(200)
      )
      yield* Effect.gen(function* () {
        const first = yield* Effect.flip(profile.pipe(CallOptions.with({ retry: "none" })))
        assert.deepInclude({ ...first }, { _tag: "RateLimited", retryAfter: 10 })
        const hurried = yield* Effect.flip(profile.pipe(CallOptions.with({ deadline: "5 seconds" })))
        assert.deepInclude({ ...hurried }, { _tag: "RateLimited", retryAfter: 10 })
        const patient = yield* Effect.fork(profile.pipe(CallOptions.with({ retry: "none" })))
        yield* TestClock.adjust("1 minute")
        yield* Fiber.join(patient)
      }).pipe(Effect.provide(Memory.services(httpClient)))
      assert.lengthOf(seen, 2)
    })
  )

  it.effect("does not pause other calls for a limit that exceeds the longest wait", () =>
    Effect.gen(function* () {
      const { httpClient, seen } = Memory.make((_, nth) =>
        nth === 1 ? Memory.json(429, {}, { "retry-after": "32400" }) : Memory.json(200)
      )
      yield* Effect.gen(function* () {
        assert.strictEqual((yield* Effect.flip(profile))._tag, "RateLimited")
        yield* profile
      }).pipe(Effect.provide(Memory.services(httpClient)))
      assert.deepStrictEqual(
        seen.map(({ at }) => at),
        [0, 0]
      )
    })
  )

  it.live("sends no request of twenty fibers to a real server during the pause", () =>
    Effect.gen(function* () {
      const times: Array<number> = []
      const service = yield* Service.make((_, nth) => {
        times.push(performance.now())
        return nth === 1 ? { status: 429, headers: { "retry-after": "1" } } : { status: 200, body: {} }
      })
      const live = Layer.unwrapEffect(
        Effect.map(HttpClient.HttpClient, (httpClient) => Memory.services(httpClient, { baseUrl: service.url }))
      ).pipe(Layer.provide(NodeHttpClient.layerUndici))
      yield* Effect.gen(function* () {
        const first = yield* Effect.flip(profile.pipe(CallOptions.with({ retry: "none" })))
        assert.strictEqual(first._tag, "RateLimited")
        yield* together(19)
      }).pipe(Effect.provide(live))
      assert.lengthOf(times, 20)
      const pause = times.map((time) => time - times[0]!).slice(1)
      assert.lengthOf(
        pause.filter((after) => after < 995),
        0
      )
      assert.isAbove(Math.max(...pause) - Math.min(...pause), 20)
    }).pipe(Effect.scoped)
  )
})
