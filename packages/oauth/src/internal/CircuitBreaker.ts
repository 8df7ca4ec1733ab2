import type { InvalidClient, OpenApiError } from "@heddle/core/OpenApiError"
import * as Effect from "effect/Effect"
import * as MonotonicClock from "@heddle/core/MonotonicClock"

/** Sends nothing for a minute after the service refused the application itself; then one request tests it. */
export interface CircuitBreaker {
  /** The refusal of the application while the circuit is open. */
  readonly refusal: (now: number) => InvalidClient | undefined
  readonly protect: <A>(request: Effect.Effect<A, OpenApiError>) => Effect.Effect<A, OpenApiError>
}

type State =
  | { readonly _tag: "Closed" }
  | { readonly _tag: "Open"; readonly error: InvalidClient; readonly until: number }

export const make = (): CircuitBreaker => {
  let state: State = closed

  const refusal = (now: number) => (state._tag === "Open" && now < state.until ? state.error : undefined)

  const protect: CircuitBreaker["protect"] = (request) =>
    Effect.flatMap(MonotonicClock.now, (now) => {
      const error = refusal(now)
      if (error !== undefined) return Effect.fail(error)
      // This request tests the service; the others go on waiting.
      if (state._tag === "Open") state = { ...state, until: now + openTime }
      return Effect.tapBoth(request, {
        onSuccess: () => Effect.sync(() => (state = closed)),
        onFailure: (error) =>
          Effect.map(MonotonicClock.now, (then) => {
            // A refused grant shows that the application is accepted.
            if (error._tag === "InvalidGrant") state = closed
            if (error._tag === "InvalidClient") state = { _tag: "Open", error, until: then + openTime }
          })
      })
    })

  return { refusal, protect }
}

const closed: State = { _tag: "Closed" }

/** In milliseconds. */
const openTime = 60_000
