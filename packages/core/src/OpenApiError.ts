import * as Schema from "effect/Schema"
import * as ErrorWire from "./internal/ErrorWire.ts"

/**
 * What every refusal of the service says: its HTTP status, its code word, its description, its trace id
 * and, where the service told, the seconds to wait before another try.
 */
const said = (status: number) => ({
  status: Schema.propertySignature(Schema.Int).pipe(Schema.withConstructorDefault(() => status)),
  code: Schema.String,
  description: Schema.String,
  requestId: Schema.optionalWith(Schema.String, { exact: true }),
  retryAfter: Schema.optionalWith(Schema.Number, { exact: true })
})

/** Gives a class of refusals its message: what happened, the trace id and the remedy. */
const remedied = <C extends abstract new (...args: never) => Said>(refusal: C, remedy: string): C => {
  Object.defineProperty(refusal.prototype, "message", {
    get(this: Said) {
      return told(this, remedy)
    },
    configurable: true
  })
  return refusal
}

/** 400: a parameter is missing, malformed or in an illegal combination. Fix the request. */
export class InvalidRequest extends remedied(
  Schema.TaggedError<InvalidRequest>()("InvalidRequest", said(400)),
  "Nothing was changed. Fix the request."
) {}

/** 400: the authorization code, refresh token or redemption code is invalid or used. Final: never retried (7.1). */
export class InvalidGrant extends remedied(
  Schema.TaggedError<InvalidGrant>()("InvalidGrant", said(400)),
  "Sending it again cannot help: use another code, or authorize again."
) {}

/** 400: the grant type or response type is not supported. Use a supported one. */
export class Unsupported extends remedied(
  Schema.TaggedError<Unsupported>()("Unsupported", said(400)),
  "Use a supported grant or response type."
) {}

/** 400: the application has no bound scope, or asked for more than it is bound to. */
export class InvalidScope extends remedied(
  Schema.TaggedError<InvalidScope>()("InvalidScope", said(400)),
  "Ask only for scopes that the application is bound to."
) {}

/** 400: the user has not answered the device authorization yet. Keep polling at the interval. */
export class AuthorizationPending extends remedied(
  Schema.TaggedError<AuthorizationPending>()("AuthorizationPending", said(400)),
  "The user has not acted yet: keep polling at the interval."
) {}

/** 400: the device authorization is polled too fast. Add 5 seconds to the interval for good (decision 48). */
export class SlowDown extends remedied(
  Schema.TaggedError<SlowDown>()("SlowDown", said(400)),
  "Poll 5 seconds slower from now on."
) {}

/** 400: the device code has expired or was used. Start the device authorization again. */
export class ExpiredToken extends remedied(
  Schema.TaggedError<ExpiredToken>()("ExpiredToken", said(400)),
  "Start the device authorization again."
) {}

/** 401: the access token is missing, expired or wrong. Renew it once and try again. */
export class InvalidToken extends remedied(
  Schema.TaggedError<InvalidToken>()("InvalidToken", said(401)),
  "Connect the account again if this stays."
) {}

/** 401: client id or secret are wrong, or the application is not active. A configuration fault: nothing is retried or deleted. */
export class InvalidClient extends remedied(
  Schema.TaggedError<InvalidClient>()("InvalidClient", said(401)),
  "Check the client id, the client secret and that the application is active."
) {}

/** 401: the user has no login state at the service. Not a token problem: nothing is renewed (decision 14). */
export class SignInRequired extends remedied(
  Schema.TaggedError<SignInRequired>()("SignInRequired", said(401)),
  "The user has to sign in at the service; a new access token does not help."
) {}

/** 403: not authorized, or the application is not active, or the account has no credits. */
export class AccessDenied extends remedied(
  Schema.TaggedError<AccessDenied>()("AccessDenied", said(403)),
  "Check that the user authorized the application, that both are active and that credits are left."
) {}

