import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Challenge from "./internal/Challenge.ts"
import * as ErrorCode from "./internal/ErrorCode.ts"
import * as ErrorBody from "./internal/ErrorBody.ts"
import * as RetryAfter from "./internal/RetryAfter.ts"
import { known as knownScopes } from "./domain/Scope.ts"

/** What every refusal of the service says: its code word, its description, its trace id. */
const said = {
  code: Schema.String,
  description: Schema.String,
  requestId: Schema.optionalWith(Schema.String, { exact: true })
}

/** 400: a parameter is missing, malformed or in an illegal combination. Fix the request. */
export class InvalidRequest extends Schema.TaggedError<InvalidRequest>()("InvalidRequest", said) {
  override get message(): string {
    return told(this, "Nothing was changed. Fix the request.")
  }
}

/** 400: the authorization code, refresh token or redemption code is invalid or used. Final: never retried (7.1). */
export class InvalidGrant extends Schema.TaggedError<InvalidGrant>()("InvalidGrant", said) {
  override get message(): string {
    return told(this, "It is used up or was never valid: start over, a retry cannot help.")
  }
}

/** 400: the grant type or response type is not supported. Use a supported one. */
export class Unsupported extends Schema.TaggedError<Unsupported>()("Unsupported", said) {
  override get message(): string {
    return told(this, "Use a supported grant or response type.")
  }
}

/** 400: the application has no bound scope, or asked for more than it is bound to. */
export class InvalidScope extends Schema.TaggedError<InvalidScope>()("InvalidScope", said) {
  override get message(): string {
    return told(this, "Ask only for scopes that the application is bound to.")
  }
}

/** 401: the access token is missing, expired or wrong. Renew it once and try again. */
export class InvalidToken extends Schema.TaggedError<InvalidToken>()("InvalidToken", said) {
  override get message(): string {
    return told(this, "Connect the account again if this stays.")
  }
}

/** 401: client id or secret are wrong, or the application is not active. A configuration fault: nothing is retried or deleted. */
export class InvalidClient extends Schema.TaggedError<InvalidClient>()("InvalidClient", said) {
  override get message(): string {
    return told(this, "Check the client id, the client secret and that the application is active.")
  }
}

/** 403: not authorized, or the application is not active, or the account has no credits. Also 401 without a login state (decision 14), which no new token cures. */
export class AccessDenied extends Schema.TaggedError<AccessDenied>()("AccessDenied", said) {
  override get message(): string {
    return told(this, "Check that the user authorized the application, that both are active and that credits are left.")
  }
}

/** 403: the grant lacks a scope. `required` lists what the operation needs, as far as the service told. */
export class InsufficientScope extends Schema.TaggedError<InsufficientScope>()("InsufficientScope", {
  ...said,
  required: Schema.Array(Schema.String)
}) {
  override get message(): string {
    return told(this, `Authorize again with ${this.required.length === 0 ? "more scopes" : this.required.join(" ")}.`)
  }
}

/** 404: no such resource, or it belongs to someone else (decision 85). */
export class NotFound extends Schema.TaggedError<NotFound>()("NotFound", said) {
  override get message(): string {
    return told(this, "Check the identifier.")
  }
}

/** 409 or 412: already handled, or not possible in the present state. Do not resubmit. */
export class Conflict extends Schema.TaggedError<Conflict>()("Conflict", said) {
  override get message(): string {
    return told(this, "It was already handled or is not possible now; do not send it again.")
  }
}

/** 429: too many requests. `retryAfter` is seconds, where the service told. */
export class RateLimited extends Schema.TaggedError<RateLimited>()("RateLimited", {
  ...said,
  retryAfter: Schema.optionalWith(Schema.Number, { exact: true })
}) {
  override get message(): string {
    return told(this, this.retryAfter === undefined ? "Try again later." : `Try again in ${this.retryAfter} s.`)
  }
}

/** 500, 502, 503, 504: the service or something behind it failed. `retryAfter` is seconds, where the service told. */
export class ServiceFailure extends Schema.TaggedError<ServiceFailure>()("ServiceFailure", {
  ...said,
  status: Schema.Number,
  retryAfter: Schema.optionalWith(Schema.Number, { exact: true })
}) {
  override get message(): string {
    return told(this, "Try again later; if it stays, report it with the request id.")
  }
}

