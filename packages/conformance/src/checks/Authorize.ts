import * as Effect from "effect/Effect"
import * as Api from "../Api.ts"
import { required, ruling, type Check, type Run } from "../Check.ts"
import { header, noHeader, refusal, status, statusIn, type Expectation } from "../Expect.ts"

const html = { token: "none", headers: { accept: "text/html,application/xhtml+xml" } } as const
const json = { token: "none" } as const
const needs = { needs: ["redirectUri"] } as const
/** Everything that a query has to escape. */
const state = "s t/a&te=ü+%?#"

type Parameters = ReadonlyArray<readonly [name: string, value: string]>

const validRequest = required(
  "4.1",
  "a request in order shows a page, or leads to one, and is no error",
  page({}, notBack),
  needs
)

const htmlPage = required(
  "4.1",
  "the page is HTML",
  page({}, (answer) =>
    answer.status >= 300 && answer.status < 400
      ? undefined
      : (status(200)(answer) ?? header("content-type", /^text\/html\b/i)(answer))
  ),
  needs
)

const optionalScope = required("4.1", "scope may be left out", page({ scope: undefined }, notBack), needs)

const optionalState = required("4.1", "state may be left out", page({ state: undefined }, notBack), needs)

const unknownClient = required(
  "4.1",
  "an unknown client_id is never sent on",
  page({ client_id: "nobody-0123456789" }, statusIn(400, 499), noHeader("location")),
  needs
)

const unknownRedirectUri = required(
  "4.1",
  "a redirect_uri that is not configured is never sent on",
  page({ redirect_uri: "https://attacker.example/callback" }, statusIn(400, 499), noHeader("location")),
  needs
)

const similarRedirectUris = [
  ["a slash more", (uri: string) => `${uri}/`],
  ["a query more", (uri: string) => `${uri}?x=1`],
  ["a fragment", (uri: string) => `${uri}#x`],
  ["a host that begins alike", (uri: string) => uri.replace(/^(https?:\/\/[^/:]+)/, "$1.attacker.example")],
  ["user information", (uri: string) => uri.replace("://", "://attacker@")]
].map(([what, change]) =>
  required(
    "4.1",
    `a redirect_uri with ${String(what)} is never sent on`,
    Effect.flatMap(Api.given("redirectUri"), (uri) =>
      page({ redirect_uri: (change as (uri: string) => string)(uri) }, statusIn(400, 499), noHeader("location"))
    ),
    needs
  )
)

const noRedirectUri = required(
  "4.1",
  "no redirect_uri is never sent on",
  page({ redirect_uri: undefined }, statusIn(400, 499), noHeader("location")),
  needs
)

const noClientId = required(
  "4.1",
  "no client_id is never sent on",
  page({ client_id: undefined }, statusIn(400, 499), noHeader("location")),
  needs
)

const unknownClientPage = ruling(
  36,
  "4.1",
  "an unknown client_id is a page with status 400",
  page({ client_id: "nobody-0123456789" }, status(400), header("content-type", /^text\/html\b/i)),
  needs
)

const redirectedErrors = [
  ["response_type=token", { response_type: "token" }, "unsupported_response_type"],
  ["no response_type", { response_type: undefined }, "invalid_request"],
  [
    "a scope beyond the authorization list",
    { scope: "user.profile.readable user.everything.writable" },
    "invalid_scope"
  ],
  [
    "a code_challenge_method of plain",
    { code_challenge: "x".repeat(43), code_challenge_method: "plain" },
    "invalid_request"
  ],
  ["a state of 2049 characters", { state: "x".repeat(2049) }, "invalid_request"]
].flatMap(([what, changes, error]): ReadonlyArray<Check> => {
  const asked = changes as Readonly<Record<string, string | undefined>>
  const decision = asked["code_challenge"] !== undefined ? 1 : asked["state"] !== undefined ? 40 : 36
  return [
    ruling(
      decision,
      "4.1",
      `${String(what)} goes back to the application as ${String(error)}`,
      back(asked, String(error)),
      {
        ...needs,
        decisions: [37]
      }
    ),
    decision === 36
      ? required(
          "7.1",
          `${String(what)}, asked without a browser, is 400 ${String(error)}`,
          call(asked, refusal(400, String(error))),
          { ...needs, decisions: [37] }
        )
      : ruling(
          37,
          "7.1",
          `${String(what)}, asked without a browser, is 400 ${String(error)}`,
          call(asked, refusal(400, String(error))),
          needs
        )
  ]
})

