import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as Schema from "effect/Schema"
import { withFullStop, requestNote } from "./internal/Sentence.ts"

/**
 * The fields of every refusal: HTTP status, error code, description and, if the service sent them, request id and
 * `retryAfter`, the seconds to wait before another try.
 */
const fields = (status: number) => ({
  status: Schema.propertySignature(Schema.Int).pipe(Schema.withConstructorDefault(() => status)),
  code: Schema.String,
  description: Schema.String,
  requestId: Schema.optionalWith(Schema.String, { exact: true }),
  retryAfter: Schema.optionalWith(Schema.Number, { exact: true })
})

type Base<Self, Tag extends string> = Schema.TaggedErrorClass<
  Self,
  Tag,
  { readonly _tag: Schema.tag<Tag> } & ReturnType<typeof fields>
>

/**
 * Makes the base class of a refusal. Its message has the description, the request id and the remedy; `description` is
 * the text of the status in the OpenAPI document.
 */
const refusalClass =
  <Self>() =>
  <Tag extends string>(tag: Tag, status: number, remedy: string, description?: string): Base<Self, Tag> => {
    const annotations = HttpApiSchema.annotations<Self>({
      status,
      ...(description === undefined ? {} : { description })
    })
    const base = Schema.TaggedError<Self>()(tag, fields(status), annotations) as Base<Self, Tag>
    Object.defineProperty(base.prototype, "message", {
      get(this: MessageFields) {
        return messageOf(this, remedy)
      },
      configurable: true
    })
    return base
  }

/** 400: a parameter is missing, malformed or in an illegal combination. Fix the request. */
export class InvalidRequest extends refusalClass<InvalidRequest>()(
  "InvalidRequest",
  400,
  "Nothing was changed. Fix the request.",
  "`invalid_request`: something is missing or malformed; the description names the field."
) {}

/**
 * 400: the authorization code, refresh token or redemption code is invalid or used. Final: never retried (contract
 * 7.1).
 */
export class InvalidGrant extends refusalClass<InvalidGrant>()(
  "InvalidGrant",
  400,
  "Sending it again cannot help: use another code, or authorize again.",
  "`invalid_grant`: the code or token is wrong, used, expired or exhausted. Final."
) {}

/** 400: the grant type or response type is not supported. Use a supported one. */
export class Unsupported extends refusalClass<Unsupported>()(
  "Unsupported",
  400,
  "Use a supported grant or response type.",
  "`unsupported_grant_type`: the service does not support this grant type."
) {}

/** 400: the application has no bound scope, or requested more than it is bound to. */
export class InvalidScope extends refusalClass<InvalidScope>()(
  "InvalidScope",
  400,
  "Ask only for scopes that the application is bound to.",
  "`invalid_scope`: the application is not bound to every requested scope."
) {}

/** 400: the user has not answered the device authorization yet. Keep polling at the interval. */
export class AuthorizationPending extends refusalClass<AuthorizationPending>()(
  "AuthorizationPending",
  400,
  "The user has not acted yet: keep polling at the interval.",
  "`authorization_pending`: the user has not answered yet."
) {}

/** 400: the device authorization is polled too fast. Add 5 seconds to the interval for good (contract decision 48). */
export class SlowDown extends refusalClass<SlowDown>()(
  "SlowDown",
  400,
  "Poll 5 seconds slower from now on.",
  "`slow_down`: poll 5 seconds slower from now on."
) {}

/** 400: the device code has expired or was used. Start the device authorization again. */
export class ExpiredToken extends refusalClass<ExpiredToken>()(
  "ExpiredToken",
  400,
  "Start the device authorization again.",
  "`expired_token`: the device code has expired or was used."
) {}

/** 401: the access token is missing, expired or wrong. Renew it once and try again. */
export class InvalidToken extends refusalClass<InvalidToken>()(
  "InvalidToken",
  401,
  "Connect the account again if this stays.",
  "`invalid_token`: the access token is missing, wrong or expired."
) {}

/**
 * 401: client id or secret are wrong, or the application is not active. A configuration fault: nothing is retried or
 * deleted.
 */
export class InvalidClient extends refusalClass<InvalidClient>()(
  "InvalidClient",
  401,
  "Check the client id, the client secret and that the application is active.",
  "`invalid_client`: the client id or secret is wrong, or the application is not active."
) {}

/**
 * 401 `Unauthorized`: the user has no login state at the service, also after the access token was renewed once (contract
 * decision 14).
 */
