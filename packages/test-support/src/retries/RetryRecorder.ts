import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as SkippingClock from "../SkippingClock.ts"

/** How much of the recorder's time passes at once; small beside what waits may differ by. */
const stepMs = 20

/** Notes when requests are tried, on a clock for the test, which runs fast and stands still during each request. */
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
  const { clock, skip } = SkippingClock.make(SkippingClock.still)
  yield* Effect.withClockScoped(clock)
  const { fetch } = globalThis
  const now = () => clock.unsafeCurrentTimeMillis()
  let underWay = 0
  yield* Effect.acquireRelease(
    Effect.sync(() => setInterval(() => (underWay > 0 ? undefined : skip(stepMs)), 1)),
    (steps) => Effect.sync(() => clearInterval(steps))
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
