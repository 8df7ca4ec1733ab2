import * as Effect from "effect/Effect"
import * as Api from "../Api.ts"
import { required, ruling, type Check, type Run } from "../Check.ts"
import { at, field, header, jsonObject, status, statusIn, type Expectation } from "../Expect.ts"
import { isRecord } from "../internal/Words.ts"
import * as Shape from "../Shape.ts"
import { Wire, type Answer, type Round } from "../Wire.ts"

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

/** The fields that each type has beside the common ones. */
const ofItsType = Shape.shape("of its type's fields", (artifact) => {
  if (!isRecord(artifact)) return false
  const shapes: Readonly<Record<string, Shape.Shape>> = {
    plan: Shape.struct({
      text: Shape.string,
      version: Shape.optional(Shape.integer),
      previousText: Shape.optional(Shape.string),
      enableEdit: Shape.optional(Shape.boolean)
    }),
    tasks: Shape.struct({
      tasks: Shape.each(
        Shape.struct({
          content: Shape.string,
          status: Shape.oneOf("pending", "in_progress", "completed", "cancelled")
        })
      ),
      enableEdit: Shape.optional(Shape.boolean)
    }),
    media: Shape.struct({
      mimeType: Shape.optional(Shape.matching(/^[\w.+-]+\/[\w.+-]+/)),
      size: Shape.optional(Shape.count),
      contentType: Shape.optional(Shape.string),
      width: Shape.optional(Shape.count),
      height: Shape.optional(Shape.count)
    }),
    overview: Shape.struct({ text: Shape.string })
  }
  return shapes[String(artifact["type"])]?.holds(artifact) ?? true
})