const stateUnchanged = required(
  "4.1",
  "state comes back unchanged",
  Effect.gen(function* () {
    const answer = yield* Api.send(Api.get(`/authorize?${yield* query({ response_type: "token" })}`, html))
    const location = new URL(answer.headers["location"] ?? "", "http://none")
    if (answer.status < 300 || answer.status > 399)
      return yield* Api.skip("the service sends no one back for a wrong response_type")
    return yield* Api.claim(
      location.searchParams.get("state") === state,
      `state comes back as ${JSON.stringify(state)}, not ${JSON.stringify(location.searchParams.get("state"))}`
    )
  }),
  { ...needs, decisions: [36] }
)

const repeatedParameter = ruling(
  40,
  "4.1",
  "a parameter given twice goes back as invalid_request",
  Effect.gen(function* () {
    const answer = yield* Api.send(Api.get(`/authorize?${yield* query({})}&response_type=code`, html))
    yield* Api.verify(answer, sentBack("invalid_request"))
  }),
  needs
)

const repeatedRedirectUri = ruling(
  40,
  "4.1",
  "a redirect_uri given twice is never sent on",
  Effect.gen(function* () {
    const uri = encodeURIComponent(yield* Api.given("redirectUri"))
    const answer = yield* Api.send(Api.get(`/authorize?${yield* query({})}&redirect_uri=${uri}`, html))
    yield* Api.verify(answer, statusIn(400, 499), noHeader("location"))
  }),
  needs
)

const unknownParameter = ruling(
  40,
  "4.1",
  "a parameter that is not known is ignored",
  page({ colour: "red" }, notBack),
  needs
)

const postRequest = ruling(
  40,
  "4.1",
  "the request may come by POST",
  Effect.gen(function* () {
    const parameters = yield* all({})
    const answer = yield* Api.send(Api.form("/authorize", parameters, html))
    yield* Api.verify(answer, statusIn(200, 399), notBack)
  }),
  needs
)

const unknownClientJson = ruling(
  37,
  "7.1",
  "an unknown client_id, asked without a browser, is refused as JSON",
  call({ client_id: "nobody-0123456789" }, statusIn(400, 499), header("content-type", /^application\/json/i)),
  needs
)

/** The authorize page (4.1): up to where a person has to sign in. */
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

/** Opens the page as a browser does. */
function page(changes: Readonly<Record<string, string | undefined>>, ...wanted: ReadonlyArray<Expectation>): Run {
  return Effect.flatMap(query(changes), (text) => Api.expecting(Api.get(`/authorize?${text}`, html), ...wanted))
}

/** Asks as a program does. */
function call(changes: Readonly<Record<string, string | undefined>>, ...wanted: ReadonlyArray<Expectation>): Run {
  return Effect.flatMap(query(changes), (text) => Api.expecting(Api.get(`/authorize?${text}`, json), ...wanted))
}

function back(changes: Readonly<Record<string, string | undefined>>, error: string): Run {
  return page(changes, sentBack(error))
}

function sentBack(error: string): Expectation {
  return ({ headers, status }) => {
    const location = headers["location"] ?? ""
    return (status === 302 || status === 303) && new URL(location, "http://none").searchParams.get("error") === error
      ? undefined
      : `the browser is sent back with error=${error}; it got ${status} ${location.replace(/\?.*/, "?…")}`
  }
}

/** Neither refused nor sent back with an error. */
function notBack({ headers, status }: Parameters0): string | undefined {
  if (status >= 400) return `the request is taken, not refused with ${status}`
  const location = headers["location"] ?? ""
  return /[?&]error=/.test(location) ? `no error goes back; the browser is sent to ${location}` : undefined
}

type Parameters0 = { readonly status: number; readonly headers: Readonly<Record<string, string>> }

function all(changes: Readonly<Record<string, string | undefined>>) {
  return Effect.gen(function* () {
    const parameters: Readonly<Record<string, string | undefined>> = {
      response_type: "code",
      client_id: yield* Api.given("clientId"),
      redirect_uri: yield* Api.given("redirectUri"),
      scope: "user.profile.readable",
      state,
      ...changes
    }
    return Object.entries(parameters).flatMap(([name, value]): Parameters =>
      value === undefined ? [] : [[name, value]]
    )
  })
}

function query(changes: Readonly<Record<string, string | undefined>>) {
  return Effect.map(all(changes), (parameters) =>
    new URLSearchParams(parameters.map(([name, value]): [string, string] => [name, value])).toString()
  )
}
