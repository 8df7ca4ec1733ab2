import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

/** Notes when requests are tried, on the clock of the test, which runs fast and stands still during each request. */
export interface RetryRecorder {
  /** Begins to note the requests of one client. */
  readonly record: (nameOf: (request: Request) => string) => Recording
}

/** What a request is known by. */
export interface Request {
  readonly url: string
  readonly method: string
  readonly body: unknown
}

/** The requests of one client. */
export interface Recording {
  readonly fetch: typeof globalThis.fetch
  /** Refuses the connections of the next requests of this name: nothing is sent. */
  readonly refuse: (name: string, times: number) => void
  /** How many requests of this name there were. */
  readonly count: (name: string) => number
  /** The seconds between the end of each failed request of this name and the next. */
  readonly waits: (name: string) => ReadonlyArray<number>
}

export const make: Effect.Effect<RetryRecorder, never, Scope.Scope> = Effect.gen(function* () {
  const { fetch } = globalThis
  let underWay = 0
  const { clock, now, step } = steppedClock()
  yield* Effect.withClockScoped(clock)
  yield* Effect.acquireRelease(
    Effect.sync(() => setInterval(() => underWay > 0 || step(50), 2)),
    (ticking) => Effect.sync(() => clearInterval(ticking))
  )
  const record: RetryRecorder["record"] = (nameOf) => {
    const tries: Array<{ readonly name: string; readonly from: number; to: number }> = []
    const refusals = new Map<string, number>()
    const ofName = (name: string) => tries.filter((each) => each.name === name)
    return {
      fetch: async (input, init) => {
        const name = nameOf({ url: String(input), method: init?.method ?? "GET", body: init?.body })
        const current = { name, from: now(), to: Number.NaN }
        tries.push(current)
        const refused = refusals.get(name) ?? 0
        underWay++
        try {
          if (refused === 0) return await fetch(input, init)
          refusals.set(name, refused - 1)
          throw new TypeError("fetch failed", { cause: Object.assign(new Error("refused"), { code: "ECONNREFUSED" }) })
        } finally {
          underWay--
          current.to = now()
        }
      },
      refuse: (name, times) => void refusals.set(name, times),
      count: (name) => ofName(name).length,
      waits: (name) => {
        const all = ofName(name)
        return all.slice(1).map(({ from }, index) => (from - (all[index]?.to ?? Number.NaN)) / 1000)
      }
    }
  }
  return { record }
})

/** A clock that goes on by `step` alone. That of Effect looks at every fiber in each step, which takes far longer. */
const steppedClock = () => {
  const sleepers = new Set<{ readonly until: number; readonly wake: () => void }>()
  let millis = 0
  const now = () => millis
  const nanos = () => BigInt(millis) * 1_000_000n
  const clock: Clock.Clock = Object.assign(Clock.make(), {
    unsafeCurrentTimeMillis: now,
    currentTimeMillis: Effect.sync(now),
    unsafeCurrentTimeNanos: nanos,
    currentTimeNanos: Effect.sync(nanos),
    sleep: (duration: Duration.Duration) =>
      Effect.async<void>((resume) => {
        const sleeper = { until: millis + Duration.toMillis(duration), wake: () => resume(Effect.void) }
        sleepers.add(sleeper)
        return Effect.sync(() => void sleepers.delete(sleeper))
      })
  })
  const step = (by: number) => {
    millis += by
    const due = [...sleepers].filter(({ until }) => until <= millis).toSorted((one, other) => one.until - other.until)
    for (const sleeper of due) {
      sleepers.delete(sleeper)
      sleeper.wake()
    }
  }
  return { clock, now, step }
}
