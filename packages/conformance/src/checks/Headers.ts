import * as Effect from "effect/Effect"
import * as Api from "../Api.ts"
import { required, ruling, type Check } from "../Check.ts"
import { endpoints, requestOf } from "../Endpoints.ts"
import { at, field, header, jsonObject, noHeader, refusal, status, statusIn } from "../Expect.ts"
import * as Shape from "../Shape.ts"

const paths = [...new Set(endpoints.map(({ path }) => path)), "/token"]

const refusals = endpoints.flatMap((endpoint): ReadonlyArray<Check> => {
  const refused = { ...requestOf(endpoint), token: "none" } as const
  return [
    ruling(
      12,
      "7.1",
      `a refusal of ${endpoint.name} has request_id in the body and the same in x-request-id`,
      Effect.gen(function* () {
        const answer = yield* Api.send(refused)
        yield* Api.verify(
          answer,
          field("request_id", Shape.filled),
          field("request_id", Shape.is(answer.headers["x-request-id"]))
        )
      })
    ),
    ruling(
      4,
      "7.1",
      `a refusal of ${endpoint.name} is one body with error, error_description, code, msg and request_id`,
      Api.expecting(
        refused,
        jsonObject,
        field("error", Shape.is("invalid_token")),
        field("error_description", Shape.filled),
        field("code", endpoint.envelope ? Shape.is(401) : Shape.is("invalid_token")),
        field("msg", Shape.filled),
        field("request_id", Shape.filled)
      ),
      { decisions: endpoint.envelope ? [6] : [] }
    ),
    required(
      "7.1",
      `a refusal of ${endpoint.name} is no page and no empty body`,
      Api.expecting(
        refused,
        (answer) =>
          /^\s*<|text\/html/i.test(`${answer.text}${answer.headers["content-type"]}`)
            ? "the body is no HTML"
            : undefined,
        (answer) => (answer.text.trim() === "" ? "the body is not empty" : undefined)
      ),
      { decisions: [20] }
    )
  ]
})

const successes = endpoints
  .filter(({ method, path }) => method === "GET" && !path.includes("0000"))
  .flatMap((endpoint): ReadonlyArray<Check> => [
    ruling(
      12,
      "7.1",
      `${endpoint.name} tells x-request-id on success too`,
      Api.expecting(requestOf(endpoint), status(200), header("x-request-id", /\S/))
    ),
    ruling(
      22,
      endpoint.section,
      `HEAD ${endpoint.path} is GET without the body`,
      Effect.gen(function* () {
        const answer = yield* Api.send(Api.request("HEAD", endpoint.path))
        yield* Api.verify(answer, status(200), header("content-type", /^application\/json/i))
      })
    ),
    ruling(
      22,
      endpoint.section,
      `${endpoint.path}/ does not redirect`,
      Api.expecting(Api.get(`${endpoint.path}/`), noHeader("location"), (answer) =>
        answer.status >= 300 && answer.status < 400 ? "the status is no redirect" : undefined
      ),
      { decisions: [23] }
    )
  ])

const unsupportedMethods = paths.flatMap((path): ReadonlyArray<Check> =>
  ["DELETE", "PUT"].map((method) =>
    ruling(
      19,
      "7.1",
      `${method} ${path.replace(/0000.*/, "{task_id}")} is 405 with Allow`,
      Effect.gen(function* () {
        const answer = yield* Api.send(Api.request(method, path))
        const known =
          path === "/token"
            ? ["POST"]
            : endpoints.filter((endpoint) => endpoint.path === path).map(({ method }) => method)
        yield* Api.verify(
          answer,
          refusal(405, "invalid_request"),
          ...known.map((name) => header("allow", new RegExp(`\\b${name}\\b`)))
        )
      })
    )
  )
)

const getToken = ruling(
  19,
  "7.1",
  "GET /token is 405 with Allow",
  Api.expecting(Api.get("/token", { token: "none" }), refusal(405, "invalid_request"), header("allow", /\bPOST\b/))
)

const unknownPath = required(
  "9",
  "an address below /openapi/v2 that does not exist is 404",
  Api.expecting(Api.get("/no/such/thing"), status(404)),
  { decisions: [20] }
)

const unknownPathBody = ruling(
  8,
  "7.1",
  "a 404 of an unknown address is spelt not_found, with a body and a request_id",
  Api.expecting(
    Api.get("/no/such/thing"),
    refusal(404, "not_found"),
    field("error", Shape.is("not_found")),
    field("request_id", Shape.filled)
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

const pathCase = ruling(22, "9.1", "paths differ by capitals", Api.expecting(Api.get("/User/Profile"), status(404)))

const uniqueRequestIds = ruling(
  12,
  "7.1",
  "every answer has a request id of its own",
  Effect.gen(function* () {
    const answers = yield* Effect.all(
      Array.from({ length: 5 }, () => Api.send(Api.get("/user/profile"))),
      { concurrency: 5 }
    )
    const ids = new Set(answers.map(({ headers }) => headers["x-request-id"]))
    yield* Api.claim(ids.size === 5 && !ids.has(undefined), "five answers carry five request ids")
  })
)

const corsOff = ruling(
  22,
  "7.1",
  "CORS is off: an Origin is not allowed",
  Api.expecting(
    Api.get("/user/profile", { headers: { origin: "https://elsewhere.example" } }),
    status(200),
    noHeader("access-control-allow-origin"),
    noHeader("access-control-allow-credentials")
  )
)

const optionsRequest = ruling(
  22,
  "7.1",
  "OPTIONS is answered, and allows no origin",
  Api.expecting(
    Api.request("OPTIONS", "/user/profile", {
      token: "none",
      headers: { origin: "https://elsewhere.example", "access-control-request-method": "GET" }
    }),
    statusIn(200, 499),
    noHeader("access-control-allow-origin")
  )
)

const repeatedQueryParameter = ruling(
  22,
  "7.1",
  "a repeated query parameter is no fault of the service",
  Api.expecting(Api.get("/tasks?page=2&page=3"), statusIn(200, 499))
)

const brokenQueryEncoding = ruling(
  22,
  "7.1",
  "broken percent signs in a query are no fault of the service",
  Api.expecting(Api.get("/tasks?page=%zz"), statusIn(200, 499))
)

const brokenPathEncoding = ruling(
  22,
  "7.1",
  "broken percent signs in a path are no fault of the service",
  Api.expecting(Api.get("/tasks/%zz"), statusIn(400, 499))
)

const noErrorOnSuccess = required(
  "7.1",
  "a success of a bare operation carries no error",
  Effect.gen(function* () {
    const answer = yield* Api.send(Api.get("/credit"))
    yield* Api.claim(at(answer.json, "error") === undefined, "the body has no error")
  })
)

/** What answers have in common: the error body, trace ids, methods, addresses (7.1, 9). */
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
