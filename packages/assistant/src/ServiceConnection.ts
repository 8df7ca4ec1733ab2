import * as Protocol from "@heddle/core/api/AssistantProtocol"
import * as RetryAfter from "@heddle/core/RetryAfter"
import * as RetryPolicy from "@heddle/core/RetryPolicy"
import * as Cause from "effect/Cause"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import { AssistantError } from "./AssistantError.ts"
import * as EventStream from "./EventStream.ts"

/** The connection to the service: events down, requests up. */
export interface ServiceConnection {
  /** Reads events until the service refuses the credential; reconnects after a lost stream. */
  readonly listen: (onEvent: (event: Protocol.Event) => void) => Effect.Effect<never, AssistantError>
  /** Sends a request until the service responds; false when the service refuses its content. */
  readonly send: (path: string, body: unknown) => Effect.Effect<boolean, AssistantError>
  /** Reports once that the program is running; `problem` says why its agent cannot start. */
  readonly report: (problem: string | null) => Effect.Effect<void>
}

export interface Options {
  /** The service's address, without a trailing slash. */
  readonly service: string
  readonly token: Redacted.Redacted
  /** The id of this run of the program. */
  readonly instance: string
}

/** Makes the connection; nothing is sent yet. */
export const make = ({ instance, service, token }: Options): ServiceConnection => {
  const headers = { authorization: `Bearer ${Redacted.value(token)}`, [Protocol.instanceHeader]: instance }
  const url = (path: string) => `${service}${Protocol.path}${path}`
  let hasConnected = false
  const checkResponse = (response: Response) => {
    throwIfPermanent(response.status, service, hasConnected)
    const busy = busyUntil(response)
    if (busy !== undefined) throw busy
  }

  const post = (path: string, body: unknown) =>
    attempt(async (signal) => {
      const response = await fetch(url(path), {
        method: "POST",
        headers: { ...headers, "content-type": "application/json" },
        body: JSON.stringify(body),
        redirect: "manual",
        signal
      })
      await response.body?.cancel()
      checkResponse(response)
      return response.status
    }).pipe(
      Effect.timeoutFail({ duration: "30 seconds", onTimeout: () => new ServiceAway({ reason: "no answer in time" }) })
    )

  /** Reads one stream to its end. The loss of the connection is a failure only before the first event. */
  const readOnce = (onEvent: (event: Protocol.Event) => void) => {
    let hasReceived = false
    const onFirst = (event: Protocol.Event) => {
      hasReceived = true
      hasConnected = true
      onEvent(event)
    }
    return attempt((signal) =>
      EventStream.read({ url: url("/events"), headers, checkResponse, onEvent: onFirst }, signal)
    ).pipe(
      Effect.zipRight(Effect.fail(new ServiceAway({ reason: "the service ended the connection" }))),
      Effect.tapErrorTag("ServiceAway", ({ reason }) =>
        Effect.logWarning(`the service is not connected (${reason}); trying again`)
      ),
      // A stream with events resets the backoff.
      Effect.catchIf(
        (error) => error._tag === "ServiceAway" && hasReceived,
        () => Effect.sleep(Duration.millis(200 + Math.random() * 300))
      )
    )
  }

  return {
    listen: (onEvent) => Effect.suspend(() => readOnce(onEvent)).pipe(retryWhileAway, Effect.forever),
    send: (path, body) =>
      post(path, body).pipe(
        Effect.flatMap((status) => {
          if (status < 300) return Effect.succeed(true)
          return REFUSALS.has(status)
            ? Effect.as(Effect.logWarning(`the service did not take ${path} (status ${status})`), false)
            : Effect.fail(new ServiceAway({ reason: `status ${status}` }))
        }),
        retryWhileAway
      ),
    report: (problem) =>
      post("/condition", { problem }).pipe(
        // The event stream gets the same failure and handles it.
        Effect.catchAll((error) => Effect.logDebug("a report did not arrive", error._tag)),
        Effect.asVoid
      )
  }
}

/** The service cannot be reached now. */
class ServiceAway extends Schema.TaggedError<ServiceAway>()("ServiceAway", {
  reason: Schema.String,
  /** The service limits requests. */
  isLimited: Schema.optionalWith(Schema.Boolean, { default: () => false }),
  /** The seconds to wait, as a busy service says. */
  retryAfter: Schema.optional(Schema.Number)
}) {}

/** The error of a 429, or of a failure that says when to try again. */
const busyUntil = ({ headers, status }: Response): ServiceAway | undefined => {
  const read = (name: string) => headers.get(name) ?? undefined
  const retryAfter = RetryAfter.parseSeconds(read("retry-after"), read("date"), Date.now())
  return status === 429 || (status >= 500 && retryAfter !== undefined)
    ? new ServiceAway({ reason: `status ${status}`, isLimited: status === 429, retryAfter })
    : undefined
}

/** Statuses with which the service refuses the content of a request, so that a retry is useless. */
const REFUSALS: ReadonlySet<number> = new Set([400, 404, 413])

/** Throws for a status after which a retry is useless. */
const throwIfPermanent = (status: number, service: string, hasConnected: boolean): void => {
  if (status === 401) {
    throw new AssistantError({
      setting: "HEDDLE_ASSISTANT_TOKEN",
      problem: "the service does not know this credential, or it was revoked",
      fix: "Make a new one with: heddle-server assistant create --user ID"
    })
  }
  // After a connection, any status may come from a proxy while the service is away.
  if (!hasConnected && (status < 200 || (status >= 300 && status < 500 && status !== 408 && status !== 429))) {
    throw new AssistantError({
      setting: "--service",
      problem: `${service} answers with status ${status}, which no service of this kind does`,
      fix: "Give the address that the service's ready line names."
    })
  }
}

const attempt = <A>(run: (signal: AbortSignal) => Promise<A>): Effect.Effect<A, ServiceAway | AssistantError> =>
  Effect.tryPromise({
    try: run,
    catch: (error) =>
      error instanceof AssistantError || error instanceof ServiceAway
        ? error
        : new ServiceAway({ reason: reasonOf(error) })
  })

const reasonOf = (error: unknown): string => {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  if (cause instanceof Error && "code" in cause && typeof cause.code === "string") return cause.code
  return cause instanceof Error ? cause.message : Cause.pretty(Cause.fail(cause))
}

/** Retries while the service is away, without end: after 0.25 s to 10 s, or as long as a busy service says. */
const backoff: Schedule.Schedule<Duration.Duration, ServiceAway> = Schedule.forever.pipe(
  Schedule.intersect(Schedule.identity<ServiceAway>()),
  Schedule.map(([failed, { isLimited }]) =>
    isLimited ? RetryPolicy.waitAfter(failed + 1, {}) : RetryPolicy.exponentialDelay(failed, "250 millis", "10 seconds")
  ),
  Schedule.delayedSchedule,
  RetryPolicy.asRequested,
  Schedule.jitteredWith({ min: 1, max: 1.25 })
)

const retryWhileAway = <A>(effect: Effect.Effect<A, ServiceAway | AssistantError>): Effect.Effect<A, AssistantError> =>
  RetryPolicy.retryIf(effect, isAway, backoff).pipe(
    // The schedule never ends.
    Effect.catchTag("ServiceAway", (away) => Effect.die(away))
  )

const isAway = (error: ServiceAway | AssistantError): error is ServiceAway => error._tag === "ServiceAway"
