import * as Effect from "effect/Effect"
import * as Api from "../Api.ts"
import { required, decided, type Check, type Run } from "../Check.ts"
import { field, status, type Expectation } from "../Expectation.ts"
import { artifacts, entries, listArtifacts, sandbox, uris } from "../ArtifactList.ts"
import * as Fixtures from "../Fixtures.ts"
import * as Matcher from "../Matcher.ts"
import { at, isRecord } from "../internal/Json.ts"

/** The artifact has the fields of its type. */
const hasFieldsOfType = Matcher.matcher("of its type's fields", (artifact) => {
  if (!isRecord(artifact)) return false
  const matchers: Readonly<Record<string, Matcher.Matcher>> = {
    plan: Matcher.struct({
      text: Matcher.string,
      version: Matcher.optional(Matcher.integer),
      previousText: Matcher.optional(Matcher.string),
      enableEdit: Matcher.optional(Matcher.boolean)
    }),
    tasks: Matcher.struct({
      tasks: Matcher.each(
        Matcher.struct({
          content: Matcher.string,
          status: Matcher.oneOf("pending", "in_progress", "completed", "cancelled")
        })
      ),
      enableEdit: Matcher.optional(Matcher.boolean)
    }),
    media: Matcher.struct({
      mimeType: Matcher.optional(Matcher.matching(/^[\w.+-]+\/[\w.+-]+/)),
      size: Matcher.optional(Matcher.int64(Matcher.nonNegativeInteger)),
      contentType: Matcher.optional(Matcher.string),
      width: Matcher.optional(Matcher.nonNegativeInteger),
      height: Matcher.optional(Matcher.nonNegativeInteger)
    }),
    overview: Matcher.struct({ text: Matcher.string })
  }
  return matchers[String(artifact["type"])]?.matches(artifact) ?? true
})

const urlOnMediaOnly = Matcher.matcher(
  "an entry without url unless it is media",
  (entry) => at(entry, "url") === undefined || at(entry, "url") === null || at(entry, "artifact.type") === "media"
)

const fields: ReadonlyArray<Check> = [
  required(
    "2.9",
    "an entry has sessionId, event and artifact",
    everyEntry({
      sessionId: Matcher.nonEmptyString,
      event: Matcher.oneOf("created", "updated", "deleted"),
      artifact: Matcher.object
    })
  ),
  required(
    "2.9",
    "an artifact has type and uri, and its uri begins with agent:///artifacts/ or file:///",
    everyArtifact({ type: Matcher.nonEmptyString, uri: Matcher.matching(/^(agent:\/\/\/artifacts\/|file:\/\/\/)/) })
  ),
  required(
    "2.9",
    "name, title, description and mimeType are strings when present",
    { decisions: [102] },
    everyArtifact({
      name: Matcher.optional(Matcher.string),
      title: Matcher.optional(Matcher.string),
      description: Matcher.optional(Matcher.string),
      mimeType: Matcher.optional(Matcher.string)
    })
  ),
  required(
    "2.9",
    "createdAt and updatedAt are epoch milliseconds when present",
    { decisions: [24] },
    everyArtifact({
      createdAt: Matcher.optional(Matcher.int64(Matcher.epochMs)),
      updatedAt: Matcher.optional(Matcher.int64(Matcher.epochMs))
    })
  ),
  decided(
    "2.9",
    "createdAt, updatedAt and size are numbers, not strings",
    { decisions: [21] },
    everyArtifact({
      createdAt: Matcher.optional(Matcher.epochMs),
      updatedAt: Matcher.optional(Matcher.epochMs),
      size: Matcher.optional(Matcher.nonNegativeInteger)
    })
  ),
  required("2.9", "the fields of each type have their types", eachEntry(Matcher.struct({ artifact: hasFieldsOfType }))),
  required(
    "2.9",
    "md5 is a string when present",
    everyEntry({ md5: Matcher.optional(Matcher.matching(/^[0-9a-f]{32}$/i)) })
  ),
  required("2.9", "only media has a url", eachEntry(urlOnMediaOnly))
]

const order: ReadonlyArray<Check> = [
  required("2.9", "every uri is unique", function* () {
    const all = uris(yield* listArtifacts())
    yield* Api.assert(new Set(all).size === all.length, "every uri is unique")
  }),
  decided(
    "2.9",
    "no artifact has a file:/// uri",
    { decisions: [105] },
    everyArtifact({ uri: Matcher.matching(/^agent:/) })
  ),
  decided(
    "2.9",
    "deleted artifacts are not listed",
    { decisions: [99] },
    everyEntry({ event: Matcher.oneOf("created", "updated") })
  ),
  decided("2.9", "artifacts come in the order of their creation", { decisions: [101] }, function* () {
    const times = artifacts(yield* listArtifacts()).map(({ createdAt }) => Number(createdAt))
    yield* Api.assert(
      times.every((time, index) => index === 0 || time >= Number(times[index - 1])),
      "createdAt goes up"
    )
  })
]

