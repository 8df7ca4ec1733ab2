import * as Effect from "effect/Effect"
import * as Api from "../Api.ts"
import { required, decided, type Check } from "../Check.ts"
import { field, header, jsonObject, status, statusIn, type Expectation } from "../Expectation.ts"
import { listArtifacts, listUrl, sandbox, uris } from "../ArtifactList.ts"
import * as Fixtures from "../Fixtures.ts"
import * as Matcher from "../Matcher.ts"
import { at } from "../internal/Json.ts"

const empty = field("data.artifacts", Matcher.ofLength(0, 0))

const success: ReadonlyArray<Expectation> = [
  status(200),
  jsonObject,
  field("code", Matcher.is(0)),
  field("msg", Matcher.is("success"))
]

/** Whether a list has pagination, which the document does not promise (contract decision 98). */
const hasPagination = (json: unknown): boolean => (at(json, "data.pagination") ?? undefined) !== undefined

/** One page holds every artifact. */
const unpaged: Expectation = ({ json }) => {
  const artifacts = at(json, "data.artifacts")
  if (!Array.isArray(artifacts)) return "data.artifacts is an array"
  if (!hasPagination(json)) return undefined
  const total = at(json, "data.pagination.total")
  const returned = at(json, "data.pagination.returned")
  return total === returned && artifacts.length === total && at(json, "data.pagination.hasMore") === false
    ? undefined
    : "total, returned and the number of artifacts are equal, and hasMore is false"
}

const pagination = Matcher.struct({
  total: Matcher.nonNegativeInteger,
  returned: Matcher.nonNegativeInteger,
  limit: Matcher.nonNegativeInteger,
  offset: Matcher.nonNegativeInteger,
  hasMore: Matcher.boolean
})

const dataFields = Matcher.struct({
  sessionId: Matcher.nonEmptyString,
  artifacts: Matcher.array,
  pagination: Matcher.optional(pagination),
  filter: Matcher.object
})

const pages: ReadonlyArray<Check> = [
  required("4.14", "returns 200 with code 0 and msg success", listArtifacts("", ...success)),
  required(
    "4.14",
    "data has sessionId, artifacts and filter, and counts where it has pagination",
    { decisions: [98] },
    listArtifacts("", field("data", dataFields))
  ),
  ...["", "?limit=1"].map((query) =>
    decided(
      "4.14",
      `a list ${query === "" ? "without a limit" : "with a limit"} has pagination`,
      { decisions: [98] },
      listArtifacts(query, ...success, field("data.pagination", pagination))
    )
  ),
  required("4.14", "sessionId selects the session", function* () {
    const { taskId } = yield* Fixtures.channelTask
    yield* listArtifacts(`?sessionId=${taskId}`, ...success, field("data.sessionId", Matcher.is(taskId)))
  }),
  required("4.14", "without sessionId the list is that of the only session, or 400", function* () {
    yield* Fixtures.turn
    const { sandboxUrl, token } = yield* sandbox
    const response = yield* Api.send(Api.get(`${sandboxUrl}/api/session/artifacts`, { token: { token } }))
    yield* Api.verify(response, ...(response.status === 400 ? errorBody(400) : success))
  }),
  required("4.14", "without a limit every artifact is returned", listArtifacts("", ...success, unpaged)),
  required("4.14", "limit=0 turns pagination off", listArtifacts("?limit=0", ...success, unpaged)),
  decided(
    "4.14",
    "without a limit the offset is ignored",
    { decisions: [98] },
    listArtifacts("?offset=1", ...success, unpaged, field("data.pagination.offset", Matcher.is(0)))
  ),
  required(
    "4.14",
    "limit=1 returns at most one artifact, and hasMore is true when more follow",
    listArtifacts("?limit=1", ...success, paged(1, 0))
  ),
  required("4.14", "limit=1 and offset=1 return the second", function* () {
    const [, second] = uris(yield* listArtifacts())
    const page = yield* listArtifacts("?limit=1&offset=1", ...success, paged(1, 1))
    yield* Api.assert(
      uris(page).every((uri) => uri === second),
      "the page holds the second artifact of the whole list"
    )
  }),
  required(
    "4.14",
    "limit=500 is allowed",
    listArtifacts("?limit=500", ...success, field("data.pagination.limit", Matcher.optional(Matcher.is(500))))
  )
]

