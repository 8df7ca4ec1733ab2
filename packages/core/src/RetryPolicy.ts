import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import * as Answers from "./internal/Answers.ts"
import * as Metrics from "./Metrics.ts"
import type { OpenApiError, OutcomeUnknown } from "./OpenApiError.ts"
import type { Operation } from "./Operation.ts"

/**
 * What is done about an error. `renew`: the token is renewed and the call tried at once, once between two waits.
 * `wait`: another try after 1, 2, 4 s. `waitOnce`: one more try after 1 s. `never`: it goes to the caller.
 */
export type Remedy = "renew" | "wait" | "waitOnce" | "never"

/** The table: what is done about an error of an operation (7.1, decisions 17, 18, 96). `InvalidGrant` above all is final. */
export const remedy = ({ key, repeat }: Pick<Operation, "repeat" | "key">, error: OpenApiError): Remedy => {
  switch (error._tag) {
    case "InvalidToken":
      return "renew"
    case "RateLimited":
    case "Unreachable":
      return "wait"
    case "OutcomeUnknown":
      return repeat === "once" ? "never" : "wait"
    case "ServiceFailure":
      if (error.status !== 500) return repeat === "once" ? "never" : "wait"
      return repeat === "safe" || key === "body" ? "waitOnce" : "never"
    default:
      return "never"
  }
}

/** How many tries a call has. */
export const defaultTries = 4

/** The longest wait, and the longest `Retry-After` that is waited for; beyond it the error goes to the caller at once. */
export const longestWait: Duration.Duration = Duration.seconds(60)

/** The wait after the nth try that failed: 1, 2, 4 s, or what `Retry-After` asks if that is longer. */
export const waitAfter = (nth: number, error: OpenApiError): Duration.Duration =>
  Duration.max(
    Duration.min(Duration.seconds(2 ** (nth - 1)), longestWait),
    Duration.seconds("retryAfter" in error ? (error.retryAfter ?? 0) : 0)
  )

/** One try of a call: which one it is, renewed tries included, and the error of the one before. */
export interface Try {
  readonly number: number
  readonly after: OpenApiError | undefined
}

/** How a call is repeated: its operation, how many tries it has, and the instant of its deadline in milliseconds of the clock. */
export interface Policy {
  readonly operation: Operation
  readonly tries?: number
  readonly endsAt?: number
  /** Told of each 429, and for how many milliseconds nothing should be sent. */
  readonly onLimited?: (millis: number) => Effect.Effect<void>
}

/** Repeats an attempt as the table and the deadline allow. */
export const apply =
  ({ endsAt = Number.POSITIVE_INFINITY, onLimited = () => Effect.void, operation, tries = defaultTries }: Policy) =>
  <A, R>(attempt: (one: Try) => Effect.Effect<A, OpenApiError, R>): Effect.Effect<A, OpenApiError, R> =>
    Effect.gen(function* () {
      const past: Past = { doubt: undefined, said: undefined }
      let after: OpenApiError | undefined
      let renewed = false
      for (let number = 1, failed = 0; ; number += 1) {
        const result = yield* Effect.either(attempt({ number, after }))
        if (result._tag === "Right") return result.right
        const error = result.left
        after = error
        past.doubt = error._tag === "OutcomeUnknown" ? error : (Answers.doubt(operation, error) ?? past.doubt)
        const step = remedy(operation, error)
        const now = yield* Clock.currentTimeMillis
        const giveUp = conclude(error, past, now >= endsAt)
        if (step === "renew" && !renewed && now < endsAt) {
          renewed = true
          continue
        }
        failed += 1
        const asked = waitAfter(failed, error)
        // A wait that nobody waits for, such as that after ten wrong codes, is about this operation and not the client.
        if (error._tag === "RateLimited" && Duration.lessThanOrEqualTo(asked, longestWait)) {
          yield* onLimited(Duration.toMillis(asked))
        }
        const most = step === "wait" ? tries : step === "waitOnce" ? Math.min(tries, 2) : 1
        if (failed >= most || Duration.greaterThan(asked, longestWait)) return yield* giveUp
        const wait = Duration.toMillis(asked) * (1 + jitter * (yield* Random.next))
        if (now + wait > endsAt) return yield* giveUp
        yield* Effect.sleep(wait)
        if (error._tag === "RateLimited") yield* Metrics.waited(operation.name, wait)
        past.said = error
        renewed = false
      }
    })

/** What earlier tries of a call have left: that one of them may have been received, and what the service said last. */
interface Past {
  doubt: OutcomeUnknown | undefined
  said: OpenApiError | undefined
}

/**
 * The error that a call ends with. A write that may have been received stays in doubt unless a later answer is about
 * the write itself; and what the service said tells more than an attempt that its deadline cut short.
 */
const conclude = (error: OpenApiError, { doubt, said }: Past, late: boolean): Effect.Effect<never, OpenApiError> => {
  if (doubt !== undefined && beforeTheWrite.has(error._tag)) return Effect.fail(doubt)
  return Effect.fail(late && said !== undefined && error._tag === "Unreachable" ? said : error)
}

/** Errors that come up before the service has looked at the request itself. */
const beforeTheWrite: ReadonlySet<OpenApiError["_tag"]> = new Set([
  "Unreachable",
  "RateLimited",
  "ServiceFailure",
  "InvalidToken",
  "InvalidClient",
  "Reauthorize"
])

/** Never earlier than asked, and at most so much of the wait later: a herd spreads out. */
const jitter = 0.25
