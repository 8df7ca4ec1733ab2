import {
  AccessDenied,
  AuthorizationPending,
  Conflict,
  ExpiredToken,
  Forbidden,
  InvalidClient,
  InvalidGrant,
  InvalidRequest,
  InvalidScope,
  InvalidToken,
  NotFound,
  RateLimited,
  ServiceFailure,
  SlowDown,
  UnexpectedStatus,
  Unsupported
} from "@heddle/core/OpenApiError"

/** Makes the errors of one class and error code from a description. */
const refusal =
  <Code extends string, E>(
    Refusal: new (fields: { readonly code: Code; readonly description: string }) => E,
    code: Code
  ) =>
  (description: string): E =>
    new Refusal({ code, description })

// The service's refusals with their canonical error codes (contract 7.1, decision 8): here, so that each is spelled once.

export const invalidRequest = refusal(InvalidRequest, "invalid_request")

export const invalidGrant = refusal(InvalidGrant, "invalid_grant")

export const invalidScope = refusal(InvalidScope, "invalid_scope")

export const invalidClient = refusal(InvalidClient, "invalid_client")

/** Known and proved, but not active: what a device is told (contract decision 9). */
export const unauthorizedClient = refusal(InvalidClient, "unauthorized_client")

// What a polling device is told until it has its tokens (contract 7.1); all travel as 400.

export const authorizationPending = refusal(AuthorizationPending, "authorization_pending")

export const slowDown = refusal(SlowDown, "slow_down")

export const expiredToken = refusal(ExpiredToken, "expired_token")

export const invalidToken = refusal(InvalidToken, "invalid_token")

export const unsupportedGrantType = refusal(Unsupported, "unsupported_grant_type")

export const unsupportedResponseType = refusal(Unsupported, "unsupported_response_type")

export const accessDenied = refusal(AccessDenied, "access_denied")

/** 403 for a local assistant whose identity is missing (contract 7.1). */
export const forbidden = refusal(Forbidden, "forbidden")

export const notFound = refusal(NotFound, "not_found")

export const conflict = refusal(Conflict, "invalid_request")

export const rateLimited = (description: string, retryAfter: number) =>
  new RateLimited({ code: "rate_limited", description, retryAfter })

/** 503: not now, but soon (contract decision 18). */
export const temporarily = (description: string, retryAfter: number) =>
  new ServiceFailure({ code: "temporarily_unavailable", description, status: 503, retryAfter })

/** 405, 413 or 415 (contract decision 19). */
export const unexpected = (status: number, description: string) =>
  new UnexpectedStatus({ code: "invalid_request", description, status })

/** 502: what is behind the service failed (contract 7.1). */
export const badGateway = (description: string) =>
  new ServiceFailure({ code: "server_error", description, status: 502 })
