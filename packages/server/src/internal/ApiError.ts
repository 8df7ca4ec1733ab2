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

/** Makes a constructor for errors of one class and error code. */
const makeError =
  <Code extends string, E>(
    Refusal: new (fields: { readonly code: Code; readonly description: string }) => E,
    code: Code
  ) =>
  (description: string): E =>
    new Refusal({ code, description })

// The service's errors with their canonical error codes (contract 7.1, decision 8), each written once.

export const invalidRequest = makeError(InvalidRequest, "invalid_request")

export const invalidGrant = makeError(InvalidGrant, "invalid_grant")

export const invalidScope = makeError(InvalidScope, "invalid_scope")

export const invalidClient = makeError(InvalidClient, "invalid_client")

/** For the device flow: an authenticated application that is not active (contract decision 9). */
export const unauthorizedClient = makeError(InvalidClient, "unauthorized_client")

// The errors for a polling device (contract 7.1); all have the status 400.

export const authorizationPending = makeError(AuthorizationPending, "authorization_pending")

export const slowDown = makeError(SlowDown, "slow_down")

export const expiredToken = makeError(ExpiredToken, "expired_token")

export const invalidToken = makeError(InvalidToken, "invalid_token")

export const unsupportedGrantType = makeError(Unsupported, "unsupported_grant_type")

export const unsupportedResponseType = makeError(Unsupported, "unsupported_response_type")

export const accessDenied = makeError(AccessDenied, "access_denied")

/** 403 for a local assistant whose identity is missing (contract 7.1). */
export const forbidden = makeError(Forbidden, "forbidden")

export const notFound = makeError(NotFound, "not_found")

export const conflict = makeError(Conflict, "invalid_request")

export const rateLimited = (description: string, retryAfterSeconds: number) =>
  new RateLimited({ code: "rate_limited", description, retryAfter: retryAfterSeconds })

/** 503 (contract decision 18). */
export const temporarilyUnavailable = (description: string, retryAfterSeconds: number) =>
  new ServiceFailure({ code: "temporarily_unavailable", description, status: 503, retryAfter: retryAfterSeconds })

/** 405, 413 or 415 (contract decision 19). */
export const unexpectedStatus = (status: number, description: string) =>
  new UnexpectedStatus({ code: "invalid_request", description, status })

/** 502: a service behind this one failed (contract 7.1). */
export const badGateway = (description: string) =>
  new ServiceFailure({ code: "server_error", description, status: 502 })
