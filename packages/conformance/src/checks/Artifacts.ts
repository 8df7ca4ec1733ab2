import * as Effect from "effect/Effect"
import * as Api from "../Api.ts"
import { required, ruling, type Check, type Run } from "../Check.ts"
import { at, field, header, jsonObject, status, statusIn, type Expectation } from "../Expect.ts"
import { list, onSandbox, uris } from "../ArtifactList.ts"
import { onRound } from "../Fixtures.ts"
import * as Shape from "../Shape.ts"

const types = ["plan", "tasks", "media", "overview"]

const success: ReadonlyArray<Expectation> = [
  status(200),
  jsonObject,
  field("code", Shape.is(0)),
  field("msg", Shape.is("success"))
]

/** Everything is there, on one page. */
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

const listSuccess = required("4.14", "answers 200 with code 0 and msg success", asking("", ...success))

const dataFields = required(
  "4.14",
  "data has sessionId, artifacts, pagination and filter",
  asking(
    "",
    field(
      "data",
      Shape.struct({
        sessionId: Shape.filled,
        artifacts: Shape.array,
        pagination: Shape.struct({
          total: Shape.count,
          returned: Shape.count,
          limit: Shape.count,
          offset: Shape.count,
          hasMore: Shape.boolean
        }),
        filter: Shape.object
      })
    )
  )
)

const sessionId = required(
  "4.14",
  "sessionId may name the session",
  onRound(({ task }) => asking(`?sessionId=${task.taskId}`, ...success, field("data.sessionId", Shape.is(task.taskId))))
)

const noLimit = required("4.14", "without a limit everything is returned", asking("", ...success, unpaged))

const limitZero = required("4.14", "limit=0 is no pagination", asking("?limit=0", ...success, unpaged))

const offsetWithoutLimit = ruling(
  98,
  "4.14",
  "without a limit offset does not count",
  asking("?offset=1", ...success, unpaged, field("data.pagination.offset", Shape.is(0)))
)

const firstPage = required(
  "4.14",
  "limit=1 returns one at most, and hasMore tells whether there are more",
  asking("?limit=1", ...success, paged(1, 0))
)

const secondPage = required(
  "4.14",
  "limit=1 and offset=1 return the second",
  onRound(() =>
    Effect.gen(function* () {
      const whole = yield* list("")
      const second = yield* list("?limit=1&offset=1")
      yield* Api.verify(second, ...success, paged(1, 1))
      yield* Api.claim(
        uris(second).every((uri) => uri === uris(whole)[1]),
        "the page holds the second artifact of the whole list"
      )
    })
  )
)

const maximumLimit = required(
  "4.14",
  "limit=500 is allowed",
  asking("?limit=500", ...success, field("data.pagination.limit", Shape.is(500)))
)

const byType = types.map((type) =>
  required(
    "4.14",
    `type=${type} returns only that type, and filter says so`,
    asking(
      `?type=${type}`,
      ...success,
      field("data.filter.type", Shape.is(type)),
      field("data.artifacts", Shape.each(Shape.struct({ artifact: Shape.struct({ type: Shape.is(type) }) })))
    )
  )
)

const startInFuture = required(
  "4.14",
  "startMs in the future returns nothing",
  asking(
    "?startMs=4102444800000",
    ...success,
    field("data.artifacts", Shape.sized(0, 0)),
    field("data.filter.startMs", Shape.is(4_102_444_800_000))
  )
)

const endInPast = required(
  "4.14",
  "endMs in the past returns nothing",
  asking("?endMs=1", ...success, field("data.artifacts", Shape.sized(0, 0)), field("data.filter.endMs", Shape.is(1)))
)

const zeroBounds = required(
  "4.14",
  "startMs=0 and endMs=0 are no bounds",
  onRound(() =>
    Effect.gen(function* () {
      const whole = yield* list("")
      const bounded = yield* list("?startMs=0&endMs=0")
      yield* Api.verify(
        bounded,
        ...success,
        field("data.pagination.total", Shape.is(at(whole.json, "data.pagination.total")))
      )
    })
  )
)

const startAfterEnd = ruling(
  98,
  "4.14",
  "startMs after endMs returns nothing",
  asking("?startMs=2000000000000&endMs=1000000000000", ...success, field("data.artifacts", Shape.sized(0, 0)))
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
  required("7.2", `${query} is 400 with code 1`, asking(`?${query}`, ...error(400)), { decisions: [97] })
)

const negativeTimes = ["startMs=-1", "endMs=-1"].map((query) =>
  ruling(98, "7.2", `${query} is 400 with code 1`, asking(`?${query}`, ...error(400)))
)

const unknownSession = required(
  "7.2",
  "an unknown sessionId is 404 with code 1",
  asking("?sessionId=no-such-session", ...error(404)),
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

const unauthorizedBody = ruling(
  108,
  "7.2",
  "a 401 has no code or code 1, a msg, and WWW-Authenticate",
  unauthorized(
    "none",
    status(401),
    jsonObject,
    field("code", Shape.optional(Shape.is(1))),
    field("msg", Shape.filled),
    header("www-authenticate", /^bearer\b/i)
  )
)

const apiVersion = ruling(
  110,
  "9",
  "the version is told in x-api-version",
  asking("", status(200), header("x-api-version", /\S/))
)

const pathTraversal = ruling(
  105,
  "4.14",
  "a path out of the session is refused",
  onSandbox((sandboxUrl, token) =>
    Api.expecting(
      Api.get(`${sandboxUrl}/artifacts/..%2f..%2f..%2fetc%2fpasswd`, { token: { token } }),
      statusIn(400, 499)
    )
  )
)

/** The artifacts of a session over REST (2.9, 4.14, 7.2), and as they are pushed (6). */
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

/** Asks once the round has left its artifacts. */
function asking(query: string, ...wanted: ReadonlyArray<Expectation>): Run {
  return onRound(() => Effect.flatMap(list(query), (answer) => Api.verify(answer, ...wanted)))
}

function unauthorized(
  token: "none" | "accessToken" | { readonly token: string },
  ...wanted: ReadonlyArray<Expectation>
): Run {
  return onSandbox((sandboxUrl) => Api.expecting(Api.get(`${sandboxUrl}/api/session/artifacts`, { token }), ...wanted))
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

/** The error body of 7.2. */
function error(wanted: number): ReadonlyArray<Expectation> {
  return [status(wanted), jsonObject, field("code", Shape.is(1)), field("msg", Shape.filled)]
}