/** Any other status (decision 19): 405, 413, 415, or one that the document does not know. */
export class UnexpectedStatus extends Schema.TaggedError<UnexpectedStatus>()("UnexpectedStatus", {
  ...said,
  status: Schema.Number
}) {
  override get message(): string {
    return told(this, `The service answered with status ${this.status}.`)
  }
}

/** The service answered with success, but a used field is missing or of the wrong type. `path` names it; its value is never held. */
export class ContractViolation extends Schema.TaggedError<ContractViolation>()("ContractViolation", {
  operation: Schema.String,
  path: Schema.String,
  requestId: Schema.optionalWith(Schema.String, { exact: true })
}) {
  override get message(): string {
    return `The service's answer to ${this.operation} does not keep its contract at "${this.path}".${trace(this.requestId)}`
  }
}

/** The request did not reach the service, or it only reads and its answer was lost. Nothing was changed. */
export class Unreachable extends Schema.TaggedError<Unreachable>()("Unreachable", {
  operation: Schema.String,
  reason: Schema.String
}) {
  override get message(): string {
    return `${this.operation} got no answer: ${this.reason}. Nothing was changed. Try again later.`
  }
}

/** A write may or may not have been received: the connection broke or timed out after it was sent. It is not sent again. */
export class OutcomeUnknown extends Schema.TaggedError<OutcomeUnknown>()("OutcomeUnknown", {
  operation: Schema.String,
  reason: Schema.String
}) {
  override get message(): string {
    return `${this.operation} was sent, but its answer was lost: ${this.reason}. It may have taken effect; look before trying again.`
  }
}

/** The grant is dead and its user has to connect again. Raised by whoever implements {@link AccessToken}. */
export class Reauthorize extends Schema.TaggedError<Reauthorize>()("Reauthorize", { reason: Schema.String }) {
  override get message(): string {
    return `The account has to be connected again: ${this.reason}.`
  }
}

/** Every refusal that a service can put on the wire. */
export const Refusal = Schema.Union(
  InvalidRequest,
  InvalidGrant,
  Unsupported,
  InvalidScope,
  InvalidToken,
  InvalidClient,
  AccessDenied,
  InsufficientScope,
  NotFound,
  Conflict,
  RateLimited,
  ServiceFailure,
  UnexpectedStatus
)
export type Refusal = typeof Refusal.Type

/** Everything that a call of the Open API can fail with. */
export type OpenApiError = Refusal | ContractViolation | Unreachable | OutcomeUnknown | Reauthorize

/**
 * Turns an answer that is no success into its error: total over every status, body and header.
 * `operation` decides what a bare 401 means: at the token endpoint the client is wrong, elsewhere the token.
 * `secrets` of the request never appear in the result, even where the service echoes them.
 */
export const fromResponse = (response: {
  readonly status: number
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: string
  readonly operation: string
  readonly secrets?: ReadonlyArray<Redacted.Redacted>
}): Refusal => {
  const { operation, secrets = [], status } = response
  const header = lookup(response.headers)
  const challenges = Challenge.parse(header("www-authenticate") ?? "")
  const bearer = challenges.find((challenge) => challenge.scheme === "bearer")?.params
  const body = ErrorBody.read(response.body)
  const word = ErrorCode.choose(status, body.code, bearer?.get("error"))
  const atTokenEndpoint = operation.startsWith("token") || challenges.some(({ scheme }) => scheme === "basic")
  const tag = ErrorCode.classify(status, word ?? (status === 401 && atTokenEndpoint ? "invalid_client" : ""))
  const requestId = ErrorBody.traceId(body.requestId ?? header("x-request-id") ?? header("request-id") ?? "")
  const description = body.description ?? bearer?.get("error_description") ?? `${operation} answered ${status}`
  const fields = {
    code: ErrorBody.presentable(without(word ?? ErrorCode.usual(tag, status), secrets), 64),
    description: ErrorBody.presentable(without(description, secrets), 500),
    ...(requestId === "" ? {} : { requestId })
  }
  const retryAfter = RetryAfter.seconds(header("retry-after"), header("date"))
  const wait = retryAfter === undefined ? {} : { retryAfter }
  switch (tag) {
    case "InsufficientScope":
      return new InsufficientScope({
        ...fields,
        required: requiredScopes(bearer?.get("scope") ?? body.scope, description)
      })
    case "RateLimited":
      return new RateLimited({ ...fields, ...wait })
    case "ServiceFailure":
      return new ServiceFailure({ ...fields, ...wait, status })
    case "UnexpectedStatus":
      return new UnexpectedStatus({ ...fields, status })
    default:
      return new plain[tag](fields)
  }
}

