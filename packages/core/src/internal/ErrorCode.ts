import type { Refusal } from "../Refusal.ts"

/** The class of an error, by name. */
export type Tag = Refusal["_tag"]

/**
 * The one spelling of a code word (contract decision 8): snake case, synonyms folded.
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

/** The statuses whose error is decided by the code word (contract decision 10), with what they mean without one. */
const decidedByWord: ReadonlyMap<number, Tag> = new Map([
  [400, "InvalidRequest"],
  [401, "InvalidToken"],
  [403, "AccessDenied"]
])

const byWord: ReadonlyMap<string, Tag> = new Map([
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

/** The statuses that decide alone (contract decisions 16, 18, 20). */
const byStatus: ReadonlyMap<number, Tag> = new Map([
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
 * What an answer of this status and canonical code word means: by status where that decides alone, else by the word.
 * A success that is an error after all carries its failure in the envelope.
 */
export const classify = (status: number, word: string): Tag => {
  if (status >= 200 && status < 300) return "EnvelopeError"
  const otherwise = decidedByWord.get(status)
  return otherwise === undefined ? (byStatus.get(status) ?? "UnexpectedStatus") : (byWord.get(word) ?? otherwise)
}

/** The words that generic servers write for any 401 or 403. */
const vague: ReadonlySet<string> = new Set(["access_denied", "forbidden", "permission_denied", "unauthorized"])

/**
 * The canonical code word of body and challenge: a vague word in the body yields to what the challenge says about the
 * token.
 */
export const choose = (status: number, body: string | undefined, challenge: string | undefined): string | undefined => {
  const word = body === undefined ? undefined : canonical(body)
  if (challenge === undefined || (status !== 401 && status !== 403)) return word
  return word === undefined || vague.has(word) || !byWord.has(word) ? canonical(challenge) : word
}

/** Whether a code word is one of the document's, in any spelling: such a word holds no secret. */
export const isKnown = (code: string): boolean => knownWords.has(canonical(code))

/** The default status and code of each class of error. */
const defaults: Readonly<Record<Tag, readonly [status: number, word: string]>> = {
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

/** The status that an error travels with: its own where that reads back as the same error. */
export const statusOf = (error: Refusal): number =>
  classify(error.status, wordFor(error, error.status)) === error._tag && error.status >= 200 && error.status < 600
    ? error.status
    : defaults[error._tag][0]

/** The canonical word that an error is written with: its own where that reads back as the same error. */
export const wordFor = (error: Refusal, status: number): string => {
  const word = canonical(error.code)
  return word !== "" && classify(status, word) === error._tag ? word : defaultCode(error._tag, status)
}

const knownWords: ReadonlySet<string> = new Set([
  ...byWord.keys(),
  ...Object.values(defaults).map(([, word]) => word),
  "temporarily_unavailable"
])

const synonyms: ReadonlyMap<string, string> = new Map([
  ["internal_server_error", "server_error"],
  ["internal_error", "server_error"],
  ["service_unavailable", "temporarily_unavailable"],
  ["too_many_requests", "rate_limited"],
  ["rate_limit_exceeded", "rate_limited"]
])
