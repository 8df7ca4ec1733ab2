import * as Effect from "effect/Effect"
import * as Api from "../Api.ts"
import { required, decided, type Check, type Run } from "../Check.ts"
import { field, header, jsonObject, status, statusIn, type Expectation } from "../Expectation.ts"
import { list, withSandbox, uris } from "../ArtifactList.ts"
import { withTurn } from "../Fixtures.ts"
import * as Matcher from "../Matcher.ts"
import { at } from "../internal/Json.ts"

const types = ["plan", "tasks", "media", "overview"]

const success: ReadonlyArray<Expectation> = [
  status(200),
  jsonObject,
  field("code", Matcher.is(0)),
  field("msg", Matcher.is("success"))
]

/** One page holds every artifact. */
const unpaged: Expectation = ({ json }) => {
  const total = at(json, "data.pagination.total")
  const returned = at(json, "data.pagination.returned")
  const artifacts = at(json, "data.artifacts")
  return total === returned &&
    Array.isArray(artifacts) &&
    artifacts.length === total &&
    at(json, "data.pagination.hasMore") === false
    ? undefined
    : "total, returned and the number of artifacts are equal, and hasMore is false"
}

const listSuccess = required("4.14", "returns 200 with code 0 and msg success", listing("", ...success))

const dataFields = required(
  "4.14",
  "data has sessionId, artifacts, pagination and filter",
  listing(
    "",
    field(
      "data",
      Matcher.struct({
        sessionId: Matcher.filled,
        artifacts: Matcher.array,
        pagination: Matcher.struct({
          total: Matcher.count,
          returned: Matcher.count,
          limit: Matcher.count,
          offset: Matcher.count,
          hasMore: Matcher.boolean
        }),
        filter: Matcher.object
      })
    )
  )
)

const sessionId = required(
  "4.14",
  "sessionId selects the session",
  withTurn(({ task }) =>
    listing(`?sessionId=${task.taskId}`, ...success, field("data.sessionId", Matcher.is(task.taskId)))
  )
)

const noLimit = required("4.14", "without a limit every artifact is returned", listing("", ...success, unpaged))

const limitZero = required("4.14", "limit=0 turns pagination off", listing("?limit=0", ...success, unpaged))

const offsetWithoutLimit = decided(
  98,
  "4.14",
  "without a limit the offset is ignored",
  listing("?offset=1", ...success, unpaged, field("data.pagination.offset", Matcher.is(0)))
)

const firstPage = required(
  "4.14",
  "limit=1 returns at most one artifact, and hasMore is true when more follow",
  listing("?limit=1", ...success, paged(1, 0))
)

const secondPage = required(
  "4.14",
  "limit=1 and offset=1 return the second",
  withTurn(() =>
    Effect.gen(function* () {
      const whole = yield* list("")
      const second = yield* list("?limit=1&offset=1")
      yield* Api.verify(second, ...success, paged(1, 1))
      yield* Api.assert(
        uris(second).every((uri) => uri === uris(whole)[1]),
        "the page holds the second artifact of the whole list"
      )
    })
  )
)

const maximumLimit = required(
  "4.14",
  "limit=500 is allowed",
  listing("?limit=500", ...success, field("data.pagination.limit", Matcher.is(500)))
)

const byType = types.map((type) =>
  required(
    "4.14",
    `type=${type} returns only that type, and filter says so`,
    listing(
      `?type=${type}`,
      ...success,
      field("data.filter.type", Matcher.is(type)),
      field("data.artifacts", Matcher.each(Matcher.struct({ artifact: Matcher.struct({ type: Matcher.is(type) }) })))
    )
  )
)

const startInFuture = required(
  "4.14",
  "startMs in the future returns nothing",
  listing(
    "?startMs=4102444800000",
    ...success,
    field("data.artifacts", Matcher.sized(0, 0)),
    field("data.filter.startMs", Matcher.is(4_102_444_800_000))
  )
)

const endInPast = required(
  "4.14",
  "endMs in the past returns nothing",
  listing(
    "?endMs=1",
    ...success,
    field("data.artifacts", Matcher.sized(0, 0)),
    field("data.filter.endMs", Matcher.is(1))
  )
)

