import type { Refusal } from "../Refusal.ts"

/** The `_tag` of a refusal. */
export type Tag = Refusal["_tag"]

/**
 * The canonical spelling of an error code (contract decision 8): snake case, without synonyms.
 * @example canonical("InternalServerError") // "server_error"
 */
export const canonical = (code: string): string => {
  const snake = code
    .trim()
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replace(/[\s-]+/g, "_")
    .toLowerCase()
  return synonyms.get(snake) ?? snake
}

/** The error of a status without a known error code, for the statuses where the code decides (contract decision 10). */
const fallbackTagByStatus: ReadonlyMap<number, Tag> = new Map([
  [400, "InvalidRequest"],
  [401, "InvalidToken"],
  [403, "AccessDenied"]
])

const tagByCode: ReadonlyMap<string, Tag> = new Map([
  ["invalid_request", "InvalidRequest"],
  ["invalid_grant", "InvalidGrant"],
  ["unsupported_grant_type", "Unsupported"],
  ["unsupported_response_type", "Unsupported"],
  ["invalid_scope", "InvalidScope"],
  ["authorization_pending", "AuthorizationPending"],
  ["slow_down", "SlowDown"],
  ["expired_token", "ExpiredToken"],
  ["invalid_token", "InvalidToken"],
  ["invalid_client", "InvalidClient"],
  ["unauthorized_client", "InvalidClient"],
  ["access_denied", "AccessDenied"],
  ["forbidden", "Forbidden"],
  ["permission_denied", "PermissionDenied"],
  ["unauthorized", "SignInRequired"],
  ["insufficient_scope", "InsufficientScope"],
  ["not_found", "NotFound"],
  ["rate_limited", "RateLimited"]
])

/** The errors of the statuses where the error code does not matter (contract decisions 16, 18, 20). */
const tagByStatus: ReadonlyMap<number, Tag> = new Map([
  [404, "NotFound"],
  [409, "Conflict"],
  [412, "PreconditionFailed"],
  [429, "RateLimited"],
  [500, "ServiceFailure"],
  [502, "ServiceFailure"],
  [503, "ServiceFailure"],
  [504, "ServiceFailure"]
])

/**
 * The error of a status and a canonical error code: by the status alone where it is enough, else by the code.
 * A failure with a 2xx status is a failure of the envelope.
 */
export const classify = (status: number, code: string): Tag => {
  if (status >= 200 && status < 300) return "EnvelopeError"
  const fallback = fallbackTagByStatus.get(status)
  return fallback === undefined ? (tagByStatus.get(status) ?? "UnexpectedStatus") : (tagByCode.get(code) ?? fallback)
}

/** The error codes that generic servers send with any 401 or 403. */
const genericCodes: ReadonlySet<string> = new Set(["access_denied", "forbidden", "permission_denied", "unauthorized"])

/**
 * The canonical error code of a body and a challenge. The challenge wins over a generic code of the body.
 */
export const resolve = (
  status: number,
  body: string | undefined,
  challenge: string | undefined
): string | undefined => {
  const code = body === undefined ? undefined : canonical(body)
  if (challenge === undefined || (status !== 401 && status !== 403)) return code
  return code === undefined || genericCodes.has(code) || !tagByCode.has(code) ? canonical(challenge) : code
}

/** Whether an error code is one of the contract's, in any spelling: such a code has no secret. */
export const isKnown = (code: string): boolean => knownCodes.has(canonical(code))

/** The default status and code of each class of error. */
const defaults: Readonly<Record<Tag, readonly [status: number, code: string]>> = {
  InvalidRequest: [400, "invalid_request"],
  InvalidGrant: [400, "invalid_grant"],
  Unsupported: [400, "unsupported_grant_type"],
  InvalidScope: [400, "invalid_scope"],
  AuthorizationPending: [400, "authorization_pending"],
  SlowDown: [400, "slow_down"],
  ExpiredToken: [400, "expired_token"],
  InvalidToken: [401, "invalid_token"],
  InvalidClient: [401, "invalid_client"],
  SignInRequired: [401, "unauthorized"],
  AccessDenied: [403, "access_denied"],
  Forbidden: [403, "forbidden"],
  PermissionDenied: [403, "permission_denied"],
  InsufficientScope: [403, "insufficient_scope"],
  NotFound: [404, "not_found"],
  Conflict: [409, "invalid_request"],
  PreconditionFailed: [412, "invalid_request"],
  RateLimited: [429, "rate_limited"],
  ServiceFailure: [500, "server_error"],
  EnvelopeError: [200, "unknown"],
  UnexpectedStatus: [500, "invalid_request"]
}

/** The default code of a class of error. */
export const defaultCode = (tag: Tag, status: number): string =>
  status === 503 ? "temporarily_unavailable" : defaults[tag][1]

/** The status to send an error with: its own, if a client reads that as the same error. */
export const statusOf = (error: Refusal): number =>
  classify(error.status, codeFor(error, error.status)) === error._tag && error.status >= 200 && error.status < 600
    ? error.status
    : defaults[error._tag][0]

/** The canonical error code to send: the error's own, if a client reads that as the same error. */
export const codeFor = (error: Refusal, status: number): string => {
  const code = canonical(error.code)
  return code !== "" && classify(status, code) === error._tag ? code : defaultCode(error._tag, status)
}

const knownCodes: ReadonlySet<string> = new Set([
  ...tagByCode.keys(),
  ...Object.values(defaults).map(([, code]) => code),
  "temporarily_unavailable"
])

const synonyms: ReadonlyMap<string, string> = new Map([
  ["internal_server_error", "server_error"],
  ["internal_error", "server_error"],
  ["service_unavailable", "temporarily_unavailable"],
  ["too_many_requests", "rate_limited"],
  ["rate_limit_exceeded", "rate_limited"]
])
