import * as Effect from "effect/Effect"
import * as Api from "../Api.ts"
import { required, decided, needing, type Check, type Run } from "../Check.ts"
import type { Response } from "../HttpMessage.ts"
import { header, noHeader, errorResponse, status, statusIn, type Expectation } from "../Expectation.ts"

const html = { token: "none", headers: { accept: "text/html,application/xhtml+xml" } } as const
const json = { token: "none" } as const
/** Every character that a query escapes. */
const state = "s t/a&te=ü+%?#"
const unknownClient = { client_id: "nobody-0123456789" }
const notRedirected = [statusIn(400, 499), noHeader("location")]
const isHtml = header("content-type", /^text\/html\b/i)

const pages: ReadonlyArray<Check> = [
  required("4.1", "a valid request shows a page or redirects to one", requestAsBrowser({}, accepted)),
  required(
    "4.1",
    "the page is HTML",
    requestAsBrowser({}, (response) => (redirects(response) ? undefined : (status(200)(response) ?? isHtml(response))))
  ),
  required("4.1", "scope is optional", requestAsBrowser({ scope: undefined }, accepted)),
  required("4.1", "state is optional", requestAsBrowser({ state: undefined }, accepted))
]

const refusedPages: ReadonlyArray<Check> = [
  required("4.1", "an unknown client_id is not redirected", requestAsBrowser(unknownClient, ...notRedirected)),
  required(
    "4.1",
    "an unregistered redirect_uri is not redirected",
    requestAsBrowser({ redirect_uri: "https://attacker.example/callback" }, ...notRedirected)
  ),
  similarRedirectUri("a trailing slash", (uri) => `${uri}/`),
  similarRedirectUri("an added query", (uri) => `${uri}?x=1`),
  similarRedirectUri("a fragment", (uri) => `${uri}#x`),
  similarRedirectUri("a host with the same beginning", (uri) =>
    uri.replace(/^(https?:\/\/[^/:]+)/, "$1.attacker.example")
  ),
  similarRedirectUri("user information", (uri) => uri.replace("://", "://attacker@")),
  required(
    "4.1",
    "a request without redirect_uri is not redirected",
    requestAsBrowser({ redirect_uri: undefined }, ...notRedirected)
  ),
  required(
    "4.1",
    "a request without client_id is not redirected",
    requestAsBrowser({ client_id: undefined }, ...notRedirected)
  ),
  decided(
    "4.1",
    "an unknown client_id shows a page with status 400",
    { decisions: [36] },
    requestAsBrowser(unknownClient, status(400), isHtml)
  )
]

const redirectedErrors = [
  redirectedError("response_type=token", { response_type: "token" }, "unsupported_response_type", 36),
  redirectedError("no response_type", { response_type: undefined }, "invalid_request", 36),
  redirectedError(
    "a scope beyond the authorization list",
    { scope: "user.profile.readable user.everything.writable" },
    "invalid_scope",
    36
  ),
  redirectedError(
    "a code_challenge_method of plain",
    { code_challenge: "x".repeat(43), code_challenge_method: "plain" },
    "invalid_request",
    1
  ),
  redirectedError("a state of 2049 characters", { state: "x".repeat(2049) }, "invalid_request", 40)
].flat()

const parameters: ReadonlyArray<Check> = [
  required("4.1", "state is returned unchanged", { decisions: [36] }, function* () {
    const redirectUri = yield* Api.setting("redirectUri")
    const responses = [yield* requestAsBrowser({}), yield* requestAsBrowser({ response_type: "token" })]
    const response = responses.find(({ headers }) => headers["location"]?.startsWith(redirectUri))
    if (response === undefined) return yield* Api.skip("the service redirects neither without a person nor with errors")
    const returned = locationOf(response).searchParams.get("state")
    return yield* Api.assert(
      returned === state,
      `state comes back as ${JSON.stringify(state)}, not ${JSON.stringify(returned)}`
    )
  }),
  decided("4.1", "a repeated parameter is redirected as invalid_request", { decisions: [40] }, function* () {
    yield* Api.send(
      Api.get(`/authorize?${yield* query({})}&response_type=code`, html),
      redirectsWith("invalid_request")
    )
  }),
  decided("4.1", "a repeated redirect_uri is not redirected", { decisions: [40] }, function* () {
    const uri = encodeURIComponent(yield* Api.setting("redirectUri"))
    yield* Api.send(Api.get(`/authorize?${yield* query({})}&redirect_uri=${uri}`, html), ...notRedirected)
  }),
  decided("4.1", "an unknown parameter is ignored", { decisions: [40] }, requestAsBrowser({ colour: "red" }, accepted)),
  decided("4.1", "a POST request is accepted", { decisions: [40] }, function* () {
    yield* Api.send(Api.postForm("/authorize", yield* parametersWith({}), html), statusIn(200, 399), accepted)
  }),
  decided(
    "7.1",
    "an unknown client_id, requested without a browser, is refused with JSON",
    { decisions: [37] },
    requestAsProgram(unknownClient, statusIn(400, 499), header("content-type", /^application\/json/i))
  )
]

