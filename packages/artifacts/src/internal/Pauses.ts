import type * as HttpClient from "@effect/platform/HttpClient"
import * as MonotonicClock from "@heddle/core/MonotonicClock"
import * as RateLimitPause from "@heddle/core/RateLimitPause"
import * as RetryPolicy from "@heddle/core/RetryPolicy"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { SandboxUnavailable } from "../ArtifactsError.ts"

/**
 * Waits for the end of the pause that a server asked for, and runs a request. A 429 begins a pause for all requests of
 * the same key. Where the pause lasts longer than the longest accepted wait, the request fails without being sent.
 */
export type WithPause = (
  key: string
) => <A, E, R>(request: Effect.Effect<A, E, R>) => Effect.Effect<A, E | SandboxUnavailable, R>

/** The pauses of an HTTP client, which all its sessions share. */
export const of = (http: HttpClient.HttpClient): WithPause => {
  const pauses = pausesByClient.get(http) ?? new Map<string, RateLimitPause.RateLimitPause>()
  pausesByClient.set(http, pauses)

  const extend = (key: string, error: SandboxUnavailable) => {
    const pause = pauses.get(key) ?? RateLimitPause.make()
    // The newest are at the end.
    pauses.delete(key)
    pauses.set(key, pause)
    const [oldest] = pauses.size > maxPauses ? pauses.keys() : []
    if (oldest !== undefined) pauses.delete(oldest)
    const wait = Duration.max(RetryPolicy.waitAfter(1, {}), RetryPolicy.requestedWait(error))
    return pause.extend(Duration.toMillis(wait))
  }

  return (key) => (request) =>
    MonotonicClock.now.pipe(
      Effect.flatMap((now) => pauses.get(key)?.awaitEnd(now + Duration.toMillis(RetryPolicy.maxWait)) ?? Effect.void),
      Effect.mapError(
        ({ description, retryAfter }) => new SandboxUnavailable({ description, status: 429, retryAfter })
      ),
      Effect.zipRight(
        Effect.tapError(request, (error) =>
          error instanceof SandboxUnavailable && error.status === 429
            ? Effect.suspend(() => extend(key, error))
            : Effect.void
        )
      )
    )
}

const pausesByClient = new WeakMap<HttpClient.HttpClient, Map<string, RateLimitPause.RateLimitPause>>()

/** Bounds the memory; a forgotten pause costs one request that comes too early. */
const maxPauses = 1000
