import * as Redacted from "effect/Redacted"
import type { RequestBody, SentRequest } from "./Request.ts"

/** The credentials and personal data of a request, which errors and logs must not repeat. */
export const inRequest = ({ body, headers }: SentRequest): ReadonlyArray<Redacted.Redacted> => {
  const bearer = headers["authorization"]?.replace(/^\S+ +/, "")
  const fields = body === undefined ? [] : secretFields.map(fieldReader(body))
  return [bearer, ...fields].flatMap((value) => (value === undefined || value === "" ? [] : [Redacted.make(value)]))
}

/**
 * Makes a function that replaces secrets in a text, also encoded ones and phone numbers in groups of digits. A secret
 * shorter than {@link minEmbeddedLength} is replaced only as a separate word: it may be part of any other word.
 */
export const redactor = (secrets: ReadonlyArray<Redacted.Redacted>): ((text: string) => string) => {
  const values = secrets.map(Redacted.value).filter((value) => value !== "")
  const shortest = Math.min(...values.map(minLengthOf))
  let patterns: ReadonlyArray<RegExp> | undefined
  return (text) => {
    // Most texts are request ids, and making the patterns costs as much as reading a response.
    if (text.length < shortest) return text
    patterns ??= patternsOf(values)
    return replaceRanges(
      text,
      patterns.flatMap((pattern) =>
        Array.from(text.matchAll(pattern), ({ 0: match, index }) => [index, index + match.length] as const)
      )
    )
  }
}

/** Headers without cookies, and with secrets replaced. */
export const redactHeaders = (
  headers: Readonly<Record<string, string>>,
  redact: (text: string) => string
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (name === "set-cookie" ? [] : [[name, redact(value)]]))
  )

const replacement = "[redacted]"

/** The minimum length of a secret that is also replaced inside other words. */
const minEmbeddedLength = 6

const patternsOf = (values: ReadonlyArray<string>): ReadonlyArray<RegExp> => [
  ...Array.from(new Set(values.flatMap(spellingsOf)), (spelling) => new RegExp(toPattern(spelling), "gu")),
  ...values.filter(looksLikeNumber).map(groupedDigits)
]

const toPattern = (spelling: string): string => {
  const literal = spelling.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&")
  return spelling.length < minEmbeddedLength ? `(?<![\\p{L}\\p{N}_-])${literal}(?![\\p{L}\\p{N}_-])` : literal
}

/** Replaces ranges of a text; overlapping ranges become one replacement. */
const replaceRanges = (text: string, ranges: ReadonlyArray<readonly [from: number, to: number]>): string => {
  let result = ""
  let end = 0
  let hasReplaced = false
  for (const [from, to] of ranges.toSorted(([a], [b]) => a - b)) {
    if (from > end || !hasReplaced) result += text.slice(end, from) + replacement
    hasReplaced = true
    end = Math.max(end, to)
  }
  return result + text.slice(end)
}

const secretFields = [
  "access_token",
  "client_secret",
  "code",
  "code_verifier",
  "device_code",
  "gift_code",
  "gift_key",
  "phone_number",
  "refresh_token",
  "token"
]

const fieldReader = ({ contentType, text }: RequestBody): ((name: string) => string | undefined) => {
  if (contentType.startsWith("application/x-www-form-urlencoded")) {
    const form = new URLSearchParams(text)
    return (name) => form.get(name) ?? undefined
  }
  // The client serialized the body, so it is valid JSON.
  const fields: unknown = contentType.startsWith("application/json") ? JSON.parse(text) : undefined
  return (name) => {
    const value = Object.entries(fields ?? {}).find(([field]) => field === name)?.[1]
    return typeof value === "string" ? value : undefined
  }
}

const spellingsOf = (value: string): ReadonlyArray<string> =>
  [
    value,
    value.trim(),
    encodeURIComponent(value.replace(/\p{Cs}/gu, "\ufffd")),
    new URLSearchParams({ "": value }).toString().slice(1),
    JSON.stringify(value).slice(1, -1)
  ].filter((spelling) => spelling !== "")

/** Whether a text has only digits and the characters that people group them with. */
const looksLikeNumber = (value: string): boolean => /^[\d\s()+./-]{7,40}$/.test(value) && digitsOf(value).length >= 7

/** The minimum length of a text that holds the value: only a number in groups has spellings shorter than itself. */
const minLengthOf = (value: string): number => (looksLikeNumber(value) ? 7 : Math.max(1, value.trim().length))

const digitsOf = (value: string): string => value.replace(/\D/g, "")

/** Matches the subscriber's digits in any grouping, after any country code. */
const groupedDigits = (value: string): RegExp =>
  new RegExp(`[+\\d][\\d\\s()./-]{0,8}?${digitsOf(value).slice(-8).split("").join("[\\s()./-]{0,3}")}`, "g")
