import * as Effect from "effect/Effect"
import * as Api from "../Api.ts"
import { required, decided, type Check } from "../Check.ts"
import { field, header, jsonObject, noHeader, refusal, status, statusIn } from "../Expectation.ts"
import { endpoints, requestOf } from "../Endpoints.ts"
import * as Matcher from "../Matcher.ts"
import { at } from "../internal/Json.ts"

const paths = [...new Set(endpoints.map(({ path }) => path)), "/token"]

const refusals = endpoints.flatMap((endpoint): ReadonlyArray<Check> => {
  const refused = { ...requestOf(endpoint), token: "none" } as const
  return [
    decided(
      12,
      "7.1",
      `a refusal of ${endpoint.name} has request_id in the body and the same in x-request-id`,
      Effect.gen(function* () {
        const response = yield* Api.send(refused)
        yield* Api.verify(
          response,
          field("request_id", Matcher.filled),
          field("request_id", Matcher.is(response.headers["x-request-id"]))
        )
      })
    ),
    decided(
      4,
      "7.1",
      `a refusal of ${endpoint.name} is one body with error, error_description, code, msg and request_id`,
      Api.expecting(
        refused,
        jsonObject,
        field("error", Matcher.is("invalid_token")),
        field("error_description", Matcher.filled),
        field("code", endpoint.envelope ? Matcher.is(401) : Matcher.is("invalid_token")),
        field("msg", Matcher.filled),
        field("request_id", Matcher.filled)
      ),
      { decisions: endpoint.envelope ? [6] : [] }
    ),
    required(
      "7.1",
      `a refusal of ${endpoint.name} is neither a page nor an empty body`,
      Api.expecting(
        refused,
        (response) =>
          /^\s*<|text\/html/i.test(`${response.text}${response.headers["content-type"]}`)
            ? "the body is no HTML"
            : undefined,
        (response) => (response.text.trim() === "" ? "the body is not empty" : undefined)
      ),
      { decisions: [20] }
    )
  ]
})

const successes = endpoints
  .filter(({ method, path }) => method === "GET" && !path.includes("0000"))
  .flatMap((endpoint): ReadonlyArray<Check> => [
    decided(
      12,
      "7.1",
      `${endpoint.name} has x-request-id on success`,
      Api.expecting(requestOf(endpoint), status(200), header("x-request-id", /\S/))
    ),
    decided(
      22,
      endpoint.section,
      `HEAD ${endpoint.path} is GET without the body`,
      Effect.gen(function* () {
        const response = yield* Api.send(Api.request("HEAD", endpoint.path))
        yield* Api.verify(response, status(200), header("content-type", /^application\/json/i))
      })
    ),
    decided(
      22,
      endpoint.section,
      `${endpoint.path}/ does not redirect`,
      Api.expecting(Api.get(`${endpoint.path}/`), noHeader("location"), (response) =>
        response.status >= 300 && response.status < 400 ? "the status is no redirect" : undefined
      ),
      { decisions: [23] }
    )
  ])

const unsupportedMethods = paths.flatMap((path): ReadonlyArray<Check> =>
  ["DELETE", "PUT"].map((method) =>
    decided(
      19,
      "7.1",
      `${method} ${path.replace(/0000.*/, "{task_id}")} is 405 with Allow`,
      Effect.gen(function* () {
        const response = yield* Api.send(Api.request(method, path))
        const known =
          path === "/token"
            ? ["POST"]
            : endpoints.filter((endpoint) => endpoint.path === path).map(({ method }) => method)
        yield* Api.verify(
          response,
          refusal(405, "invalid_request"),
          ...known.map((name) => header("allow", new RegExp(`\\b${name}\\b`)))
        )
      })
    )
  )
)

const getToken = decided(
  19,
  "7.1",
  "GET /token is 405 with Allow",
  Api.expecting(Api.get("/token", { token: "none" }), refusal(405, "invalid_request"), header("allow", /\bPOST\b/))
)

const unknownPath = required(
  "9",
  "an unknown path below /openapi/v2 is 404",
  Api.expecting(Api.get("/no/such/thing"), status(404)),
  { decisions: [20] }
)

const unknownPathBody = decided(
  8,
  "7.1",
  "a 404 of an unknown path has the code not_found and a request_id",
  Api.expecting(
    Api.get("/no/such/thing"),
    refusal(404, "not_found"),
    field("error", Matcher.is("not_found")),
    field("request_id", Matcher.filled)
  ),
  { decisions: [12, 20] }
)

const otherVersion = required(
  "9.1",
  "another version prefix is 404",
  Api.expecting(Api.get("//openapi/v1/user/profile"), status(404))
)

const noPrefix = required(
  "9.1",
  "the same path without the prefix is 404",
  Api.expecting(Api.get("//user/profile"), status(404))
)

const pathCase = decided(22, "9.1", "paths are case-sensitive", Api.expecting(Api.get("/User/Profile"), status(404)))

const uniqueRequestIds = decided(
  12,
  "7.1",
  "every response has a different request id",
  Effect.gen(function* () {
    const responses = yield* Effect.all(
      Array.from({ length: 5 }, () => Api.send(Api.get("/user/profile"))),
      { concurrency: 5 }
    )
    const ids = new Set(responses.map(({ headers }) => headers["x-request-id"]))
    yield* Api.assert(ids.size === 5 && !ids.has(undefined), "five responses carry five request ids")
  })
)

const corsOff = decided(
  22,
  "7.1",
  "CORS is off: no origin is allowed",
  Api.expecting(
    Api.get("/user/profile", { headers: { origin: "https://elsewhere.example" } }),
    status(200),
    noHeader("access-control-allow-origin"),
    noHeader("access-control-allow-credentials")
  )
)

const optionsRequest = decided(
  22,
  "7.1",
  "OPTIONS allows no origin",
  Api.expecting(
    Api.request("OPTIONS", "/user/profile", {
      token: "none",
      headers: { origin: "https://elsewhere.example", "access-control-request-method": "GET" }
    }),
    statusIn(200, 499),
    noHeader("access-control-allow-origin")
  )
)

const repeatedQueryParameter = decided(
  22,
  "7.1",
  "a repeated query parameter does not cause a server error",
  Api.expecting(Api.get("/tasks?page=2&page=3"), statusIn(200, 499))
)

const brokenQueryEncoding = decided(
  22,
  "7.1",
  "broken percent signs in a query are no fault of the service",
  Api.expecting(Api.get("/tasks?page=%zz"), statusIn(200, 499))
)

const brokenPathEncoding = decided(
  22,
  "7.1",
  "broken percent signs in a path are no fault of the service",
  Api.expecting(Api.get("/tasks/%zz"), statusIn(400, 499))
)

const noErrorOnSuccess = required(
  "7.1",
  "a success without an envelope has no error",
  Effect.gen(function* () {
    const response = yield* Api.send(Api.get("/credit"))
    yield* Api.assert(at(response.json, "error") === undefined, "the body has no error")
  })
)

/** What responses have in common: the error body, trace ids, methods, addresses (contract 7.1, 9). */
export const checks: ReadonlyArray<Check> = [
  ...refusals,
  ...successes,
  ...unsupportedMethods,
  getToken,
  unknownPath,
  unknownPathBody,
  otherVersion,
  noPrefix,
  pathCase,
  uniqueRequestIds,
  corsOff,
  optionsRequest,
  repeatedQueryParameter,
  brokenQueryEncoding,
  brokenPathEncoding,
  noErrorOnSuccess
]
