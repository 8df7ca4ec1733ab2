import * as Effect from "effect/Effect"
import * as Api from "../Api.ts"
import { required, ruling, type Check, type Run } from "../Check.ts"
import { at, field, status } from "../Expect.ts"
import { isRecord } from "../internal/Words.ts"
import { artifacts, entries, list, onSandbox, uris } from "../ArtifactList.ts"
import { onRound } from "../Fixtures.ts"
import * as Shape from "../Shape.ts"

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

const entryFields = required(
  "2.9",
  "an entry has sessionId, event and artifact",
  onEntries(
    Shape.struct({
      sessionId: Shape.filled,
      event: Shape.oneOf("created", "updated", "deleted"),
      artifact: Shape.object
    })
  )
)

const artifactFields = required(
  "2.9",
  "an artifact has type and uri, and its uri begins with agent:///artifacts/ or file:///",
  onArtifacts(
    Shape.struct({
      type: Shape.filled,
      uri: Shape.matching(/^(agent:\/\/\/artifacts\/|file:\/\/\/)/)
    })
  )
)

const textFields = required(
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
)

const timestamps = required(
  "2.9",
  "createdAt and updatedAt are epoch milliseconds where they are there",
  onArtifacts(
    Shape.struct({
      createdAt: Shape.optional(Shape.epochMs),
      updatedAt: Shape.optional(Shape.epochMs)
    })
  ),
  { decisions: [24] }
)

const fieldsByType = required("2.9", "the fields of each type have their types", onArtifacts(ofItsType))

const md5 = required(
  "2.9",
  "md5 is a string where it is there",
  onEntries(Shape.struct({ md5: Shape.optional(Shape.matching(/^[0-9a-f]{32}$/i)) }))
)

const urlOnMediaOnly = required(
  "2.9",
  "url is there for media only",
  onEntries(
    Shape.shape(
      "an entry without url unless it is media",
      (entry) => at(entry, "url") === undefined || at(entry, "url") === null || at(entry, "artifact.type") === "media"
    )
  )
)

const uniqueUris = required(
  "2.9",
  "no uri is there twice",
  onRound(() =>
    Effect.flatMap(list(""), (answer) =>
      Api.claim(new Set(uris(answer)).size === uris(answer).length, "every uri is there once")
    )
  )
)

const noSandboxFiles = ruling(
  105,
  "2.9",
  "no artifact is a file:/// of the sandbox",
  onArtifacts(Shape.struct({ uri: Shape.matching(/^agent:/) }))
)

const noDeletedArtifacts = ruling(
  99,
  "2.9",
  "deleted artifacts are not listed",
  onEntries(Shape.struct({ event: Shape.oneOf("created", "updated") }))
)

const orderOfCreation = ruling(
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
)

const downloadByUrl = required(
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
)

const downloadByUri = required(
  "4.14",
  "media is downloaded by its uri with the task's token",
  onMedia((entry, sandboxUrl, token) =>
    Api.expecting(Api.get(byUri(sandboxUrl, entry), { token: { token }, headers: { accept: "*/*" } }), status(200))
  )
)

const downloadWithoutToken = required(
  "5.7",
  "media by its uri without a token is 401",
  onMedia((entry, sandboxUrl) =>
    Api.expecting(Api.get(byUri(sandboxUrl, entry), { token: "none", headers: { accept: "*/*" } }), status(401))
  )
)

const urlWithoutCredential = ruling(
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
)

const pushedFields = required(
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
)

const pushedAndListed = required(
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
)

const pushMethod = ruling(
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

/** What the entries of the artifact list hold, and what was pushed (2.9, 4.14, 6). */
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

function onEntries(of: Shape.Shape): Run {
  return onRound(() =>
    Effect.gen(function* () {
      const answer = yield* list("")
      if (entries(answer).length === 0) {
        return yield* Api.skip("the round left no artifact: another --artifact-prompt may")
      }
      return yield* Api.verify(answer, field("data.artifacts", Shape.each(of)))
    })
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

function byUri(sandboxUrl: string, entry: unknown): string {
  return String(at(entry, "artifact.uri")).replace(/^agent:\/\/\//, `${sandboxUrl}/`)
}
