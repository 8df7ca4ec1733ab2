import * as HttpClientError from "@effect/platform/HttpClientError"
import * as RetryAfter from "@heddle/core/RetryAfter"
import * as RetryPolicy from "@heddle/core/RetryPolicy"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { SandboxUnavailable } from "../ArtifactsError.ts"
import { ConnectionLost } from "./Transfer.ts"

/** Repeats what a busy server or a gateway before it refused (429, 502, 503, 504). */
export const whileBusy = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  RetryPolicy.retryIf(effect, isBusy<E>, RetryPolicy.busyBackoff)

/** Repeats a request whose connection failed: it only reads. */
export const whileConnectionFails = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  RetryPolicy.retryIf(effect, isConnectionFailure<E>, RetryPolicy.busyBackoff)

/** Repeats a request by a schedule of the caller, whatever kept the server from fulfilling it. */
export const whileUnavailable =
  (schedule: Schedule.Schedule<unknown, SandboxUnavailable>) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    RetryPolicy.retryIf(effect, isUnavailable<E>, Schedule.mapInput(schedule, toUnavailable))

/** Retries of a list that is temporarily unavailable, for about a minute, or for as long as the sandbox asks. */
export const listRetries: Schedule.Schedule<unknown, object> = RetryPolicy.asRequested(
  Schedule.intersect(RetryPolicy.cappedExponential("500 millis", "10 seconds"), Schedule.recurs(8))
)

/** The pause before the nth resume of a download, counted from 0, after an error. */
export const resumePause = (nth: number, error: object): Duration.Duration =>
  Duration.max(RetryPolicy.exponentialDelay(nth, "100 millis", "8 seconds", 3), RetryPolicy.requestedWait(error))

/** Tells whether a download may resume after this response. */
export const isResumable = ({ retryAfter: retryAfterSeconds = 0, status = 0 }: SandboxUnavailable): boolean =>
  (status === 429 || status >= 500) && retryAfterSeconds <= Duration.toSeconds(RetryPolicy.maxWait)

/** The seconds to wait by the `Retry-After` header of a response. */
export const readRetryAfterSeconds = (headers: Readonly<Record<string, string>>): Effect.Effect<number | undefined> =>
  Effect.map(Clock.currentTimeMillis, (now) => RetryAfter.parseSeconds(headers["retry-after"], headers["date"], now))

const isUnavailable = <E>(error: E): error is E & (ConnectionLost | SandboxUnavailable) =>
  error instanceof SandboxUnavailable || error instanceof ConnectionLost

const toUnavailable = (error: ConnectionLost | SandboxUnavailable): SandboxUnavailable =>
  error._tag === "ConnectionLost" ? new SandboxUnavailable({ description: error.reason }) : error

const isBusy = <E>(error: E): error is E & SandboxUnavailable =>
  error instanceof SandboxUnavailable && busyStatuses.has(error.status)

const busyStatuses: ReadonlySet<number | undefined> = new Set([429, 502, 503, 504])

/** A body may break off, which the platform reports as `Decode`. */
const isConnectionFailure = <E>(error: E): error is E & HttpClientError.HttpClientError =>
  HttpClientError.isHttpClientError(error) && (error.reason === "Transport" || error.reason === "Decode")