/** The authorize page (contract 4.1): up to where a person has to sign in. */
export const checks = needing(["redirectUri"], [...pages, ...refusedPages, ...redirectedErrors, ...parameters])

type Changes = Readonly<Record<string, string | undefined>>

function similarRedirectUri(what: string, change: (uri: string) => string): Check {
  return required("4.1", `a redirect_uri with ${what} is not redirected`, function* () {
    yield* requestAsBrowser({ redirect_uri: change(yield* Api.setting("redirectUri")) }, ...notRedirected)
  })
}

/** A browser is redirected with the error; a program gets the error as JSON. */
function redirectedError(what: string, changes: Changes, error: string, decision: number): ReadonlyArray<Check> {
  const withoutBrowser = `${what}, requested without a browser, is 400 ${error}`
  const response = requestAsProgram(changes, errorResponse(400, error))
  return [
    decided(
      "4.1",
      `${what} is redirected to the application as ${error}`,
      { decisions: [decision, 37] },
      requestAsBrowser(changes, redirectsWith(error))
    ),
    decision === 36
      ? required("7.1", withoutBrowser, { decisions: [37] }, response)
      : decided("7.1", withoutBrowser, { decisions: [37] }, response)
  ]
}

/** Requests the authorize page as a browser. */
function requestAsBrowser(changes: Changes, ...expectations: ReadonlyArray<Expectation>) {
  return Effect.flatMap(query(changes), (text) => Api.send(Api.get(`/authorize?${text}`, html), ...expectations))
}

/** Requests the authorize page as a program. */
function requestAsProgram(changes: Changes, ...expectations: ReadonlyArray<Expectation>): Run {
  return Effect.flatMap(query(changes), (text) => Api.send(Api.get(`/authorize?${text}`, json), ...expectations))
}

function redirects({ status }: Response) {
  return status >= 300 && status < 400
}

function locationOf({ headers }: Response) {
  return new URL(headers["location"] ?? "", "http://none")
}

function redirectsWith(error: string): Expectation {
  return ({ headers, status }) => {
    const location = headers["location"] ?? ""
    return (status === 302 || status === 303) && new URL(location, "http://none").searchParams.get("error") === error
      ? undefined
      : `the browser is redirected with error=${error}; it got ${status} ${location.replace(/\?.*/, "?…")}`
  }
}

/** The response neither refuses the request nor redirects with an error. */
function accepted({ headers, status }: Response): string | undefined {
  if (status >= 400) return `the request is accepted, not refused with ${status}`
  const location = headers["location"] ?? ""
  return /[?&]error=/.test(location) ? `the redirect has no error; it goes to ${location}` : undefined
}

function parametersWith(changes: Changes) {
  return Effect.gen(function* () {
    const parameters: Changes = {
      response_type: "code",
      client_id: yield* Api.setting("clientId"),
      redirect_uri: yield* Api.setting("redirectUri"),
      scope: "user.profile.readable",
      state,
      ...changes
    }
    return Object.entries(parameters).flatMap(([name, value]): Array<[name: string, value: string]> =>
      value === undefined ? [] : [[name, value]]
    )
  })
}

function query(changes: Changes) {
  return Effect.map(parametersWith(changes), (parameters) => new URLSearchParams(parameters).toString())
}
