import { errorCodesIn, normalize } from "./internal/ErrorCode.ts"
import { at, excerpt, isRecord } from "./internal/Json.ts"
import { is, type Matcher } from "./Matcher.ts"
import type { Response } from "./HttpMessage.ts"

/** A condition on a response: undefined when it holds, otherwise a sentence with what came instead. */
export type Expectation = (response: Response) => string | undefined

/** One of these statuses. */
export const status =
  (...wanted: ReadonlyArray<number>): Expectation =>
  (response) =>
    wanted.includes(response.status) ? undefined : `the status is ${wanted.join(" or ")}, not ${response.status}`

/** A status from `low` to `high`. */
export const statusIn =
  (low: number, high: number): Expectation =>
  (response) =>
    response.status >= low && response.status <= high
      ? undefined
      : `the status is from ${low} to ${high}, not ${response.status}`

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

/** Caches may not store the response. */
export const notStored = header("cache-control", /\bno-store\b/i)

/** The body is a JSON object of that content type. */
export const jsonObject: Expectation = (response) =>
  !/^application\/json\s*(;|$)/i.test(response.headers["content-type"] ?? "")
    ? `the Content-Type is application/json, not ${JSON.stringify(response.headers["content-type"] ?? null)}`
    : isRecord(response.json)
      ? undefined
      : "the body is a JSON object"

/** The value at a path like `data.messages.0` matches. */
export const field =
  (path: string, of: Matcher): Expectation =>
  ({ json }) => {
    const value = at(json, path)
    return of.matches(value) ? undefined : `${path} is ${of.description}, not ${excerpt(value)}`
  }

export const noField =
  (path: string): Expectation =>
  ({ json }) =>
    at(json, path) === undefined ? undefined : `there is no ${path}; it is ${excerpt(at(json, path))}`

/** The body has the request id of the header `x-request-id`. */
export const traceId: Expectation = (response) => field("request_id", is(response.headers["x-request-id"]))(response)

/** The body does not contain the text. */
export const notInBody =
  (text: string, what: string): Expectation =>
  (response) =>
    response.text.includes(text) ? `the response does not repeat ${what}` : undefined

/** A status of contract table 7.1 with its business code, in any of the shapes that contract decision 4 lists. */
export const refusal =
  (wanted: number, word: string): Expectation =>
  (response) =>
    status(wanted)(response) ??
    (errorCodesIn(response.json).includes(normalize(word))
      ? undefined
      : `the body names the business code ${word}; it is ${excerpt(response.json ?? response.text)}`)

/** One of several rows of contract table 7.1. */
export const refusals =
  (...rows: ReadonlyArray<readonly [status: number, word: string]>): Expectation =>
  (response) =>
    rows.some(([wanted, word]) => refusal(wanted, word)(response) === undefined)
      ? undefined
      : `the response is ${rows.map(([wanted, word]) => `${wanted} ${word}`).join(" or ")}, not ${response.status} ${excerpt(response.json ?? response.text)}`

/** The envelope of contract 4.6 around a success. */
export const envelope: ReadonlyArray<Expectation> = [
  status(200),
  jsonObject,
  ({ json }) => (at(json, "code") === 0 ? undefined : `code is 0, not ${excerpt(at(json, "code"))}`),
  ({ json }) => (at(json, "msg") === "success" ? undefined : `msg is "success", not ${excerpt(at(json, "msg"))}`),
  ({ json }) =>
    typeof at(json, "request_id") === "string" && at(json, "request_id") !== ""
      ? undefined
      : `request_id is a string, not ${excerpt(at(json, "request_id"))}`,
  ({ json }) => (isRecord(at(json, "data")) ? undefined : `data is an object, not ${excerpt(at(json, "data"))}`)
]

/** The expectations that a response does not meet. */
export const problems = (response: Response, wanted: ReadonlyArray<Expectation>): ReadonlyArray<string> =>
  wanted.map((rule) => rule(response)).filter((problem) => problem !== undefined)
