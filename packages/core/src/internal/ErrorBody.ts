import { identity } from "effect/Function"

/** The fields of an error body, in any of its shapes (contract decision 4). */
export interface ErrorBody {
  /** The error code as received; a number is not an error code (contract decision 6). */
  readonly code: string | undefined
  /** The numeric `code` of an envelope, as text. */
  readonly numericCode: string | undefined
  readonly description: string | undefined
  readonly requestId: string | undefined
  readonly scope: string | undefined
}

/**
 * Reads an error body: the OAuth shape, the envelope, a nested `error` object, text, an HTML page, or nothing.
 * Never fails: an unreadable body has no fields.
 */
export const read = (body: string): ErrorBody => {
  const trimmed = body.trim()
  const json = parseJson(trimmed)
  if (isRecord(json)) return readRecord(json)
  if (json !== undefined || looksLikeTruncatedJson(trimmed)) return emptyErrorBody
  return { ...emptyErrorBody, description: looksLikeHtml(trimmed) ? readTitle(trimmed) : nonNumericText(trimmed) }
}

/**
 * Text that is safe to show and to log: printable, without anything that looks like a credential, at most `limit`
 * characters. `redact` removes known secrets. It runs on the printable text, because removing characters may join the parts of a
 * secret.
 */
export const sanitize = (text: string, limit: number, redact: (text: string) => string = identity): string => {
  const plain = redact(printable(text.slice(0, limit * 4)))
    .replace(/[A-Za-z0-9_-]{24,}/g, (run) => (/\d/.test(run) ? "[redacted]" : run))
    .trim()
  return plain.length > limit ? `${printable(plain.slice(0, limit - 1)).trimEnd()}…` : plain
}

/**
 * A request id as a header can carry it: visible ASCII, at most 128 characters, and like {@link sanitize} without
 * secrets.
 */
export const sanitizeRequestId = (text: string, redact: (text: string) => string = identity): string =>
  redact(text.replace(/[^\x21-\x7e]/g, "")).slice(0, 128)

const emptyErrorBody: ErrorBody = {
  code: undefined,
  numericCode: undefined,
  description: undefined,
  requestId: undefined,
  scope: undefined
}

const readRecord = (body: Readonly<Record<string, unknown>>): ErrorBody => {
  const nested = isRecord(body["error"]) ? body["error"] : {}
  return {
    code:
      nonNumericText(body["error"]) ??
      nonNumericText(nested["code"]) ??
      nonNumericText(body["code"]) ??
      nonNumericText(nested["type"]),
    numericCode: textOrNumber(body["code"]),
    description:
      nonNumericText(body["error_description"]) ??
      nonNumericText(nested["message"]) ??
      nonNumericText(nested["msg"]) ??
      nonNumericText(body["msg"]) ??
      nonNumericText(body["message"]),
    requestId:
      textOrNumber(body["request_id"]) ?? textOrNumber(body["requestId"]) ?? textOrNumber(nested["request_id"]),
    scope: nonNumericText(body["scope"])
  }
}

/** Control characters, lone surrogates and bidirectional marks become a space. */
const printable = (text: string): string =>
  text.replace(/[\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e\u2066-\u2069]+/gu, " ").replace(/ {2,}/g, " ")

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    // Text, HTML or truncated JSON: the caller reads it as text.
    return undefined
  }
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const nonNumericText = (value: unknown): string | undefined =>
  typeof value === "string" && !isBlank(value) && !/^\d+$/.test(value.trim()) ? value.trim() : undefined

const textOrNumber = (value: unknown): string | undefined =>
  typeof value === "string" && !isBlank(value) ? value.trim() : typeof value === "number" ? String(value) : undefined

/** Whether a text has no visible character. */
const isBlank = (text: string): boolean => printable(text).trim() === ""

const looksLikeTruncatedJson = (text: string): boolean => text.startsWith("{") || text.startsWith("[")

const looksLikeHtml = (text: string): boolean => text.startsWith("<")

const readTitle = (page: string): string | undefined => {
  const start = page.search(/<title[\s>]/i)
  if (start === -1) return undefined
  const open = page.indexOf(">", start)
  const close = page.indexOf("<", open + 1)
  return open === -1 || close === -1 ? undefined : nonNumericText(page.slice(open + 1, close))
}
