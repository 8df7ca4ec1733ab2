import { candidates, isRecord, normal } from "./internal/Words.ts"
import type { Shape } from "./Shape.ts"
import type { Answer } from "./Wire.ts"

/** A rule for an answer: nothing when it is kept, else a sentence that says what came instead. */
export type Expectation = (answer: Answer) => string | undefined

/** One of these statuses. */
export const status =
  (...wanted: ReadonlyArray<number>): Expectation =>
  (answer) =>
    wanted.includes(answer.status) ? undefined : `the status is ${wanted.join(" or ")}, not ${answer.status}`

/** A status from `low` to `high`. */
export const statusIn =
  (low: number, high: number): Expectation =>
  (answer) =>
    answer.status >= low && answer.status <= high
      ? undefined
      : `the status is from ${low} to ${high}, not ${answer.status}`

/** The header is there and matches. */
export const header =
  (name: string, pattern: RegExp): Expectation =>
  ({ headers }) =>
    pattern.test(headers[name] ?? "")
      ? undefined
      : `the header ${name} matches ${String(pattern)}, not ${JSON.stringify(headers[name] ?? null)}`

export const noHeader =
  (name: string): Expectation =>
  ({ headers }) =>
    headers[name] === undefined ? undefined : `there is no header ${name}; it is ${JSON.stringify(headers[name])}`

/** The body is a JSON object of that content type. */
export const jsonObject: Expectation = (answer) =>
  !/^application\/json\s*(;|$)/i.test(answer.headers["content-type"] ?? "")
    ? `the Content-Type is application/json, not ${JSON.stringify(answer.headers["content-type"] ?? null)}`
    : isRecord(answer.json)
      ? undefined
      : "the body is a JSON object"

/** The value at a path like `data.messages.0` has the shape. */
export const field =
  (path: string, of: Shape): Expectation =>
  ({ json }) => {
    const value = at(json, path)
    return of.holds(value) ? undefined : `${path} is ${of.says}, not ${short(value)}`
  }

export const noField =
  (path: string): Expectation =>
  ({ json }) =>
    at(json, path) === undefined ? undefined : `there is no ${path}; it is ${short(at(json, path))}`

/** The text occurs nowhere in the body. */
export const nowhere =
  (text: string, what: string): Expectation =>
  (answer) =>
    answer.text.includes(text) ? `the answer does not repeat ${what}` : undefined

/** A status of table 7.1 with its business code, in any of the shapes that decision 4 lists. */
export const refusal =
  (wanted: number, word: string): Expectation =>
  (answer) =>
    status(wanted)(answer) ??
    (candidates(answer.json).includes(normal(word))
      ? undefined
      : `the body names the business code ${word}; it is ${short(answer.json ?? answer.text)}`)

/** One of several rows of table 7.1. */
export const refusals =
  (...rows: ReadonlyArray<readonly [status: number, word: string]>): Expectation =>
  (answer) =>
    rows.some(([wanted, word]) => refusal(wanted, word)(answer) === undefined)
      ? undefined
      : `the answer is ${rows.map(([wanted, word]) => `${wanted} ${word}`).join(" or ")}, not ${answer.status} ${short(answer.json ?? answer.text)}`

/** The envelope of 4.6 around a success. */
export const envelope: ReadonlyArray<Expectation> = [
  status(200),
  jsonObject,
  ({ json }) => (at(json, "code") === 0 ? undefined : `code is 0, not ${short(at(json, "code"))}`),
  ({ json }) => (at(json, "msg") === "success" ? undefined : `msg is "success", not ${short(at(json, "msg"))}`),
  ({ json }) =>
    typeof at(json, "request_id") === "string" && at(json, "request_id") !== ""
      ? undefined
      : `request_id is a string, not ${short(at(json, "request_id"))}`,
  ({ json }) => (isRecord(at(json, "data")) ? undefined : `data is an object, not ${short(at(json, "data"))}`)
]

/** Everything that is wrong with an answer. */
export const problems = (answer: Answer, wanted: ReadonlyArray<Expectation>): ReadonlyArray<string> =>
  wanted.map((rule) => rule(answer)).filter((problem) => problem !== undefined)

/** The value at a path of names and indexes. */
export const at = (json: unknown, path: string): unknown =>
  path
    .split(".")
    .reduce<unknown>(
      (value, name) => (Array.isArray(value) ? value[Number(name)] : isRecord(value) ? value[name] : undefined),
      json
    )

/** A value as it fits into a sentence. */
export const short = (value: unknown): string => {
  const text = value === undefined ? "absent" : JSON.stringify(value)
  return text.length > 160 ? `${text.slice(0, 157)}…` : text
}
