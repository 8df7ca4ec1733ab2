/** One challenge of a `WWW-Authenticate` header: scheme and parameter names in lower case. */
export interface Challenge {
  readonly scheme: string
  readonly params: ReadonlyMap<string, string>
}

/**
 * Reads every challenge of a `WWW-Authenticate` header (RFC 9110, 11.6.1) in one pass over the text.
 * Skips malformed parts, keeps the first of repeated parameters, and never throws.
 */
export const parse = (header: string): ReadonlyArray<Challenge> => {
  const challenges: Array<{ scheme: string; params: Map<string, string> }> = []
  let index = 0
  while (index < header.length) {
    index = skip(header, index, isSeparator)
    const name = token(header, index)
    if (name === "") {
      index = skip(header, index + 1, isNotComma)
      continue
    }
    index += name.length
    const afterSpace = skip(header, index, isSpace)
    const current = challenges.at(-1)
    if (header[afterSpace] === "=" && current !== undefined) {
      const [value, next] = parameterValue(header, skip(header, afterSpace + 1, isSpace))
      const param = name.toLowerCase()
      if (!current.params.has(param)) current.params.set(param, value)
      index = next
      continue
    }
    challenges.push({ scheme: name.toLowerCase(), params: new Map() })
    index = afterSpace === index ? index : skipToken68(header, afterSpace)
  }
  return challenges
}

/** Writes one challenge; characters that a quoted string cannot carry become a space. */
export const format = (scheme: string, params: Readonly<Record<string, string | undefined>>): string => {
  const pairs = Object.entries(params).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}="${value.replace(/[^\x20-\x7e]/g, " ").replace(/["\\]/g, "\\$&")}"`]
  )
  return pairs.length === 0 ? scheme : `${scheme} ${pairs.join(", ")}`
}

const isSpace = (char: string): boolean => char === " " || char === "\t"
const isSeparator = (char: string): boolean => char === "," || isSpace(char)
const isNotComma = (char: string): boolean => char !== ","
const isTokenChar = (char: string): boolean => /[!#$%&'*+\-.^_`|~0-9A-Za-z]/.test(char)
const isToken68Char = (char: string): boolean => /[A-Za-z0-9\-._~+/]/.test(char)

const skip = (text: string, from: number, matches: (char: string) => boolean): number => {
  let index = from
  while (index < text.length && matches(text.charAt(index))) index += 1
  return index
}

const token = (text: string, from: number): string => text.slice(from, skip(text, from, isTokenChar))

const parameterValue = (text: string, from: number): readonly [value: string, next: number] => {
  if (text[from] !== '"') {
    const value = token(text, from)
    return [value, from + value.length]
  }
  const parts: Array<string> = []
  let index = from + 1
  while (index < text.length && text[index] !== '"') {
    if (text[index] === "\\") index += 1
    parts.push(text.charAt(index))
    index += 1
  }
  return [parts.join(""), index + 1]
}

/** Skips a token68, which may follow a scheme instead of parameters; this client has no use for it. */
const skipToken68 = (text: string, from: number): number => {
  const end = skip(text, skip(text, from, isToken68Char), (char) => char === "=")
  const next = skip(text, end, isSpace)
  const isToken68 = end > from && (next === text.length || text[next] === ",")
  return isToken68 ? end : from
}
