import { AgentExited, type AgentNotFound, type TransportError, type UnsupportedVersion } from "@heddle/acp/AcpError"
import * as JsonRpc from "@heddle/acp/JsonRpc"
import { isRecord } from "../../internal/Json.ts"

/** Takes the values that an operator gives an agent out of what the service tells about its errors. */
export interface Redaction {
  readonly inText: (text: string) => string
  /** In the message and the data of an error of the agent, and in the last words of its program. */
  readonly inError: <E extends TransportError | AgentNotFound | UnsupportedVersion | JsonRpc.RpcError>(
    error: E
  ) => E | Redacted
}

type Redacted = AgentExited | JsonRpc.RpcError

/** Makes the redaction of these variables; values that are words of their own, such as `on` or `read-only`, stay. */
export const make = (variables: Readonly<Record<string, string | undefined>>): Redaction => {
  const replacements = Object.entries(variables)
    .flatMap(([name, value = ""]) =>
      (isWord(name, value.trim()) ? [] : [...secretsOf(value)]).flatMap((secret) =>
        formsOf(secret).map((form) => ({ form, replacement: `[value of ${name}]` }))
      )
    )
    // A value may be a part of another one.
    .sort((a, b) => b.form.length - a.form.length)
  const inText = (text: string): string =>
    replacements.reduce((result, { form, replacement }) => {
      const whole = result.replaceAll(form, replacement)
      const start = overlap(form, whole)
      const end = overlap(whole, form)
      const headless = start === 0 ? whole : replacement + whole.slice(start)
      return end === 0 || end > headless.length ? headless : headless.slice(0, headless.length - end) + replacement
    }, text)
  const inValue = (value: unknown, depth: number): unknown => {
    if (typeof value === "string") return inText(value)
    if (depth === 0) return undefined
    if (Array.isArray(value)) return value.map((each) => inValue(each, depth - 1))
    if (!isRecord(value)) return value
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [inText(key), inValue(each, depth - 1)]))
  }
  return {
    inText,
    inError: (error) => {
      if (replacements.length === 0) return error
      if (error._tag === "AgentExited") return new AgentExited({ ...error, stderr: inText(error.stderr) })
      if (error._tag !== "RpcError") return error
      const data = inValue(error.data, maxDepth)
      return new JsonRpc.RpcError({
        code: error.code,
        message: inText(error.message),
        ...(data === undefined ? {} : { data })
      })
    }
  }
}

/** A setting that errors name too, unless the name of its variable says that it is secret. */
const isWord = (name: string, value: string): boolean =>
  /^[a-z-]*$/i.test(value) && value.length < minLineLength && !secretNames.test(name)

/** A value, its long lines, and the texts of a JSON value whose names say that they are secret. */
const secretsOf = (value: string): ReadonlySet<string> =>
  new Set(
    [value, value.trim(), ...longLines(value), ...secretMembers(jsonOf(value), false)].filter(
      (text) => text.length >= minLength
    )
  )

const longLines = (value: string): ReadonlyArray<string> =>
  value
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line.length >= minLineLength)

const secretMembers = (value: unknown, isSecret: boolean): ReadonlyArray<string> => {
  if (typeof value === "string") return isSecret ? [value] : []
  if (Array.isArray(value)) return value.flatMap((each) => secretMembers(each, isSecret))
  if (!isRecord(value)) return []
  return Object.entries(value).flatMap(([name, each]) => secretMembers(each, isSecret || secretNames.test(name)))
}

const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    // It is a plain text.
    return undefined
  }
}

/** How a value may stand in a text: as it is, in a JSON text, in an address. */
const formsOf = (value: string): ReadonlyArray<string> => [
  ...new Set([value, JSON.stringify(value).slice(1, -1), encodeURIComponent(toWellFormed(value))])
]

const toWellFormed = (text: string): string => text.replace(/[\ud800-\udfff]/gu, "\ufffd")

/** How long the longest end of one text is with which the other begins; 0 below {@link minLength}. */
const overlap = (ending: string, beginning: string): number => {
  for (let length = Math.min(ending.length, beginning.length); length >= minLength; length--)
    if (ending.endsWith(beginning.slice(0, length))) return length
  return 0
}

const secretNames = /key|token|secret|password|passwd|credential|authorization|cookie/i

const minLength = 8

/** Of lines and words. */
const minLineLength = 16

/** What is nested deeper in the data of an error is left out. */
const maxDepth = 8
