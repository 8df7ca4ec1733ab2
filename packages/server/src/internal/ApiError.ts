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

// The service's refusals with their canonical code words (contract 7.1, decision 8): here, so that each is spelled once.

export const invalidRequest = (description: string) => new InvalidRequest({ code: "invalid_request", description })

export const invalidGrant = (description: string) => new InvalidGrant({ code: "invalid_grant", description })

export const invalidScope = (description: string) => new InvalidScope({ code: "invalid_scope", description })

export const invalidClient = (description: string) => new InvalidClient({ code: "invalid_client", description })

/** Known and proved, but not active: what a device is told (contract decision 9). */
export const unauthorizedClient = (description: string) =>
  new InvalidClient({ code: "unauthorized_client", description })

// What a polling device is told until it has its tokens (contract 7.1); all travel as 400.

export const authorizationPending = (description: string) =>
  new AuthorizationPending({ code: "authorization_pending", description })

export const slowDown = (description: string) => new SlowDown({ code: "slow_down", description })

export const expiredToken = (description: string) => new ExpiredToken({ code: "expired_token", description })

export const invalidToken = (description: string) => new InvalidToken({ code: "invalid_token", description })

export const unsupportedGrantType = (description: string) =>
  new Unsupported({ code: "unsupported_grant_type", description })

export const unsupportedResponseType = (description: string) =>
  new Unsupported({ code: "unsupported_response_type", description })

export const accessDenied = (description: string) => new AccessDenied({ code: "access_denied", description })

/** 403 for a local assistant whose identity is missing (contract 7.1). */
export const forbidden = (description: string) => new Forbidden({ code: "forbidden", description })

export const notFound = (description: string) => new NotFound({ code: "not_found", description })

export const conflict = (description: string) => new Conflict({ code: "invalid_request", description })

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