/** The artifacts of a session over REST (2.9, 4.14, 7.2), and as they are pushed (6). */
export const checks: ReadonlyArray<Check> = [
  required("4.14", "answers 200 with code 0 and msg success", asking("", ...success)),
  required(
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
  ),
  required(
    "4.14",
    "sessionId may name the session",
    onRound(({ task }) =>
      asking(`?sessionId=${task.taskId}`, ...success, field("data.sessionId", Shape.is(task.taskId)))
    )
  ),
  required("4.14", "without a limit everything is returned", asking("", ...success, unpaged)),
  required("4.14", "limit=0 is no pagination", asking("?limit=0", ...success, unpaged)),
  ruling(
    98,
    "4.14",
    "without a limit offset does not count",
    asking("?offset=1", ...success, unpaged, field("data.pagination.offset", Shape.is(0)))
  ),
  required(
    "4.14",
    "limit=1 returns one at most, and hasMore tells whether there are more",
    asking("?limit=1", ...success, paged(1, 0))
  ),
  required(
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
  ),
  required(
    "4.14",
    "limit=500 is allowed",
    asking("?limit=500", ...success, field("data.pagination.limit", Shape.is(500)))
  ),
  ...types.map((type) =>
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
  ),
  required(
    "4.14",
    "startMs in the future returns nothing",
    asking(
      "?startMs=4102444800000",
      ...success,
      field("data.artifacts", Shape.sized(0, 0)),
      field("data.filter.startMs", Shape.is(4_102_444_800_000))
    )
  ),
  required(
    "4.14",
    "endMs in the past returns nothing",
    asking("?endMs=1", ...success, field("data.artifacts", Shape.sized(0, 0)), field("data.filter.endMs", Shape.is(1)))
  ),
  required(
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
  ),
  ruling(
    98,
    "4.14",
    "startMs after endMs returns nothing",
    asking("?startMs=2000000000000&endMs=1000000000000", ...success, field("data.artifacts", Shape.sized(0, 0)))
  ),
  ...[
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
  ),
  ...["startMs=-1", "endMs=-1"].map((query) =>
    ruling(98, "7.2", `${query} is 400 with code 1`, asking(`?${query}`, ...error(400)))
  ),
  required("7.2", "an unknown sessionId is 404 with code 1", asking("?sessionId=no-such-session", ...error(404)), {
    decisions: [107]
  }),
  required("7.2", "no token is 401", unauthorized("none", status(401))),
  required("7.2", "a wrong token is 401", unauthorized({ token: "never-issued-0123456789" }, status(401))),
  required("5.7", "the access token is 401", unauthorized("accessToken", status(401))),
  ruling(
    108,
    "7.2",
    "a 401 has code 1, msg and WWW-Authenticate",
    unauthorized("none", ...error(401), header("www-authenticate", /^bearer\b/i))
  ),
  ruling(110, "9", "the version is told in x-api-version", asking("", status(200), header("x-api-version", /\S/))),
  required(
    "2.9",
    "an entry has sessionId, event and artifact",
    onEntries(
      Shape.struct({
        sessionId: Shape.filled,
        event: Shape.oneOf("created", "updated", "deleted"),
        artifact: Shape.object
      })
    )
  ),
  required(
    "2.9",
    "an artifact has type and uri, and its uri begins with agent:///artifacts/ or file:///",
    onArtifacts(
      Shape.struct({
        type: Shape.filled,
        uri: Shape.matching(/^(agent:\/\/\/artifacts\/|file:\/\/\/)/)
      })
    )
  ),
  required(
    "2.9",
    "name, title, description and mimeType are strings where they are there",
    onArtifacts(
      Shape.struct({
        name: Shape.optional(Shape.string),
        title: Shape.optional(Shape.string),
        description: Shape.optional(Shape.string),
        mimeType: Shape.optional(Shape.string)
      })
    ),
    { decisions: [102] }
  ),
  required(
    "2.9",
    "createdAt and updatedAt are epoch milliseconds where they are there",
    onArtifacts(
      Shape.struct({
        createdAt: Shape.optional(Shape.epochMs),
        updatedAt: Shape.optional(Shape.epochMs)
      })
    ),
    { decisions: [24] }
  ),
  required("2.9", "the fields of each type have their types", onArtifacts(ofItsType)),
  required(
    "2.9",
    "md5 is a string where it is there",
    onEntries(Shape.struct({ md5: Shape.optional(Shape.matching(/^[0-9a-f]{32}$/i)) }))
  ),
  required(
    "2.9",
    "url is there for media only",
    onEntries(
      Shape.shape(
        "an entry without url unless it is media",
        (entry) => at(entry, "url") === undefined || at(entry, "url") === null || at(entry, "artifact.type") === "media"
      )
    )
  ),
  required(
    "2.9",
    "no uri is there twice",
    onRound(() =>
      Effect.flatMap(list(""), (answer) =>
        Api.claim(new Set(uris(answer)).size === uris(answer).length, "every uri is there once")
      )
    )
  ),
  ruling(
    105,
    "2.9",
    "no artifact is a file:/// of the sandbox",
    onArtifacts(Shape.struct({ uri: Shape.matching(/^agent:/) }))
  ),
  ruling(
    99,
    "2.9",
    "deleted artifacts are not listed",
    onEntries(Shape.struct({ event: Shape.oneOf("created", "updated") }))
  ),
  ruling(
    101,
    "2.9",
    "artifacts come in the order of their creation",
    onRound(() =>
      Effect.flatMap(list(""), (answer) => {
        const times = artifacts(answer).map((artifact) => Number(artifact["createdAt"]))
        return Api.claim(
          times.every((time, index) => index === 0 || time >= Number(times[index - 1])),
          "createdAt goes up"
        )
      })
    )
  ),
  required(
    "4.14",
    "media is downloaded from its url, or by its uri below {sandbox_url}",
    onMedia((entry, sandboxUrl, token) => {
      const url = at(entry, "url")
      const address = typeof url === "string" ? url : byUri(sandboxUrl, entry)
      return Effect.gen(function* () {
        const credential = new URL(address).origin === new URL(sandboxUrl).origin ? { token } : ("none" as const)
        const file = yield* Api.send(Api.get(address, { token: credential, headers: { accept: "*/*" } }))
        yield* Api.verify(file, status(200))
        const size = at(entry, "artifact.size")
        yield* Api.claim(
          size === undefined || size === file.bytes.length,
          `the file has ${String(size)} bytes, not ${file.bytes.length}`
        )
      })
    }),
    { decisions: [104] }
  ),
  required(
    "4.14",
    "media is downloaded by its uri with the task's token",
    onMedia((entry, sandboxUrl, token) =>
      Api.expecting(Api.get(byUri(sandboxUrl, entry), { token: { token }, headers: { accept: "*/*" } }), status(200))
    )
  ),
  required(
    "5.7",
    "media by its uri without a token is 401",
    onMedia((entry, sandboxUrl) =>
      Api.expecting(Api.get(byUri(sandboxUrl, entry), { token: "none", headers: { accept: "*/*" } }), status(401))
    )
  ),
  ruling(
    104,
    "2.9",
    "url opens without a credential, from the sandbox's own origin",
    onMedia((entry, sandboxUrl) =>
      Effect.gen(function* () {
        const url = String(at(entry, "url"))
        yield* Api.claim(
          URL.canParse(url) && new URL(url).origin === new URL(sandboxUrl).origin,
          "url is an address of the sandbox"
        )
        yield* Api.expecting(Api.get(url, { token: "none", headers: { accept: "*/*" } }), status(200))
      })
    )
  ),
  ruling(
    105,
    "4.14",
    "a path out of the session is refused",
    onSandbox((sandboxUrl, token) =>
      Api.expecting(
        Api.get(`${sandboxUrl}/artifacts/..%2f..%2f..%2fetc%2fpasswd`, { token: { token } }),
        statusIn(400, 499)
      )
    )
  ),
  required(
    "6.3",
    "a pushed artifact has sessionId, event and artifact with type and uri",
    onRound(({ messages, task }) => {
      const pushed = messages.filter((message) => /^_[^/]+\/artifact$/.test(String(at(message, "method"))))
      if (pushed.length === 0) return Api.skip("the round pushed no artifact: another --artifact-prompt may")
      return Api.claim(
        pushed.every(
          (message) =>
            at(message, "params.sessionId") === task.taskId &&
            ["created", "updated", "deleted"].includes(String(at(message, "params.event"))) &&
            typeof at(message, "params.artifact.type") === "string" &&
            typeof at(message, "params.artifact.uri") === "string" &&
            at(message, "id") === undefined
        ),
        "every push has the session, an event, and an artifact with type and uri, and no id"
      )
    }),
    { decisions: [117] }
  ),
  required(
    "6.5",
    "what was pushed is in the list",
    onRound(({ messages }) =>
      Effect.gen(function* () {
        const live = new Map<string, boolean>()
        for (const message of messages) {
          if (!/^_[^/]+\/artifact$/.test(String(at(message, "method")))) continue
          live.set(String(at(message, "params.artifact.uri")), at(message, "params.event") !== "deleted")
        }
        if (live.size === 0) return yield* Api.skip("the round pushed no artifact: another --artifact-prompt may")
        const listed = uris(yield* list(""))
        const missing = [...live].filter(([uri, there]) => there && !listed.includes(uri)).map(([uri]) => uri)
        return yield* Api.claim(
          missing.length === 0,
          `the list has every artifact that was pushed; it lacks ${missing.join(", ")}`
        )
      })
    )
  ),
  ruling(
    117,
    "6.2",
    "pushes are called _vendor.ai/artifact",
    onRound(({ messages }) => {
      const methods = messages
        .map((message) => String(at(message, "method")))
        .filter((method) => method.endsWith("/artifact"))
      if (methods.length === 0) return Api.skip("the round pushed no artifact: another --artifact-prompt may")
      return Api.claim(
        methods.every((method) => method === "_vendor.ai/artifact"),
        `the method is _vendor.ai/artifact, not ${[...new Set(methods)].join(", ")}`
      )
    })
  )
]

