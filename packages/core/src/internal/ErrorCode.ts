import type { Refusal } from "../OpenApiError.ts"

/** The class of an error, by name. */
export type Tag = Refusal["_tag"]

/**
 * The one spelling of a code word (decision 8): snake case, synonyms folded.
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

/** The statuses whose error is decided by the code word (decision 10), with what they mean without one. */
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
  ["invalid_token", "InvalidToken"],
  ["invalid_client", "InvalidClient"],
  ["unauthorized_client", "InvalidClient"],
  ["access_denied", "AccessDenied"],
  ["forbidden", "AccessDenied"],
  ["permission_denied", "AccessDenied"],
  ["unauthorized", "AccessDenied"],
  ["insufficient_scope", "InsufficientScope"],
  ["not_found", "NotFound"],
  ["rate_limited", "RateLimited"]
])

/** The statuses that decide alone (decisions 16, 18, 20). */
const byStatus: ReadonlyMap<number, Tag> = new Map([
  [404, "NotFound"],
  [409, "Conflict"],
  [412, "Conflict"],
  [429, "RateLimited"],
  [500, "ServiceFailure"],
  [502, "ServiceFailure"],
  [503, "ServiceFailure"],
  [504, "ServiceFailure"]
])

/** What an answer of this status and canonical code word means: by status where that decides alone, else by the word. */
export const classify = (status: number, word: string): Tag => {
  const otherwise = decidedByWord.get(status)
  return otherwise === undefined ? (byStatus.get(status) ?? "UnexpectedStatus") : (byWord.get(word) ?? otherwise)
}

/** The canonical code word of body and challenge: a vague word in the body yields to what the challenge says about the token. */
export const choose = (status: number, body: string | undefined, challenge: string | undefined): string | undefined => {
  const word = body === undefined ? undefined : canonical(body)
  if (challenge === undefined || (status !== 401 && status !== 403)) return word
  return word === undefined || classify(status, word) === "AccessDenied" || !byWord.has(word)
    ? canonical(challenge)
    : word
}

const words: Readonly<Record<Tag, string>> = {
  InvalidRequest: "invalid_request",
  InvalidGrant: "invalid_grant",
  Unsupported: "unsupported_grant_type",
  InvalidScope: "invalid_scope",
  InvalidToken: "invalid_token",
  InvalidClient: "invalid_client",
  AccessDenied: "access_denied",
  InsufficientScope: "insufficient_scope",
  NotFound: "not_found",
  Conflict: "invalid_request",
  RateLimited: "rate_limited",
  ServiceFailure: "server_error",
  UnexpectedStatus: "invalid_request"
}

/** The word that an error of this tag usually travels with. */
export const usual = (tag: Tag, status: number): string => (status === 503 ? "temporarily_unavailable" : words[tag])

const statuses: Readonly<Record<Tag, number>> = {
  InvalidRequest: 400,
  InvalidGrant: 400,
  Unsupported: 400,
  InvalidScope: 400,
  InvalidToken: 401,
  InvalidClient: 401,
  AccessDenied: 403,
  InsufficientScope: 403,
  NotFound: 404,
  Conflict: 409,
  RateLimited: 429,
  ServiceFailure: 500,
  UnexpectedStatus: 500
}

/** The status that an error travels with. */
export const statusOf = (error: Refusal): number =>
  "status" in error && error.status >= 400 && error.status < 600 && classify(error.status, "") === error._tag
    ? error.status
    : statuses[error._tag]

/** The canonical word that an error is written with: its own where that reads back as the same error. */
export const wordFor = (error: Refusal, status: number): string => {
  const word = canonical(error.code)
  return word !== "" && classify(status, word) === error._tag ? word : usual(error._tag, status)
}

const synonyms: ReadonlyMap<string, string> = new Map([
  ["internal_server_error", "server_error"],
  ["internal_error", "server_error"],
  ["service_unavailable", "temporarily_unavailable"],
  ["too_many_requests", "rate_limited"],
  ["rate_limit_exceeded", "rate_limited"]
])
