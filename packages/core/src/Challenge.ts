/** One challenge of a `WWW-Authenticate` header: scheme and parameter names in lower case. */
export interface Challenge {
  readonly scheme: string
  readonly params: ReadonlyMap<string, string>
}

/**
 * Reads every challenge of a `WWW-Authenticate` header (RFC 9110, 11.6.1) in one pass over the text.
 * Malformed parts are skipped, of a repeated parameter the first counts, and nothing is ever thrown.
 */
export const parse = (header: string): ReadonlyArray<Challenge> => {
  const challenges: Array<{ scheme: string; params: Map<string, string> }> = []
  let at = 0
  while (at < header.length) {
    at = skip(header, at, isSeparator)
    const word = token(header, at)
    if (word === "") {
      at = skip(header, at + 1, isNotComma)
      continue
    }
    at += word.length
    const afterSpace = skip(header, at, isSpace)
    const current = challenges.at(-1)
    if (header[afterSpace] === "=" && current !== undefined) {
      const [value, next] = parameterValue(header, skip(header, afterSpace + 1, isSpace))
      const name = word.toLowerCase()
      if (!current.params.has(name)) current.params.set(name, value)
      at = next
      continue
    }
    challenges.push({ scheme: word.toLowerCase(), params: new Map() })
    at = afterSpace === at ? at : skipToken68(header, afterSpace)
  }
  return challenges
}

/** Writes one challenge; characters that a quoted string cannot carry become a space. */
export const format = (scheme: string, params: Readonly<Record<string, string | undefined>>): string => {
  const written = Object.entries(params).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}="${value.replace(/[^\x20-\x7e]/g, " ").replace(/["\\]/g, "\\$&")}"`]
  )
  return written.length === 0 ? scheme : `${scheme} ${written.join(", ")}`
}

const isSpace = (char: string): boolean => char === " " || char === "\t"
const isSeparator = (char: string): boolean => char === "," || isSpace(char)
const isNotComma = (char: string): boolean => char !== ","
const isTokenChar = (char: string): boolean => /[!#$%&'*+\-.^_`|~0-9A-Za-z]/.test(char)
const isToken68Char = (char: string): boolean => /[A-Za-z0-9\-._~+/]/.test(char)

const skip = (text: string, from: number, while_: (char: string) => boolean): number => {
  let at = from
  while (at < text.length && while_(text.charAt(at))) at += 1
  return at
}

const token = (text: string, from: number): string => text.slice(from, skip(text, from, isTokenChar))

const parameterValue = (text: string, from: number): readonly [value: string, next: number] => {
  if (text[from] !== '"') {
    const value = token(text, from)
    return [value, from + value.length]
  }
  const parts: Array<string> = []
  let at = from + 1
  while (at < text.length && text[at] !== '"') {
    if (text[at] === "\\") at += 1
    parts.push(text.charAt(at))
    at += 1
  }
  return [parts.join(""), at + 1]
}

/** A scheme may be followed by one opaque word instead of parameters; it carries nothing that is used here. */
const skipToken68 = (text: string, from: number): number => {
  const end = skip(text, skip(text, from, isToken68Char), (char) => char === "=")
  const next = skip(text, end, isSpace)
  const isWhole = end > from && (next === text.length || text[next] === ",")
  return isWhole ? end : from
}