/** 403: the local assistant or something behind it refuses. It is not our token: nothing is renewed (decision 72). */
export class Forbidden extends remedied(
  Schema.TaggedError<Forbidden>()("Forbidden", said(403)),
  "Check that the local assistant is set up; if it is, report it with the request id."
) {}

/** 403: the calling service is not on the service's allow list. Use a registered one. */
export class PermissionDenied extends remedied(
  Schema.TaggedError<PermissionDenied>()("PermissionDenied", said(403)),
  "Register the calling service with the operator of the service."
) {}

/** 403: the grant lacks a scope. `required` lists what the operation needs, as far as the service told. */
export class InsufficientScope extends Schema.TaggedError<InsufficientScope>()("InsufficientScope", {
  ...said(403),
  required: Schema.Array(Schema.String)
}) {
  override get message(): string {
    return told(this, `Authorize again with ${this.required.length === 0 ? "more scopes" : this.required.join(" ")}.`)
  }
}

/** 404: no such resource, or it belongs to someone else (decision 85). */
export class NotFound extends remedied(
  Schema.TaggedError<NotFound>()("NotFound", said(404)),
  "Nothing was changed. Check the identifier."
) {}

/** 409: already handled, or not possible in the present state. Do not resubmit (decision 16). */
export class Conflict extends remedied(
  Schema.TaggedError<Conflict>()("Conflict", said(409)),
  "It was already handled or is not possible now; do not send it again."
) {}

/** 412: the user has to authorize the application first (decision 15). Not retried. */
export class PreconditionFailed extends remedied(
  Schema.TaggedError<PreconditionFailed>()("PreconditionFailed", said(412)),
  "The user has to authorize the application first."
) {}

/** 429: too many requests. Wait for `retryAfter` seconds. */
export class RateLimited extends Schema.TaggedError<RateLimited>()("RateLimited", said(429)) {
  override get message(): string {
    return told(this, this.retryAfter === undefined ? "Try again later." : `Try again in ${this.retryAfter} s.`)
  }
}

/** 500, 502, 503, 504: the service or something behind it failed. Try again later. Of a write only 503 (see {@link OutcomeUnknown}). */
export class ServiceFailure extends remedied(
  Schema.TaggedError<ServiceFailure>()("ServiceFailure", said(500)),
  "Try again later; if it stays, report it with the request id."
) {}

/** 200, but the envelope's `code` is not 0 (decision 7); `code` is that code as text. Whether something was changed, only its description says. */
export class EnvelopeError extends remedied(
  Schema.TaggedError<EnvelopeError>()("EnvelopeError", said(200)),
  "The service reported a failure in an answer of success; report it with the request id."
) {}

/** Any other status (decision 19): 405, 413, 415, or one that the document does not know. */
export class UnexpectedStatus extends Schema.TaggedError<UnexpectedStatus>()("UnexpectedStatus", {
  ...said(500),
  status: Schema.Int
}) {
  override get message(): string {
    return told(this, `The service answered with status ${this.status}.`)
  }
}

/**
 * The service answered with success, but a used field is missing or of the wrong type. `path` names it; its value is
 * never held. A write has taken effect all the same.
 */
export class ContractViolation extends Schema.TaggedError<ContractViolation>()("ContractViolation", {
  operation: Schema.String,
  path: Schema.String,
  status: Schema.optionalWith(Schema.Int, { exact: true }),
  requestId: Schema.optionalWith(Schema.String, { exact: true })
}) {
  override get message(): string {
    return `The service's answer to ${this.operation} does not keep its contract at "${this.path}".${trace(this.requestId)} If it was a write, it has taken effect: do not send it again.`
  }
}

/** What is known of an answer that is no refusal: its HTTP status and its trace id. */
const heard = {
  status: Schema.optionalWith(Schema.Int, { exact: true }),
  requestId: Schema.optionalWith(Schema.String, { exact: true })
}

/**
 * The request did not reach the service, or it only reads and its answer was lost. Nothing was changed. `status` and
 * `requestId` are those of the part of an answer that came, or of the answer that kept the token from being renewed.
 */
