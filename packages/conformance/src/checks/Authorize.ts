import * as Effect from "effect/Effect"
import * as Api from "../Api.ts"
import { required, decided, type Check, type Run } from "../Check.ts"
import type { Response } from "../HttpMessage.ts"
import { header, noHeader, refusal, status, statusIn, type Expectation } from "../Expectation.ts"

const html = { token: "none", headers: { accept: "text/html,application/xhtml+xml" } } as const
const json = { token: "none" } as const
const needs = { needs: ["redirectUri"] } as const
/** Every character that a query escapes. */
const state = "s t/a&te=ü+%?#"

const validRequest = required("4.1", "a valid request shows a page or redirects to one", page({}, accepted), needs)

const htmlPage = required(
  "4.1",
  "the page is HTML",
  page({}, (response) =>
    response.status >= 300 && response.status < 400
      ? undefined
      : (status(200)(response) ?? header("content-type", /^text\/html\b/i)(response))
  ),
  needs
)

const optionalScope = required("4.1", "scope is optional", page({ scope: undefined }, accepted), needs)

const optionalState = required("4.1", "state is optional", page({ state: undefined }, accepted), needs)

const unknownClient = required(
  "4.1",
  "an unknown client_id is not redirected",
  page({ client_id: "nobody-0123456789" }, statusIn(400, 499), noHeader("location")),
  needs
)

const unknownRedirectUri = required(
  "4.1",
  "an unregistered redirect_uri is not redirected",
  page({ redirect_uri: "https://attacker.example/callback" }, statusIn(400, 499), noHeader("location")),
  needs
)

const similarRedirectUris = [
  similarRedirectUri("a trailing slash", (uri) => `${uri}/`),
  similarRedirectUri("an added query", (uri) => `${uri}?x=1`),
  similarRedirectUri("a fragment", (uri) => `${uri}#x`),
  similarRedirectUri("a host with the same beginning", (uri) =>
    uri.replace(/^(https?:\/\/[^/:]+)/, "$1.attacker.example")
  ),
  similarRedirectUri("user information", (uri) => uri.replace("://", "://attacker@"))
]

const noRedirectUri = required(
  "4.1",
  "a request without redirect_uri is not redirected",
  page({ redirect_uri: undefined }, statusIn(400, 499), noHeader("location")),
  needs
)

const noClientId = required(
  "4.1",
  "a request without client_id is not redirected",
  page({ client_id: undefined }, statusIn(400, 499), noHeader("location")),
  needs
)

const unknownClientPage = decided(
  36,
  "4.1",
  "an unknown client_id shows a page with status 400",
  page({ client_id: "nobody-0123456789" }, status(400), header("content-type", /^text\/html\b/i)),
  needs
)

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

const stateUnchanged = required(
  "4.1",
  "state is returned unchanged",
  Effect.gen(function* () {
    const response = yield* Api.send(Api.get(`/authorize?${yield* query({ response_type: "token" })}`, html))
    const location = new URL(response.headers["location"] ?? "", "http://none")
    if (response.status < 300 || response.status > 399)
      return yield* Api.skip("the service does not redirect a wrong response_type")
    return yield* Api.assert(
      location.searchParams.get("state") === state,
      `state comes back as ${JSON.stringify(state)}, not ${JSON.stringify(location.searchParams.get("state"))}`
    )
  }),
  { ...needs, decisions: [36] }
)

const repeatedParameter = decided(
  40,
  "4.1",
  "a repeated parameter is redirected as invalid_request",
  Effect.gen(function* () {
    const response = yield* Api.send(Api.get(`/authorize?${yield* query({})}&response_type=code`, html))
    yield* Api.verify(response, redirectsWith("invalid_request"))
  }),
  needs
)

const repeatedRedirectUri = decided(
  40,
  "4.1",
  "a repeated redirect_uri is not redirected",
  Effect.gen(function* () {
    const uri = encodeURIComponent(yield* Api.setting("redirectUri"))
    const response = yield* Api.send(Api.get(`/authorize?${yield* query({})}&redirect_uri=${uri}`, html))
    yield* Api.verify(response, statusIn(400, 499), noHeader("location"))
  }),
  needs
)

const unknownParameter = decided(40, "4.1", "an unknown parameter is ignored", page({ colour: "red" }, accepted), needs)

const postRequest = decided(
  40,
  "4.1",
  "a POST request is accepted",
  Effect.gen(function* () {
    const parameters = yield* parametersWith({})
    const response = yield* Api.send(Api.form("/authorize", parameters, html))
    yield* Api.verify(response, statusIn(200, 399), accepted)
  }),
  needs
)

const unknownClientJson = decided(
  37,
  "7.1",
  "an unknown client_id, requested without a browser, is refused with JSON",
  call({ client_id: "nobody-0123456789" }, statusIn(400, 499), header("content-type", /^application\/json/i)),
  needs
)

/** The authorize page (contract 4.1): up to where a person has to sign in. */
export const checks: ReadonlyArray<Check> = [
  validRequest,
  htmlPage,
  optionalScope,
  optionalState,
  unknownClient,
  unknownRedirectUri,
  ...similarRedirectUris,
  noRedirectUri,
  noClientId,
  unknownClientPage,
  ...redirectedErrors,
  stateUnchanged,
  repeatedParameter,
  repeatedRedirectUri,
  unknownParameter,
  postRequest,
  unknownClientJson
]

type Changes = Readonly<Record<string, string | undefined>>

function similarRedirectUri(what: string, change: (uri: string) => string): Check {
  return required(
    "4.1",
    `a redirect_uri with ${what} is not redirected`,
    Effect.flatMap(Api.setting("redirectUri"), (uri) =>
      page({ redirect_uri: change(uri) }, statusIn(400, 499), noHeader("location"))
    ),
    needs
  )
}

/** A browser is redirected with the error; a program gets the error as JSON. */
function redirectedError(what: string, changes: Changes, error: string, decision: number): ReadonlyArray<Check> {
  const withoutBrowser = `${what}, requested without a browser, is 400 ${error}`
  const response = call(changes, refusal(400, error))
  return [
    decided(
      decision,
      "4.1",
      `${what} is redirected to the application as ${error}`,
      page(changes, redirectsWith(error)),
      {
        ...needs,
        decisions: [37]
      }
    ),
    decision === 36
      ? required("7.1", withoutBrowser, response, { ...needs, decisions: [37] })
      : decided(37, "7.1", withoutBrowser, response, needs)
  ]
}

/** Requests the page as a browser does. */
function page(changes: Changes, ...wanted: ReadonlyArray<Expectation>): Run {
  return Effect.flatMap(query(changes), (text) => Api.expecting(Api.get(`/authorize?${text}`, html), ...wanted))
}

/** Requests the page as a program does. */
function call(changes: Changes, ...wanted: ReadonlyArray<Expectation>): Run {
  return Effect.flatMap(query(changes), (text) => Api.expecting(Api.get(`/authorize?${text}`, json), ...wanted))
}

function redirectsWith(error: string): Expectation {
  return ({ headers, status }) => {
    const location = headers["location"] ?? ""
    return (status === 302 || status === 303) && new URL(location, "http://none").searchParams.get("error") === error
      ? undefined
      : `the browser is redirected with error=${error}; it got ${status} ${location.replace(/\?.*/, "?…")}`
  }
}

/** Neither refused nor redirected with an error. */
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
