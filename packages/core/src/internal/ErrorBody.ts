/** What an error body says, whatever its shape (contract decision 4). */
export interface ErrorBody {
  /** The code word as written; numbers are no code words (contract decision 6). */
  readonly code: string | undefined
  /** The number that an envelope's `code` is, as text. */
  readonly number: string | undefined
  readonly description: string | undefined
  readonly requestId: string | undefined
  readonly scope: string | undefined
}

/**
 * Reads an error body: the OAuth shape, the envelope, a nested `error` object, text, a page, or nothing.
 * Total: a body that cannot be read says nothing.
 */
export const read = (body: string): ErrorBody => {
  const trimmed = body.trim()
  const json = parseJson(trimmed)
  if (isRecord(json)) return fromRecord(json)
  if (json !== undefined || looksCut(trimmed)) return nothing
  return { ...nothing, description: looksLikePage(trimmed) ? title(trimmed) : word(trimmed) }
}

/**
 * Text that is safe to show and to log: printable, without anything that looks like a credential, at most `limit`
 * characters. `safe` takes known secrets out; it sees the printable text, because cleaning may bring their parts
 * together.
 */
export const sanitize = (text: string, limit: number, safe: (text: string) => string = (same) => same): string => {
  const plain = safe(printable(text.slice(0, limit * 4)))
    .replace(/[A-Za-z0-9_-]{24,}/g, (run) => (/\d/.test(run) ? "[redacted]" : run))
    .trim()
  return plain.length > limit ? `${printable(plain.slice(0, limit - 1)).trimEnd()}…` : plain
}

/**
 * A request id as a header can carry it: visible ASCII, at most 128 characters, and like {@link sanitize} without
 * secrets.
 */
export const requestId = (text: string, safe: (text: string) => string = (same) => same): string =>
  safe(text.replace(/[^\x21-\x7e]/g, "")).slice(0, 128)

const nothing: ErrorBody = {
  code: undefined,
  number: undefined,
  description: undefined,
  requestId: undefined,
  scope: undefined
}

const fromRecord = (body: Readonly<Record<string, unknown>>): ErrorBody => {
  const nested = isRecord(body["error"]) ? body["error"] : {}
  return {
    code: word(body["error"]) ?? word(nested["code"]) ?? word(body["code"]) ?? word(nested["type"]),
    number: id(body["code"]),
    description:
      word(body["error_description"]) ??
      word(nested["message"]) ??
      word(nested["msg"]) ??
      word(body["msg"]) ??
      word(body["message"]),
    requestId: id(body["request_id"]) ?? id(body["requestId"]) ?? id(nested["request_id"]),
    scope: word(body["scope"])
  }
}

/** Controls, halves of characters and marks that reorder the text around them become a space. */
const printable = (text: string): string =>
  text.replace(/[\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e\u2066-\u2069]+/gu, " ").replace(/ {2,}/g, " ")

const parseJson = (text: string): unknown => {
  if (!/^[[{"\dtfn-]/.test(text)) return undefined
  try {
    return JSON.parse(text)
  } catch {
    // Not JSON after all, or cut off: the caller goes on with the text.
    return undefined
  }
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const word = (value: unknown): string | undefined =>
  typeof value === "string" && !isBlank(value) && !/^\d+$/.test(value.trim()) ? value.trim() : undefined

const id = (value: unknown): string | undefined =>
  typeof value === "string" && !isBlank(value) ? value.trim() : typeof value === "number" ? String(value) : undefined

/** Whether nothing of a text can be seen. */
const isBlank = (text: string): boolean => printable(text).trim() === ""

const looksCut = (text: string): boolean => text.startsWith("{") || text.startsWith("[")

const looksLikePage = (text: string): boolean => text.startsWith("<")

const title = (page: string): string | undefined => {
  const start = page.search(/<title[\s>]/i)
  if (start === -1) return undefined
  const open = page.indexOf(">", start)
  const close = page.indexOf("<", open + 1)
  return open === -1 || close === -1 ? undefined : word(page.slice(open + 1, close))
}