export class Unreachable extends Schema.TaggedError<Unreachable>()("Unreachable", {
  operation: Schema.String,
  reason: Schema.String,
  ...heard
}) {
  override get message(): string {
    return `${this.operation} got no answer: ${this.reason}.${trace(this.requestId)} Nothing was changed. Try again later.`
  }
}

/**
 * A write may or may not have been carried out: the connection broke or timed out after it was sent, or the answer was
 * 500, 502 or 504. It is not sent again. `status` and `requestId` are those of what came of an answer.
 */
export class OutcomeUnknown extends Schema.TaggedError<OutcomeUnknown>()("OutcomeUnknown", {
  operation: Schema.String,
  reason: Schema.String,
  ...heard
}) {
  override get message(): string {
    const happened =
      this.status !== undefined && this.status >= 500
        ? `but the service answered ${this.status}`
        : "but its answer was lost"
    return `${this.operation} was sent, ${happened}: ${ended(this.reason)}${trace(this.requestId)} It may have taken effect; look before trying again.`
  }
}

/**
 * The grant is dead and its user has to connect again. Raised by whoever implements {@link AccessToken}; `status`,
 * `description` and `requestId` are those of the refusal that ended it, where one did.
 */
export class Reauthorize extends Schema.TaggedError<Reauthorize>()("Reauthorize", {
  reason: Schema.String,
  ...heard,
  description: Schema.optionalWith(Schema.String, { exact: true })
}) {
  override get message(): string {
    const words = this.description === undefined ? "." : ` (“${this.description}”).`
    return `The account has to be connected again: ${this.reason}${words}${trace(this.requestId)}`
  }
}

/** Every refusal that a service can put on the wire. */
export const Refusal = Schema.Union(
  InvalidRequest,
  InvalidGrant,
  Unsupported,
  InvalidScope,
  AuthorizationPending,
  SlowDown,
  ExpiredToken,
  InvalidToken,
  InvalidClient,
  SignInRequired,
  AccessDenied,
  Forbidden,
  PermissionDenied,
  InsufficientScope,
  NotFound,
  Conflict,
  PreconditionFailed,
  RateLimited,
  ServiceFailure,
  EnvelopeError,
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
export const fromResponse = (answer: ErrorWire.Answer): Refusal => {
  const { required, tag, ...fields } = ErrorWire.read(answer)
  return tag === "InsufficientScope" ? new InsufficientScope({ ...fields, required }) : new plain[tag](fields)
}

/**
 * Writes an error as the service's answer: the one body of decision 4 and the headers that belong to it.
 * `credentials` says what the request carried: with `none` the challenge names no error (decision 11),
 * with `basic` the client tried HTTP Basic and is challenged for it. `shape` leaves out what only the other of the two
 * shapes has; with `envelope` the numeric `code` of the enveloped endpoints stands where the word would (decision 6).
 */
export const toResponse: (
  error: Refusal,
  requestId: string,
  options?: ErrorWire.Wording
) => { readonly status: number; readonly headers: Readonly<Record<string, string>>; readonly body: string } =
  ErrorWire.write

const plain = {
  InvalidRequest,
  InvalidGrant,
  Unsupported,
  InvalidScope,
  AuthorizationPending,
  SlowDown,
  ExpiredToken,
  InvalidToken,
  InvalidClient,
  SignInRequired,
  AccessDenied,
  Forbidden,
  PermissionDenied,
  NotFound,
  Conflict,
  PreconditionFailed,
  RateLimited,
  ServiceFailure,
  EnvelopeError,
  UnexpectedStatus
}

type Said = { readonly description: string; readonly requestId?: string }

/** One sentence for people: what happened, where to look it up, what to do next. */
const told = (error: Said, remedy: string): string => `${ended(error.description)}${trace(error.requestId)} ${remedy}`

const ended = (sentence: string): string => `${sentence}${/[.!?…]$/.test(sentence) ? "" : "."}`

const trace = (requestId: string | undefined): string => (requestId === undefined ? "" : ` (request ${requestId})`)
