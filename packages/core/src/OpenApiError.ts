import * as Schema from "effect/Schema"

/** What every refusal of the service says: its code word, its description, its trace id. */
const said = {
  code: Schema.String,
  description: Schema.String,
  requestId: Schema.optionalWith(Schema.String, { exact: true })
}

/** 400: a parameter is missing, malformed or in an illegal combination. Fix the request. */
export class InvalidRequest extends Schema.TaggedError<InvalidRequest>()("InvalidRequest", said) {}

/** 400: the authorization code, refresh token or redemption code is invalid or used. Final: never retried (7.1). */
export class InvalidGrant extends Schema.TaggedError<InvalidGrant>()("InvalidGrant", said) {}

/** 400: the grant type or response type is not supported. Use a supported one. */
export class Unsupported extends Schema.TaggedError<Unsupported>()("Unsupported", said) {}

/** 400: the application has no bound scope, or asked for more than it is bound to. */
export class InvalidScope extends Schema.TaggedError<InvalidScope>()("InvalidScope", said) {}

/** 401: the access token is missing, expired or wrong. Renew it once and try again. */
export class InvalidToken extends Schema.TaggedError<InvalidToken>()("InvalidToken", said) {}

/** 401: client id or secret are wrong, or the application is not active. A configuration fault: nothing is retried or deleted. */
export class InvalidClient extends Schema.TaggedError<InvalidClient>()("InvalidClient", said) {}

/** 403: not authorized, or the application is not active, or the account has no credits. */
export class AccessDenied extends Schema.TaggedError<AccessDenied>()("AccessDenied", said) {}

/** 403: the grant lacks a scope. `required` lists what the operation needs, as far as the service told. */
export class InsufficientScope extends Schema.TaggedError<InsufficientScope>()("InsufficientScope", {
  ...said,
  required: Schema.Array(Schema.String)
}) {}

/** 404: no such resource, or it belongs to someone else (decision 85). */
export class NotFound extends Schema.TaggedError<NotFound>()("NotFound", said) {}

/** 409 or 412: already handled, or not possible in the present state. Do not resubmit. */
export class Conflict extends Schema.TaggedError<Conflict>()("Conflict", said) {}

/** 429: too many requests. `retryAfter` is seconds, where the service told. */
export class RateLimited extends Schema.TaggedError<RateLimited>()("RateLimited", {
  ...said,
  retryAfter: Schema.optionalWith(Schema.Number, { exact: true })
}) {}

/** 500, 502, 503, 504: the service or something behind it failed. `retryAfter` is seconds, where the service told. */
export class ServiceFailure extends Schema.TaggedError<ServiceFailure>()("ServiceFailure", {
  ...said,
  status: Schema.Number,
  retryAfter: Schema.optionalWith(Schema.Number, { exact: true })
}) {}

/** Any other status (decision 19): 405, 413, 415, or one that the document does not know. */
export class UnexpectedStatus extends Schema.TaggedError<UnexpectedStatus>()("UnexpectedStatus", {
  ...said,
  status: Schema.Number
}) {}

/** The service answered with success, but a used field is missing or of the wrong type. `path` names it; its value is never held. */
export class ContractViolation extends Schema.TaggedError<ContractViolation>()("ContractViolation", {
  operation: Schema.String,
  path: Schema.String,
  requestId: Schema.optionalWith(Schema.String, { exact: true })
}) {}

/** The request surely did not reach the service: refused, unresolvable, or never sent. Nothing was changed. */
export class Unreachable extends Schema.TaggedError<Unreachable>()("Unreachable", {
  operation: Schema.String,
  reason: Schema.String
}) {}

/** A write may or may not have been received: the connection broke or timed out after it was sent. It is not sent again. */
export class OutcomeUnknown extends Schema.TaggedError<OutcomeUnknown>()("OutcomeUnknown", {
  operation: Schema.String,
  reason: Schema.String
}) {}

/** The grant is dead and its user has to connect again. Raised by whoever implements {@link AccessToken}. */
export class Reauthorize extends Schema.TaggedError<Reauthorize>()("Reauthorize", { reason: Schema.String }) {}

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
