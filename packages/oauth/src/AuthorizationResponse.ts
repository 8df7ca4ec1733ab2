import * as OpenApiError from "@heddle/core/OpenApiError"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type { AuthorizationRequest } from "./AuthorizationRequest.ts"
import * as Random from "./internal/Random.ts"

/** What is wrong with a callback. */
export const Reason = Schema.Literal(
  "duplicate",
  "stateMissing",
  "stateForeign",
  "stateUsed",
  "expired",
  "issuer",
  "unexpected",
  "codeMissing"
)
export type Reason = typeof Reason.Type

/** The callback is not the answer to the pending request. Nothing was exchanged; the user starts again. */
export class CallbackRejected extends Schema.TaggedError<CallbackRejected>()("CallbackRejected", {
  reason: Reason
}) {
  override get message(): string {
    return `${reasons[this.reason]} Nothing was connected. Start the connection again.`
  }
}

/** How the service names itself in a callback (RFC 9207). */
export interface Options {
  /** The service's issuer; without it, an `iss` of another origin than the base URL's is refused. */
  readonly issuer?: string
  /** Refuses a callback without `iss`. */
  readonly requireIssuer?: boolean
}

/** The `state` of a callback, by which its request is found. */
export const stateOf = (params: URLSearchParams): Effect.Effect<string, CallbackRejected> => {
  const [state = "", ...more] = params.getAll("state")
  return more.length > 0 ? reject("duplicate") : state === "" ? reject("stateMissing") : Effect.succeed(state)
}

/**
 * Checks a callback against its pending request and returns the authorization code.
 * The state is checked first, so that a foreign `error` cannot end another user's request.
 * An `error` of the service fails with the error of the same name (contract decision 37).
 */
export const read = Effect.fn("AuthorizationResponse.read")(function* (
  params: URLSearchParams,
  pending: AuthorizationRequest,
  options: Options = {}
): Effect.fn.Return<{ readonly code: Redacted.Redacted }, CallbackRejected | OpenApiError.Refusal> {
  if (knownParameters.some((name) => params.getAll(name).length > 1)) return yield* reject("duplicate")
  if (!Random.equal(yield* stateOf(params), pending.state)) return yield* reject("stateForeign")
  if ((yield* Clock.currentTimeMillis) >= pending.expiresAt) return yield* reject("expired")
  const issuer = params.get("iss")
  if (issuer === null ? options.requireIssuer === true : !isIssuer(issuer, pending, options.issuer)) {
    return yield* reject("issuer")
  }
  const error = params.get("error")
  if (error !== null && error !== "") return yield* refusal(error, params.get("error_description"))
  if (tokens.some((name) => params.has(name))) return yield* reject("unexpected")
  const code = params.get("code")
  if (code === null || code === "" || code.length > 2048) return yield* reject("codeMissing")
  return { code: Redacted.make(code) }
})

const isIssuer = (iss: string, { url }: AuthorizationRequest, issuer: string | undefined): boolean =>
  issuer === undefined ? URL.canParse(iss) && new URL(iss).origin === new URL(url).origin : iss === issuer

const reject = (reason: Reason) => Effect.fail(new CallbackRejected({ reason }))

const refusal = (error: string, description: string | null): Effect.Effect<never, OpenApiError.Refusal> =>
  Effect.fail(
    OpenApiError.fromResponse({
      status: error === "server_error" || error === "temporarily_unavailable" ? 503 : 400,
      headers: {},
      body: JSON.stringify({ error, ...(description === null ? {} : { error_description: description }) }),
      operation: "authorize"
    })
  )

/** Parameters of flows that the request did not start. */
const tokens = ["access_token", "id_token", "refresh_token"]
const knownParameters = ["code", "state", "error", "error_description", "iss", ...tokens]

const reasons: Readonly<Record<Reason, string>> = {
  duplicate: "The answer names a parameter twice.",
  stateMissing: "The answer does not say which request it belongs to.",
  stateForeign: "The answer belongs to another request.",
  stateUsed: "This request was answered before.",
  expired: "The answer came too late.",
  issuer: "The answer comes from another service.",
  unexpected: "The answer is of a kind that was not requested.",
  codeMissing: "The answer holds no authorization code."
}