const downloads: ReadonlyArray<Check> = [
  required(
    "4.14",
    "media is downloaded from its url, or by its uri below {sandbox_url}",
    { decisions: [104] },
    function* () {
      const { byUri, sandboxUrl, size, token, url } = yield* firstMedia
      const address = typeof url === "string" ? url : byUri
      const isSandboxUrl = new URL(address).origin === new URL(sandboxUrl).origin
      const { bytes } = yield* download(address, isSandboxUrl ? { token } : "none", status(200))
      yield* Api.assert(
        size === undefined || Number(size) === bytes.length,
        `the file has ${String(size)} bytes, not ${bytes.length}`
      )
    }
  ),
  required("4.14", "media is downloaded by its uri with the task's token", function* () {
    const { byUri, token } = yield* firstMedia
    yield* download(byUri, { token }, status(200))
  }),
  required("5.7", "media by its uri without a token is 401", function* () {
    const { byUri } = yield* firstMedia
    yield* download(byUri, "none", status(401))
  }),
  decided("2.9", "url opens without a credential, from the sandbox's own origin", { decisions: [104] }, function* () {
    const { sandboxUrl, url } = yield* firstMedia
    const address = String(url)
    yield* Api.assert(
      URL.canParse(address) && new URL(address).origin === new URL(sandboxUrl).origin,
      "url is an address of the sandbox"
    )
    yield* download(address, "none", status(200))
  })
]

const pushes: ReadonlyArray<Check> = [
  required(
    "6.3",
    "a pushed artifact has sessionId, event and artifact with type and uri",
    { decisions: [117] },
    function* () {
      const { taskId } = yield* Fixtures.channelTask
      yield* Api.assert(
        (yield* pushedArtifacts).every(
          (message) =>
            at(message, "params.sessionId") === taskId &&
            ["created", "updated", "deleted"].includes(String(at(message, "params.event"))) &&
            typeof at(message, "params.artifact.type") === "string" &&
            typeof at(message, "params.artifact.uri") === "string" &&
            at(message, "id") === undefined
        ),
        "every push has the session, an event, and an artifact with type and uri, and no id"
      )
    }
  ),
  required("6.5", "every pushed artifact is in the list", function* () {
    const isLive = new Map(
      (yield* pushedArtifacts).map((message) => [
        String(at(message, "params.artifact.uri")),
        at(message, "params.event") !== "deleted"
      ])
    )
    const listed = uris(yield* listArtifacts())
    const missing = [...isLive].filter(([uri, live]) => live && !listed.includes(uri)).map(([uri]) => uri)
    yield* Api.assert(
      missing.length === 0,
      `the list has every artifact that was pushed; it lacks ${missing.join(", ")}`
    )
  }),
  decided("6.2", "the method of a pushed artifact is _vendor.ai/artifact", { decisions: [117] }, function* () {
    const methods = (yield* messagesWithMethod(/\/artifact$/)).map(methodOf)
    yield* Api.assert(
      methods.every((method) => method === "_vendor.ai/artifact"),
      `the method is _vendor.ai/artifact, not ${[...new Set(methods)].join(", ")}`
    )
  })
]

/** The entries of the artifact list and pushed artifacts (contract 2.9, 4.14, 6). */
export const checks = [...fields, ...order, ...downloads, ...pushes]

function eachEntry(matcher: Matcher.Matcher): Run {
  return Effect.gen(function* () {
    const response = yield* listArtifacts()
    if (entries(response).length === 0) {
      return yield* Api.skip("the turn left no artifact: another --artifact-prompt may")
    }
    return yield* Api.verify(response, field("data.artifacts", Matcher.each(matcher)))
  })
}

function everyEntry(fields: Readonly<Record<string, Matcher.Matcher>>): Run {
  return eachEntry(Matcher.struct(fields))
}

function everyArtifact(fields: Readonly<Record<string, Matcher.Matcher>>): Run {
  return everyEntry({ artifact: Matcher.struct(fields) })
}

/** The first media artifact of the list. */
const firstMedia = Effect.gen(function* () {
  const { sandboxUrl, token } = yield* sandbox
  const [entry] = entries(yield* listArtifacts("?type=media"))
  if (entry === undefined) return yield* Api.skip("the turn left no media: another --artifact-prompt may")
  // A uri may have characters, such as spaces, that a request line cannot have.
  const uri = String(at(entry, "artifact.uri")).replace(/[^!-~]+/gu, encodeURIComponent)
  const byUri = uri.replace(/^agent:\/\/\//, `${sandboxUrl}/`)
  return { byUri, sandboxUrl, size: at(entry, "artifact.size"), token, url: entry["url"] }
})

function download(address: string, token: NonNullable<Api.Options["token"]>, expectation: Expectation) {
  return Api.send(Api.get(address, { token, headers: { accept: "*/*" } }), expectation)
}

/** The messages of the common turn that push an artifact. */
const pushedArtifacts = messagesWithMethod(/^_[^/]+\/artifact$/)

function messagesWithMethod(method: RegExp) {
  return Effect.gen(function* () {
    const { messages } = yield* Fixtures.turn
    const matching = messages.filter((message) => method.test(methodOf(message)))
    return matching.length === 0
      ? yield* Api.skip("the turn pushed no artifact: another --artifact-prompt may")
      : matching
  })
}

function methodOf(message: unknown): string {
  return String(at(message, "method"))
}