export class SignInRequired extends refusalClass<SignInRequired>()(
  "SignInRequired",
  401,
  "The user has to sign in at the service; a new access token does not help."
) {}

/** 403: not authorized, or the application is not active, or the account has no credits. */
export class AccessDenied extends refusalClass<AccessDenied>()(
  "AccessDenied",
  403,
  "Check that the user authorized the application, that both are active and that credits are left.",
  "`access_denied`: the application is not active, or the account is not allowed to do this."
) {}

/**
 * 403: the local assistant or something behind it refuses. The token is not the cause: nothing is renewed (contract decision
 * 72).
 */
export class Forbidden extends refusalClass<Forbidden>()(
  "Forbidden",
  403,
  "Check that the local assistant is set up; if it is, report it with the request id.",
  "`forbidden`: the local assistant refused."
) {}

/** 403: the calling service is not on the service's allow list. Use a registered one. */
export class PermissionDenied extends refusalClass<PermissionDenied>()(
  "PermissionDenied",
  403,
  "Register the calling service with the operator of the service."
) {}

/** 403: the grant lacks a scope. `required` lists what the operation needs, as far as the service says. */
export class InsufficientScope extends Schema.TaggedError<InsufficientScope>()(
  "InsufficientScope",
  { ...fields(403), required: Schema.Array(Schema.String) },
  HttpApiSchema.annotations({
    status: 403,
    description: "`insufficient_scope`: the token lacks the scope that `WWW-Authenticate` names."
  })
) {
  override get message(): string {
    return messageOf(
      this,
      `Authorize again with ${this.required.length === 0 ? "more scopes" : this.required.join(" ")}.`
    )
  }
}

/** 404: no such resource, or it belongs to someone else (contract decision 85). */
export class NotFound extends refusalClass<NotFound>()(
  "NotFound",
  404,
  "Nothing was changed. Check the identifier.",
  "`not_found`: there is no such thing, or it belongs to someone else."
) {}

/**
 * 409: already handled, or not possible in the present state. Do not resubmit (contract decision 16). For a new task or
 * message it becomes an {@link OutcomeUnknown}.
 */
export class Conflict extends refusalClass<Conflict>()(
  "Conflict",
  409,
  "It was already handled or is not possible now; do not send it again.",
  "`invalid_request`: the key was used with another body, or the request was already handled. Do not send it again."
) {}

/** 412: the user has to authorize the application first (contract decision 15). Not retried. */
export class PreconditionFailed extends refusalClass<PreconditionFailed>()(
  "PreconditionFailed",
  412,
  "The user has to authorize the application first."
) {}

/** 429: too many requests. Wait for `retryAfter` seconds. */
export class RateLimited extends Schema.TaggedError<RateLimited>()(
  "RateLimited",
  fields(429),
  HttpApiSchema.annotations({
    status: 429,
    description: "`rate_limited`: too many requests. Wait as `Retry-After` says."
  })
) {
  override get message(): string {
    return messageOf(this, this.retryAfter === undefined ? "Try again later." : `Try again in ${this.retryAfter} s.`)
  }
}

/**
 * 500, 502, 503, 504: the service or something behind it failed. Try again later. For a write they become an
 * {@link OutcomeUnknown}.
 */
export class ServiceFailure extends refusalClass<ServiceFailure>()(
  "ServiceFailure",
  500,
  "Try again later; if it stays, report it with the request id.",
  "`server_error`: the service failed. Report it with the `request_id`."
) {}

/**
 * 200, but the envelope's `code` is not 0 (contract decision 7); `code` is that code as text. Only its description says whether
 * anything was changed.
 */
export class EnvelopeError extends refusalClass<EnvelopeError>()(
  "EnvelopeError",
  200,
  "The service reported a failure in an answer of success; report it with the request id."
) {}

/**
 * Any other status (contract decision 19): 405, 413, 415, or one that the contract does not have. One that does not say
 * that nothing was done becomes an {@link OutcomeUnknown} for a new task or message.
 */
export class UnexpectedStatus extends Schema.TaggedError<UnexpectedStatus>()("UnexpectedStatus", {
  ...fields(500),
  status: Schema.Int
}) {
  override get message(): string {
    return messageOf(this, `The service answered with status ${this.status}.`)
  }
}

/** Every refusal that a service can send. */
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

interface MessageFields {
  readonly description: string
  readonly requestId?: string
}

const messageOf = ({ description, requestId }: MessageFields, remedy: string): string =>
  `${withFullStop(description)}${requestNote(requestId)} ${remedy}`