/** The answer to the list with this query. */
function list(query: string) {
  return Effect.gen(function* () {
    const { sandboxUrl, token } = yield* (yield* Wire).task
    if (sandboxUrl === undefined) return yield* Api.skip("the link does not end in /acp, so there is no {sandbox_url}")
    return yield* Api.send(Api.get(`${sandboxUrl}/api/session/artifacts${query}`, { token: { token } }))
  })
}

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

function onRound(use: (round: Round) => Run): Run {
  return Effect.flatMap(Wire, (wire) => Effect.flatMap(wire.round, use))
}

function onSandbox(use: (sandboxUrl: string, token: string) => Run): Run {
  return Effect.gen(function* () {
    const { sandboxUrl, token } = yield* (yield* Wire).task
    if (sandboxUrl === undefined) return yield* Api.skip("the link does not end in /acp, so there is no {sandbox_url}")
    return yield* use(sandboxUrl, token)
  })
}

function onEntries(of: Shape.Shape): Run {
  return onRound(() =>
    Effect.flatMap(list(""), (answer) =>
      entries(answer).length === 0
        ? Api.skip("the round left no artifact: another --artifact-prompt may")
        : Api.verify(answer, field("data.artifacts", Shape.each(of)))
    )
  )
}

function onArtifacts(of: Shape.Shape): Run {
  return onEntries(Shape.struct({ artifact: of }))
}

function onMedia(use: (entry: unknown, sandboxUrl: string, token: string) => Run): Run {
  return onRound(() =>
    onSandbox((sandboxUrl, token) =>
      Effect.flatMap(list("?type=media"), (answer) => {
        const [entry] = entries(answer)
        return entry === undefined
          ? Api.skip("the round left no media: another --artifact-prompt may")
          : use(entry, sandboxUrl, token)
      })
    )
  )
}

function entries(answer: Answer): ReadonlyArray<Readonly<Record<string, unknown>>> {
  const found = at(answer.json, "data.artifacts")
  return Array.isArray(found) ? found.filter(isRecord) : []
}

function artifacts(answer: Answer) {
  return entries(answer)
    .map(({ artifact }) => artifact)
    .filter(isRecord)
}

function uris(answer: Answer): ReadonlyArray<string> {
  return artifacts(answer).map(({ uri }) => String(uri))
}

function byUri(sandboxUrl: string, entry: unknown): string {
  return String(at(entry, "artifact.uri")).replace(/^agent:\/\/\//, `${sandboxUrl}/`)
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