/**
 * Writes an error as the service's answer: the one body of decision 4 and the headers that belong to it.
 * `credentials` says what the request carried: with `none` the challenge names no error (decision 11),
 * with `basic` the client tried HTTP Basic and is challenged for it. `shape` leaves out what only the other of the two
 * shapes has; with `envelope` the numeric `code` of the enveloped endpoints stands where the word would (decision 6).
 */
export const toResponse = (
  error: Refusal,
  requestId: string,
  options?: {
    readonly credentials?: "none" | "basic"
    readonly shape?: "superset" | "oauth" | "envelope"
    readonly envelope?: boolean
  }
): { readonly status: number; readonly headers: Readonly<Record<string, string>>; readonly body: string } => {
  const status = ErrorCode.statusOf(error)
  const code = ErrorCode.wordFor(error, status)
  const description = ErrorBody.presentable(error.description, 500)
  const challenge = challengeOf(error, description, options?.credentials)
  const trace = ErrorBody.traceId(requestId)
  return {
    status,
    headers: {
      "content-type": "application/json; charset=utf-8",
      "x-request-id": trace,
      ...(challenge === undefined ? {} : { "www-authenticate": challenge }),
      ...("retryAfter" in error && error.retryAfter !== undefined
        ? { "retry-after": String(Math.max(0, Math.ceil(error.retryAfter))) }
        : {})
    },
    body: JSON.stringify({
      ...(options?.shape === "envelope" ? {} : { error: code, error_description: description }),
      ...(options?.shape === "oauth" ? {} : { code: options?.envelope === true ? status : code, msg: description }),
      request_id: trace
    })
  }
}

const plain = {
  InvalidRequest,
  InvalidGrant,
  Unsupported,
  InvalidScope,
  InvalidToken,
  InvalidClient,
  AccessDenied,
  NotFound,
  Conflict
}

const challengeOf = (
  error: Refusal,
  description: string,
  credentials: "none" | "basic" | undefined
): string | undefined => {
  switch (error._tag) {
    case "InvalidToken":
      return credentials === "none"
        ? Challenge.format("Bearer", { realm: "openapi" })
        : Challenge.format("Bearer", { realm: "openapi", error: "invalid_token", error_description: description })
    case "InsufficientScope":
      return Challenge.format("Bearer", {
        realm: "openapi",
        error: "insufficient_scope",
        error_description: description,
        scope: error.required.join(" ")
      })
    case "InvalidClient":
      return credentials === "basic" ? Challenge.format("Basic", { realm: "openapi" }) : undefined
    default:
      return undefined
  }
}

/** The scopes that a refusal names, or else the known ones that its description mentions (decision 51). */
const requiredScopes = (scope: string | undefined, description: string): ReadonlyArray<string> =>
  scope === undefined
    ? knownScopes.filter((known) => description.includes(known))
    : [...new Set(scope.split(/\s+/).filter((word) => word !== ""))]

const lookup = (headers: Readonly<Record<string, string | undefined>>) => {
  const lower = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
  return (name: string): string | undefined => lower.get(name)
}

const without = (text: string, secrets: ReadonlyArray<Redacted.Redacted>): string =>
  secrets.reduce((rest, secret) => {
    const value = Redacted.value(secret)
    return value === "" ? rest : rest.replaceAll(value, "[redacted]")
  }, text)

/** One sentence for people: what happened, where to look it up, what to do next. */
const told = (error: { readonly description: string; readonly requestId?: string }, remedy: string): string =>
  `${error.description}${/[.!?…]$/.test(error.description) ? "" : "."}${trace(error.requestId)} ${remedy}`

const trace = (requestId: string | undefined): string => (requestId === undefined ? "" : ` (request ${requestId})`)
