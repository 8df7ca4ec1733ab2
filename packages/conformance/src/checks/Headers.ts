import * as Effect from "effect/Effect"
import * as Api from "../Api.ts"
import { required, decided, type Check } from "../Check.ts"
import {
  field,
  header,
  jsonObject,
  noField,
  noHeader,
  errorResponse,
  status,
  statusIn,
  requestIdMatches,
  type Expectation
} from "../Expectation.ts"
import { endpoints, requestOf } from "../Endpoints.ts"
import * as Matcher from "../Matcher.ts"

const noPage: Expectation = ({ headers, text }) =>
  /^\s*<|text\/html/i.test(`${text}${headers["content-type"]}`) ? "the body is no HTML" : undefined

const noEmptyBody: Expectation = ({ text }) => (text.trim() === "" ? "the body is not empty" : undefined)

const noRedirect: Expectation = ({ status }) =>
  status >= 300 && status < 400 ? "the status is no redirect" : undefined

const refusals = endpoints.flatMap((endpoint): ReadonlyArray<Check> => {
  const refused = { ...requestOf(endpoint), token: "none" } as const
  return [
    decided(
      "7.1",
      `a refusal of ${endpoint.name} has request_id in the body and the same in x-request-id`,
      { decisions: [12] },
      Api.send(refused, field("request_id", Matcher.nonEmptyString), requestIdMatches)
    ),
    decided(
      "7.1",
      `a refusal of ${endpoint.name} is one body with error, error_description, code, msg and request_id`,
      { decisions: [4, ...(endpoint.isEnveloped ? [6] : [])] },
      Api.send(
        refused,
        jsonObject,
        field("error", Matcher.is("invalid_token")),
        field("error_description", Matcher.nonEmptyString),
        field("code", endpoint.isEnveloped ? Matcher.is(401) : Matcher.is("invalid_token")),
        field("msg", Matcher.nonEmptyString),
        field("request_id", Matcher.nonEmptyString)
      )
    ),
    decided(
      "7.1",
      `a refusal of ${endpoint.name} is neither a page nor an empty body`,
      { decisions: [20] },
      Api.send(refused, noPage, noEmptyBody)
    )
  ]
})

const successes = endpoints
  .filter(({ method, path }) => method === "GET" && !path.includes("0000"))
  .flatMap((endpoint): ReadonlyArray<Check> => [
    decided(
      "7.1",
      `${endpoint.name} has x-request-id on success`,
      { decisions: [12] },
      Api.send(requestOf(endpoint), status(200), header("x-request-id", /\S/))
    ),
    decided(
      endpoint.section,
      `HEAD ${endpoint.path} is GET without the body`,
      { decisions: [22] },
      Api.send(Api.request("HEAD", endpoint.path), status(200), header("content-type", /^application\/json/i))
    ),
    decided(
      endpoint.section,
      `${endpoint.path}/ does not redirect`,
      { decisions: [22, 23] },
      Api.send(Api.get(`${endpoint.path}/`), noHeader("location"), noRedirect)
    )
  ])

const paths = [
  ...[...new Set(endpoints.map(({ path }) => path))].map((path) => ({
    path,
    methods: endpoints.filter((endpoint) => endpoint.path === path).map(({ method }) => method)
  })),
  { path: "/token", methods: ["POST"] }
]

const methods: ReadonlyArray<Check> = [
  ...paths.flatMap(({ methods, path }) =>
    ["DELETE", "PUT"].map((method) =>
      decided(
        "7.1",
        `${method} ${path.replace(/0000.*/, "{task_id}")} is 405 with Allow`,
        { decisions: [19] },
        Api.send(Api.request(method, path), errorResponse(405, "invalid_request"), ...methods.map(allows))
      )
    )
  ),
  decided(
    "7.1",
    "GET /token is 405 with Allow",
    { decisions: [19] },
    Api.send(Api.get("/token", { token: "none" }), errorResponse(405, "invalid_request"), allows("POST"))
  )
]

const addresses: ReadonlyArray<Check> = [
  required(
    "9",
    "an unknown path below /openapi/v2 is 404",
    { decisions: [20] },
    Api.send(Api.get("/no/such/thing"), status(404))
  ),
  decided(
    "7.1",
    "a 404 of an unknown path has the code not_found and a request_id",
    { decisions: [8, 12, 20] },
    Api.send(
      Api.get("/no/such/thing"),
      errorResponse(404, "not_found"),
      field("error", Matcher.is("not_found")),
      field("request_id", Matcher.nonEmptyString)
    )
  ),
  required("9.1", "another version prefix is 404", Api.send(Api.get("//openapi/v1/user/profile"), status(404))),
  required("9.1", "the same path without the prefix is 404", Api.send(Api.get("//user/profile"), status(404))),
  decided(
    "7.1",
    "Accept-Idempotency-Key: true says that idempotency keys are kept",
    { decisions: [81, 64] },
    Api.send(Api.get("/credit"), status(200), header("accept-idempotency-key", /^true$/i))
  ),
  decided("9.1", "paths are case-sensitive", { decisions: [22] }, Api.send(Api.get("/User/Profile"), status(404))),
  decided("7.1", "every response has a different request id", { decisions: [12] }, function* () {
    const responses = yield* Effect.replicateEffect(Api.send(Api.get("/user/profile")), 5, { concurrency: 5 })
    const ids = new Set(responses.map(({ headers }) => headers["x-request-id"]))
    yield* Api.assert(ids.size === 5 && !ids.has(undefined), "five responses carry five request ids")
  })
]

const origin = "https://elsewhere.example"

const leniency: ReadonlyArray<Check> = [
  decided(
    "7.1",
    "CORS is off: no origin is allowed",
    { decisions: [22] },
    Api.send(
      Api.get("/user/profile", { headers: { origin } }),
      status(200),
      noHeader("access-control-allow-origin"),
      noHeader("access-control-allow-credentials")
    )
  ),
  decided(
    "7.1",
    "OPTIONS allows no origin",
    { decisions: [22] },
    Api.send(
      Api.request("OPTIONS", "/user/profile", {
        token: "none",
        headers: { origin, "access-control-request-method": "GET" }
      }),
      statusIn(200, 499),
      noHeader("access-control-allow-origin")
    )
  ),
  decided(
    "7.1",
    "a repeated query parameter does not cause a server error",
    { decisions: [22] },
    Api.send(Api.get("/tasks?page=2&page=3"), statusIn(200, 499))
  ),
  decided(
    "7.1",
    "broken percent signs in a query are no fault of the service",
    { decisions: [22] },
    Api.send(Api.get("/tasks?page=%zz"), statusIn(200, 499))
  ),
  decided(
    "7.1",
    "broken percent signs in a path are no fault of the service",
    { decisions: [22] },
    Api.send(Api.get("/tasks/%zz"), statusIn(400, 499))
  ),
  required("7.1", "a success without an envelope has no error", Api.send(Api.get("/credit"), noField("error")))
]

/** What responses have in common: the error body, trace ids, methods, addresses (contract 7.1, 9). */
export const checks = [...refusals, ...successes, ...methods, ...addresses, ...leniency]

function allows(method: string): Expectation {
  return header("allow", new RegExp(`\\b${method}\\b`))
}