const filters: ReadonlyArray<Check> = [
  ...["plan", "tasks", "media", "overview"].map((type) =>
    required(
      "4.14",
      `type=${type} returns only that type, and filter says so`,
      listArtifacts(
        `?type=${type}`,
        ...success,
        field("data.filter.type", Matcher.is(type)),
        field("data.artifacts", Matcher.each(Matcher.struct({ artifact: Matcher.struct({ type: Matcher.is(type) }) })))
      )
    )
  ),
  required(
    "4.14",
    "startMs in the future returns nothing",
    listArtifacts(
      "?startMs=4102444800000",
      ...success,
      empty,
      field("data.filter.startMs", Matcher.int64(Matcher.is(4_102_444_800_000)))
    )
  ),
  required(
    "4.14",
    "endMs in the past returns nothing",
    listArtifacts("?endMs=1", ...success, empty, field("data.filter.endMs", Matcher.int64(Matcher.is(1))))
  ),
  decided(
    "4.14",
    "filter repeats startMs and endMs as numbers, not strings",
    { decisions: [21] },
    listArtifacts(
      "?startMs=1&endMs=4102444800000",
      ...success,
      field("data.filter", Matcher.struct({ startMs: Matcher.is(1), endMs: Matcher.is(4_102_444_800_000) }))
    )
  ),
  required("4.14", "startMs=0 and endMs=0 do not filter", function* () {
    const total = at((yield* listArtifacts()).json, "data.pagination.total")
    yield* listArtifacts("?startMs=0&endMs=0", ...success, field("data.pagination.total", Matcher.is(total)))
  }),
  decided(
    "4.14",
    "startMs after endMs returns nothing",
    { decisions: [98] },
    listArtifacts("?startMs=2000000000000&endMs=1000000000000", ...success, empty)
  )
]

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
]

const refusals: ReadonlyArray<Check> = [
  ...invalidQueries.map((query) =>
    required("7.2", `${query} is 400 with code 1`, { decisions: [97] }, listArtifacts(`?${query}`, ...errorBody(400)))
  ),
  ...["startMs=-1", "endMs=-1"].map((query) =>
    decided("7.2", `${query} is 400 with code 1`, { decisions: [98] }, listArtifacts(`?${query}`, ...errorBody(400)))
  ),
  required(
    "7.2",
    "an unknown sessionId is 404 with code 1",
    { decisions: [107] },
    listArtifacts("?sessionId=no-such-session", ...errorBody(404))
  ),
  required("7.2", "no token is 401", unauthorized("none")),
  required("7.2", "a wrong token is 401", unauthorized({ token: "never-issued-0123456789" })),
  required("5.7", "the access token is 401", unauthorized("accessToken")),
  decided(
    "7.2",
    "a 401 has no code or code 1, a msg, and WWW-Authenticate",
    { decisions: [108] },
    unauthorized(
      "none",
      jsonObject,
      field("code", Matcher.optional(Matcher.is(1))),
      field("msg", Matcher.nonEmptyString),
      header("www-authenticate", /^bearer\b/i)
    )
  )
]

const addresses: ReadonlyArray<Check> = [
  decided(
    "9",
    "x-api-version names the version",
    { decisions: [110] },
    listArtifacts("", status(200), header("x-api-version", /\S/))
  ),
  decided("4.14", "a path outside the session is refused", { decisions: [105] }, function* () {
    const { sandboxUrl, token } = yield* sandbox
    const outside = `${sandboxUrl}/artifacts/..%2f..%2f..%2fetc%2fpasswd`
    yield* Api.send(Api.get(outside, { token: { token } }), statusIn(400, 499))
  })
]

/** The artifact list of a session over REST (contract 2.9, 4.14, 7.2). */
export const checks = [...pages, ...filters, ...refusals, ...addresses]

function unauthorized(token: NonNullable<Api.Options["token"]>, ...expectations: ReadonlyArray<Expectation>) {
  return Effect.gen(function* () {
    const { taskId } = yield* Fixtures.channelTask
    const { sandboxUrl } = yield* sandbox
    yield* Api.send(Api.get(listUrl(sandboxUrl, taskId), { token }), status(401), ...expectations)
  })
}

function paged(limit: number, offset: number): Expectation {
  return ({ json }) => {
    const artifacts = at(json, "data.artifacts")
    if (!Array.isArray(artifacts) || artifacts.length > limit) return `data.artifacts has at most ${limit} elements`
    if (!hasPagination(json)) return undefined
    const total = Number(at(json, "data.pagination.total"))
    const remaining = Math.max(0, total - offset)
    const expected = { limit, offset, returned: Math.min(limit, remaining), hasMore: remaining > limit }
    const wrong = Object.entries(expected).filter(([name, value]) => at(json, `data.pagination.${name}`) !== value)
    return wrong.length === 0
      ? undefined
      : `of ${total} artifacts, ${wrong.map(([name, value]) => `${name} is ${String(value)}`).join(", ")}`
  }
}

/** The error body of contract 7.2. */
function errorBody(expectedStatus: number): ReadonlyArray<Expectation> {
  return [status(expectedStatus), jsonObject, field("code", Matcher.is(1)), field("msg", Matcher.nonEmptyString)]
}
