import { errorCodesIn, normalize } from "./internal/ErrorCode.ts"
import { at, excerpt, isRecord } from "./internal/Json.ts"
import { is, type Matcher } from "./Matcher.ts"
import type { Response } from "./HttpMessage.ts"

/** A condition on a response: undefined if it is met, else a sentence with the expected and the actual value. */
export type Expectation = (response: Response) => string | undefined

/** One of these statuses. */
export const status =
  (...expected: ReadonlyArray<number>): Expectation =>
  (response) =>
    expected.includes(response.status) ? undefined : `the status is ${expected.join(" or ")}, not ${response.status}`

/** A status from `low` to `high`. */
export const statusIn =
  (low: number, high: number): Expectation =>
  (response) =>
    response.status >= low && response.status <= high
      ? undefined
      : `the status is from ${low} to ${high}, not ${response.status}`

/** The header is present and matches. */
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
  (path: string, matcher: Matcher): Expectation =>
  ({ json }) => {
    const value = at(json, path)
    return matcher.matches(value) ? undefined : `${path} is ${matcher.description}, not ${excerpt(value)}`
  }

export const noField =
  (path: string): Expectation =>
  ({ json }) =>
    at(json, path) === undefined ? undefined : `there is no ${path}; it is ${excerpt(at(json, path))}`

/** The body has the request id of the header `x-request-id`. */
export const requestIdMatches: Expectation = (response) =>
  field("request_id", is(response.headers["x-request-id"]))(response)

/** The body does not contain the text. */
export const notInBody =
  (text: string, what: string): Expectation =>
  (response) =>
    response.text.includes(text) ? `the response does not repeat ${what}` : undefined

/** A status of contract table 7.1 with its business code, in any of the shapes that contract decision 4 lists. */
export const errorResponse =
  (expectedStatus: number, code: string): Expectation =>
  (response) =>
    status(expectedStatus)(response) ??
    (errorCodesIn(response.json).includes(normalize(code))
      ? undefined
      : `the body names the business code ${code}; it is ${excerpt(response.json ?? response.text)}`)

/** One of several rows of contract table 7.1. */
export const errorResponses =
  (...rows: ReadonlyArray<readonly [status: number, code: string]>): Expectation =>
  (response) =>
    rows.some(([expectedStatus, code]) => errorResponse(expectedStatus, code)(response) === undefined)
      ? undefined
      : `the response is ${rows.map(([expectedStatus, code]) => `${expectedStatus} ${code}`).join(" or ")}, not ${response.status} ${excerpt(response.json ?? response.text)}`

/** The envelope of contract 4.6 around a success. */
export const successEnvelope: ReadonlyArray<Expectation> = [
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
export const problems = (response: Response, expectations: ReadonlyArray<Expectation>): ReadonlyArray<string> =>
  expectations.map((expectation) => expectation(response)).filter((problem) => problem !== undefined)
