import type * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Redacted from "effect/Redacted"

/** The credentials and personal data of a request, which nothing shown of its response may repeat. */
export const of = (request: HttpClientRequest.HttpClientRequest): ReadonlyArray<Redacted.Redacted> => {
  const bearer = request.headers["authorization"]?.replace(/^\S+ +/, "")
  return [bearer, ...names.map(fieldsOf(request))].flatMap((value) =>
    value === undefined || value === "" ? [] : [Redacted.make(value)]
  )
}

/**
 * Replaces secrets in a text, also where the service wrote them encoded or, of a phone number, in groups. A secret of
 * less than {@link telling} characters is replaced as a word of its own only: it may be part of any other word.
 */
export const redactor = (secrets: ReadonlyArray<Redacted.Redacted>): ((text: string) => string) => {
  const values = secrets.map(Redacted.value).filter((value) => value !== "")
  let patterns: ReadonlyArray<RegExp> | undefined
  return (text) => {
    if (text === "" || values.length === 0) return text
    patterns ??= patternsOf(values)
    return without(
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
  safe: (text: string) => string
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (name === "set-cookie" ? [] : [[name, safe(value)]]))
  )

const removed = "[redacted]"

/** How long a secret has to be to be replaced inside other words, too. */
const telling = 6

const patternsOf = (values: ReadonlyArray<string>): ReadonlyArray<RegExp> => [
  ...Array.from(new Set(values.flatMap(spellingsOf)), (spelling) => new RegExp(exactly(spelling), "gu")),
  ...values.filter(looksLikeNumber).map(groupsOf)
]

const exactly = (spelling: string): string => {
  const literal = spelling.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&")
  return spelling.length < telling ? `(?<![\\p{L}\\p{N}_-])${literal}(?![\\p{L}\\p{N}_-])` : literal
}

/** Replaces parts of a text, overlapping parts as one. */
const without = (text: string, parts: ReadonlyArray<readonly [from: number, to: number]>): string => {
  let rest = ""
  let done = 0
  let shown = false
  for (const [from, to] of parts.toSorted(([one], [other]) => one - other)) {
    if (from > done || !shown) rest += text.slice(done, from) + removed
    shown = true
    done = Math.max(done, to)
  }
  return rest + text.slice(done)
}

const names = [
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

const fieldsOf = ({ body }: HttpClientRequest.HttpClientRequest): ((name: string) => string | undefined) => {
  if (body._tag !== "Uint8Array") return () => undefined
  const text = new TextDecoder().decode(body.body)
  if (body.contentType.startsWith("application/x-www-form-urlencoded")) {
    const form = new URLSearchParams(text)
    return (name) => form.get(name) ?? undefined
  }
  // The derived client wrote it, so it is valid JSON.
  const fields: unknown = body.contentType.startsWith("application/json") ? JSON.parse(text) : undefined
  return (name) => {
    const found = Object.entries(fields ?? {}).find(([field]) => field === name)?.[1]
    return typeof found === "string" ? found : undefined
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

/** Digits with at most the marks that people group them with. */
const looksLikeNumber = (value: string): boolean => /^[\d\s()+./-]{7,40}$/.test(value) && digitsOf(value).length >= 7

const digitsOf = (value: string): string => value.replace(/\D/g, "")

/** The subscriber's digits in any grouping, whatever country code stands before them. */
const groupsOf = (value: string): RegExp =>
  new RegExp(`[+\\d][\\d\\s()./-]{0,8}?${digitsOf(value).slice(-8).split("").join("[\\s()./-]{0,3}")}`, "g")
