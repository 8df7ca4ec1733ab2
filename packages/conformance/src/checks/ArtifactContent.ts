import * as Effect from "effect/Effect"
import * as Api from "../Api.ts"
import { required, decided, type Check, type Run } from "../Check.ts"
import { field, status } from "../Expectation.ts"
import { artifacts, entries, list, withSandbox, uris } from "../ArtifactList.ts"
import { withTurn } from "../Fixtures.ts"
import * as Matcher from "../Matcher.ts"
import { at, isRecord } from "../internal/Json.ts"

/** The fields that each type has beside the common ones. */
const ofItsType = Matcher.matcher("of its type's fields", (artifact) => {
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
      size: Matcher.optional(Matcher.count),
      contentType: Matcher.optional(Matcher.string),
      width: Matcher.optional(Matcher.count),
      height: Matcher.optional(Matcher.count)
    }),
    overview: Matcher.struct({ text: Matcher.string })
  }
  return matchers[String(artifact["type"])]?.matches(artifact) ?? true
})

const entryFields = required(
  "2.9",
  "an entry has sessionId, event and artifact",
  everyEntry(
    Matcher.struct({
      sessionId: Matcher.filled,
      event: Matcher.oneOf("created", "updated", "deleted"),
      artifact: Matcher.object
    })
  )
)

const artifactFields = required(
  "2.9",
  "an artifact has type and uri, and its uri begins with agent:///artifacts/ or file:///",
  everyArtifact(
    Matcher.struct({
      type: Matcher.filled,
      uri: Matcher.matching(/^(agent:\/\/\/artifacts\/|file:\/\/\/)/)
    })
  )
)

const textFields = required(
  "2.9",
  "name, title, description and mimeType are strings when present",
  everyArtifact(
    Matcher.struct({
      name: Matcher.optional(Matcher.string),
      title: Matcher.optional(Matcher.string),
      description: Matcher.optional(Matcher.string),
      mimeType: Matcher.optional(Matcher.string)
    })
  ),
  { decisions: [102] }
)

const timestamps = required(
  "2.9",
  "createdAt and updatedAt are epoch milliseconds when present",
  everyArtifact(
    Matcher.struct({
      createdAt: Matcher.optional(Matcher.epochMs),
      updatedAt: Matcher.optional(Matcher.epochMs)
    })
  ),
  { decisions: [24] }
)

const fieldsByType = required("2.9", "the fields of each type have their types", everyArtifact(ofItsType))

const md5 = required(
  "2.9",
  "md5 is a string when present",
  everyEntry(Matcher.struct({ md5: Matcher.optional(Matcher.matching(/^[0-9a-f]{32}$/i)) }))
)

const urlOnMediaOnly = required(
  "2.9",
  "only media has a url",
  everyEntry(
    Matcher.matcher(
      "an entry without url unless it is media",
      (entry) => at(entry, "url") === undefined || at(entry, "url") === null || at(entry, "artifact.type") === "media"
    )
  )
)

const uniqueUris = required(
  "2.9",
  "every uri is unique",
  withTurn(() =>
    Effect.flatMap(list(""), (response) =>
      Api.assert(new Set(uris(response)).size === uris(response).length, "every uri is unique")
    )
  )
)

const noSandboxFiles = decided(
  105,
  "2.9",
  "no artifact has a file:/// uri",
  everyArtifact(Matcher.struct({ uri: Matcher.matching(/^agent:/) }))
)

const noDeletedArtifacts = decided(
  99,
  "2.9",
  "deleted artifacts are not listed",
  everyEntry(Matcher.struct({ event: Matcher.oneOf("created", "updated") }))
)

const orderOfCreation = decided(
  101,
  "2.9",
  "artifacts come in the order of their creation",
  withTurn(() =>
    Effect.flatMap(list(""), (response) => {
      const times = artifacts(response).map((artifact) => Number(artifact["createdAt"]))
      return Api.assert(
        times.every((time, index) => index === 0 || time >= Number(times[index - 1])),
        "createdAt goes up"
      )
    })
  )
)

const downloadByUrl = required(
  "4.14",
  "media is downloaded from its url, or by its uri below {sandbox_url}",
  withMedia((entry, sandboxUrl, token) => {
    const url = at(entry, "url")
    const address = typeof url === "string" ? url : byUri(sandboxUrl, entry)
    return Effect.gen(function* () {
      const credential = new URL(address).origin === new URL(sandboxUrl).origin ? { token } : ("none" as const)
      const file = yield* Api.send(Api.get(address, { token: credential, headers: { accept: "*/*" } }))
      yield* Api.verify(file, status(200))
      const size = at(entry, "artifact.size")
      yield* Api.assert(
        size === undefined || size === file.bytes.length,
        `the file has ${String(size)} bytes, not ${file.bytes.length}`
      )
    })
  }),
  { decisions: [104] }
)