const zeroBounds = required(
  "4.14",
  "startMs=0 and endMs=0 do not filter",
  withTurn(() =>
    Effect.gen(function* () {
      const whole = yield* list("")
      const bounded = yield* list("?startMs=0&endMs=0")
      yield* Api.verify(
        bounded,
        ...success,
        field("data.pagination.total", Matcher.is(at(whole.json, "data.pagination.total")))
      )
    })
  )
)

const startAfterEnd = decided(
  98,
  "4.14",
  "startMs after endMs returns nothing",
  listing("?startMs=2000000000000&endMs=1000000000000", ...success, field("data.artifacts", Matcher.sized(0, 0)))
)

const invalidQueries = [
  "type=song",
  "limit=501",
  "limit=-1",
  "limit=abc",
  "limit=1.5",
  "offset=-1",
  "offset=abc",
  "startMs=abc",
  "endMs=abc"
].map((query) =>
  required("7.2", `${query} is 400 with code 1`, listing(`?${query}`, ...error(400)), { decisions: [97] })
)

const negativeTimes = ["startMs=-1", "endMs=-1"].map((query) =>
  decided(98, "7.2", `${query} is 400 with code 1`, listing(`?${query}`, ...error(400)))
)

const unknownSession = required(
  "7.2",
  "an unknown sessionId is 404 with code 1",
  listing("?sessionId=no-such-session", ...error(404)),
  {
    decisions: [107]
  }
)

const noToken = required("7.2", "no token is 401", unauthorized("none", status(401)))

const wrongToken = required(
  "7.2",
  "a wrong token is 401",
  unauthorized({ token: "never-issued-0123456789" }, status(401))
)

const accessToken = required("5.7", "the access token is 401", unauthorized("accessToken", status(401)))

const unauthorizedBody = decided(
  108,
  "7.2",
  "a 401 has no code or code 1, a msg, and WWW-Authenticate",
  unauthorized(
    "none",
    status(401),
    jsonObject,
    field("code", Matcher.optional(Matcher.is(1))),
    field("msg", Matcher.filled),
    header("www-authenticate", /^bearer\b/i)
  )
)

const apiVersion = decided(
  110,
  "9",
  "x-api-version names the version",
  listing("", status(200), header("x-api-version", /\S/))
)

const pathTraversal = decided(
  105,
  "4.14",
  "a path outside the session is refused",
  withSandbox((sandboxUrl, token) =>
    Api.expecting(
      Api.get(`${sandboxUrl}/artifacts/..%2f..%2f..%2fetc%2fpasswd`, { token: { token } }),
      statusIn(400, 499)
    )
  )
)

/** The artifact list of a session over REST (contract 2.9, 4.14, 7.2). */
export const checks: ReadonlyArray<Check> = [
  listSuccess,
  dataFields,
  sessionId,
  noLimit,
  limitZero,
  offsetWithoutLimit,
  firstPage,
  secondPage,
  maximumLimit,
  ...byType,
  startInFuture,
  endInPast,
  zeroBounds,
  startAfterEnd,
  ...invalidQueries,
  ...negativeTimes,
  unknownSession,
  noToken,
  wrongToken,
  accessToken,
  unauthorizedBody,
  apiVersion,
  pathTraversal
]

/** Lists the artifacts after the common turn. */
function listing(query: string, ...wanted: ReadonlyArray<Expectation>): Run {
  return withTurn(() => Effect.flatMap(list(query), (response) => Api.verify(response, ...wanted)))
}

function unauthorized(
  token: "none" | "accessToken" | { readonly token: string },
  ...wanted: ReadonlyArray<Expectation>
): Run {
  return withSandbox((sandboxUrl) =>
    Api.expecting(Api.get(`${sandboxUrl}/api/session/artifacts`, { token }), ...wanted)
  )
}

function paged(limit: number, offset: number): Expectation {
  return ({ json }) => {
    const total = Number(at(json, "data.pagination.total"))
    const left = Math.max(0, total - offset)
    const expected = { limit, offset, returned: Math.min(limit, left), hasMore: left > limit }
    const wrong = Object.entries(expected).filter(([name, value]) => at(json, `data.pagination.${name}`) !== value)
    return wrong.length === 0
      ? undefined
      : `of ${total} artifacts, ${wrong.map(([name, value]) => `${name} is ${String(value)}`).join(", ")}`
  }
}

/** The error body of contract 7.2. */
function error(wanted: number): ReadonlyArray<Expectation> {
  return [status(wanted), jsonObject, field("code", Matcher.is(1)), field("msg", Matcher.filled)]
}
