import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"

/** A response of the service as received, with the fields that the models leave out. */
export interface RawResponse {
  /** The operation's name, such as `tasks.get`. */
  readonly operation: string
  readonly status: number
  /** The headers in lower case, without cookies and without the secrets of the request. */
  readonly headers: Readonly<Record<string, string>>
  /** The service's request id, where it sent one. */
  readonly requestId: string | undefined
  /** The body as parsed JSON, `undefined` if it is not JSON; redacted, because it may hold tokens. */
  readonly body: Redacted.Redacted<unknown>
}

/** Options of the calls of a program; a missing option keeps its default. */
export interface Options {
  /** How long one attempt may take, to the last byte of its answer; 30 s by default. */
  readonly timeout?: Duration.DurationInput
  /**
   * How long one call may take with all its attempts and waits; 2 min by default. No wait begins that would end later,
   * and the last attempt is cut short. The call then fails with the service's last error. A write that may have been
   * received fails with `OutcomeUnknown`.
   */
  readonly deadline?: Duration.DurationInput
  /** How many tries a call has: 4 by default, 1 for `none`. Renewing a refused token does not count. */
  readonly retry?: "default" | "none" | number
  /**
   * Makes one keyed write (`tasks.create`, `assistant.send`) safe to repeat at a service that keeps such keys. One key
   * belongs to one write.
   */
  readonly idempotencyKey?: string
  /** Extra headers, except the {@link reservedHeaders}, which the client sets. */
  readonly headers?: Readonly<Record<string, string>>
  /** Receives each complete response, including refusals and those of retried attempts, before the call continues. */
  readonly onResponse?: (response: RawResponse) => Effect.Effect<void>
}

/** The options of the calls that a fiber makes. */
export class CallOptions extends Context.Reference<CallOptions>()("@heddle/core/CallOptions", {
  defaultValue: (): Options => ({})
}) {}

/**
 * Runs a program, however it is composed, with these options for each of its calls.
 * Inside another one they merge: the inner options win, headers one by one.
 *
 * @example
 * program.pipe(CallOptions.with({ timeout: "5 seconds", retry: "none" }))
 */
const withOptions =
  (options: Options) =>
  <A, E, R>(program: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.flatMap(CallOptions, (outer) =>
      Effect.provideService(program, CallOptions, {
        ...outer,
        ...options,
        headers: { ...lowerCaseNames(outer.headers), ...lowerCaseNames(options.headers) }
      })
    )
export { withOptions as with }

/** The headers that extra headers never replace. */
export const reservedHeaders: ReadonlySet<string> = new Set([
  "authorization",
  "connection",
  "content-length",
  "content-type",
  "host",
  "idempotency-key",
  "transfer-encoding"
])

/** The number of tries, if the options set it. */
export const triesOf = ({ retry = "default" }: Options): number | undefined =>
  retry === "default" ? undefined : retry === "none" ? 1 : Math.max(1, Math.floor(retry) || 1)

/** How long one call may take with all its attempts and waits. */
export const deadlineOf = ({ deadline = defaultDeadline }: Options): Duration.Duration => Duration.decode(deadline)

const defaultDeadline = /* @__PURE__ */ Duration.minutes(2)

/** The extra headers of a call that may be sent, with names in lower case. */
export const extraHeaders = ({ headers }: Options): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(lowerCaseNames(headers)).filter(([name]) => !reservedHeaders.has(name)))

const lowerCaseNames = (headers: Options["headers"] = {}): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