const downloadByUri = required(
  "4.14",
  "media is downloaded by its uri with the task's token",
  withMedia((entry, sandboxUrl, token) =>
    Api.expecting(Api.get(byUri(sandboxUrl, entry), { token: { token }, headers: { accept: "*/*" } }), status(200))
  )
)

const downloadWithoutToken = required(
  "5.7",
  "media by its uri without a token is 401",
  withMedia((entry, sandboxUrl) =>
    Api.expecting(Api.get(byUri(sandboxUrl, entry), { token: "none", headers: { accept: "*/*" } }), status(401))
  )
)

const urlWithoutCredential = decided(
  104,
  "2.9",
  "url opens without a credential, from the sandbox's own origin",
  withMedia((entry, sandboxUrl) =>
    Effect.gen(function* () {
      const url = String(at(entry, "url"))
      yield* Api.assert(
        URL.canParse(url) && new URL(url).origin === new URL(sandboxUrl).origin,
        "url is an address of the sandbox"
      )
      yield* Api.expecting(Api.get(url, { token: "none", headers: { accept: "*/*" } }), status(200))
    })
  )
)

const pushedFields = required(
  "6.3",
  "a pushed artifact has sessionId, event and artifact with type and uri",
  withTurn(({ messages, task }) => {
    const pushed = messages.filter((message) => /^_[^/]+\/artifact$/.test(String(at(message, "method"))))
    if (pushed.length === 0) return Api.skip("the turn pushed no artifact: another --artifact-prompt may")
    return Api.assert(
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
)

const pushedAndListed = required(
  "6.5",
  "every pushed artifact is in the list",
  withTurn(({ messages }) =>
    Effect.gen(function* () {
      const live = new Map<string, boolean>()
      for (const message of messages) {
        if (!/^_[^/]+\/artifact$/.test(String(at(message, "method")))) continue
        live.set(String(at(message, "params.artifact.uri")), at(message, "params.event") !== "deleted")
      }
      if (live.size === 0) return yield* Api.skip("the turn pushed no artifact: another --artifact-prompt may")
      const listed = uris(yield* list(""))
      const missing = [...live].filter(([uri, there]) => there && !listed.includes(uri)).map(([uri]) => uri)
      return yield* Api.assert(
        missing.length === 0,
        `the list has every artifact that was pushed; it lacks ${missing.join(", ")}`
      )
    })
  )
)

const pushMethod = decided(
  117,
  "6.2",
  "the method of a pushed artifact is _vendor.ai/artifact",
  withTurn(({ messages }) => {
    const methods = messages
      .map((message) => String(at(message, "method")))
      .filter((method) => method.endsWith("/artifact"))
    if (methods.length === 0) return Api.skip("the turn pushed no artifact: another --artifact-prompt may")
    return Api.assert(
      methods.every((method) => method === "_vendor.ai/artifact"),
      `the method is _vendor.ai/artifact, not ${[...new Set(methods)].join(", ")}`
    )
  })
)

/** The entries of the artifact list and pushed artifacts (contract 2.9, 4.14, 6). */
export const checks: ReadonlyArray<Check> = [
  entryFields,
  artifactFields,
  textFields,
  timestamps,
  fieldsByType,
  md5,
  urlOnMediaOnly,
  uniqueUris,
  noSandboxFiles,
  noDeletedArtifacts,
  orderOfCreation,
  downloadByUrl,
  downloadByUri,
  downloadWithoutToken,
  urlWithoutCredential,
  pushedFields,
  pushedAndListed,
  pushMethod
]

function everyEntry(of: Matcher.Matcher): Run {
  return withTurn(() =>
    Effect.gen(function* () {
      const response = yield* list("")
      if (entries(response).length === 0) {
        return yield* Api.skip("the turn left no artifact: another --artifact-prompt may")
      }
      return yield* Api.verify(response, field("data.artifacts", Matcher.each(of)))
    })
  )
}

function everyArtifact(of: Matcher.Matcher): Run {
  return everyEntry(Matcher.struct({ artifact: of }))
}

function withMedia(use: (entry: unknown, sandboxUrl: string, token: string) => Run): Run {
  return withTurn(() =>
    withSandbox((sandboxUrl, token) =>
      Effect.flatMap(list("?type=media"), (response) => {
        const [entry] = entries(response)
        return entry === undefined
          ? Api.skip("the turn left no media: another --artifact-prompt may")
          : use(entry, sandboxUrl, token)
      })
    )
  )
}

function byUri(sandboxUrl: string, entry: unknown): string {
  return String(at(entry, "artifact.uri")).replace(/^agent:\/\/\//, `${sandboxUrl}/`)
}
