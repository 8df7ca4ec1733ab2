import * as Ticket from "@heddle/acp/Ticket"
import type { ArtifactEntry } from "@heddle/artifacts/ArtifactEntry"
import * as ArtifactIndex from "@heddle/artifacts/ArtifactIndex"
import * as ArtifactNotification from "@heddle/artifacts/ArtifactNotification"
import * as Artifacts from "@heddle/artifacts/Artifacts"
import * as Chunk from "effect/Chunk"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Cards from "../view/Cards.ts"
import type { FileRef } from "../view/Post.ts"
import type { Card } from "./Conversation.ts"

/** What each artifact looked like at some time, by uri. */
export type Versions = Readonly<Record<string, string>>

/** What a session has produced, kept current by pushes and lists. */
export interface Works {
  readonly versions: () => Versions
  /** Whether a whole list was read. */
  readonly listed: () => boolean
  /** What is new or different since `before`, oldest first; what was deleted meanwhile is marked. */
  readonly cards: (before: Versions) => ReadonlyArray<Card>
  /** Applies a push; true when a list has to be read before it can be shown. */
  readonly push: (params: unknown) => boolean
  /** Reads the whole list; one that cannot be had within that time changes nothing. */
  readonly refresh: (within: Duration.DurationInput) => Effect.Effect<void>
  /** The bytes of a file, as far as Discord takes them. */
  readonly load: (file: FileRef) => Effect.Effect<Uint8Array | undefined>
}

/** Reads what the session has produced so far. */
export const open = Effect.fn("Works.open")(function* (options: {
  readonly sessionId: string
  readonly ticket: Ticket.Ticket["Type"]
}) {
  const artifacts = yield* Artifacts.make.pipe(Effect.provideService(Ticket.Ticket, options.ticket))
  let index = ArtifactIndex.empty
  let listed = false
  /** The newest body of every artifact that was here, also of deleted ones. */
  const seen = new Map<string, ArtifactEntry>()
  /** Pushed files whose md5 only a list tells. */
  const unlisted = new Set<string>()

  const become = (next: ArtifactIndex.ArtifactIndex) => {
    index = next
    for (const entry of ArtifactIndex.values(next)) seen.set(entry.artifact.uri, entry)
  }

  const refresh = Effect.fnUntraced(function* (within: Duration.DurationInput) {
    const pushed = [...unlisted]
    const asOf = index.revision
    const list = yield* artifacts.listAll({ sessionId: options.sessionId }).pipe(
      Effect.timeout(within),
      Effect.catchAll((error) =>
        Effect.as(Effect.logInfo(`The artifacts of ${options.sessionId} cannot be listed`, error.message), undefined)
      )
    )
    if (list !== undefined) {
      listed = true
      become(ArtifactIndex.load(index, list, { asOf, complete: true }))
    }
    for (const uri of pushed) unlisted.delete(uri)
  })
  yield* refresh("10 seconds")

  return {
    listed: () => listed,
    versions: () =>
      Object.fromEntries(Array.from(ArtifactIndex.values(index), (entry) => [entry.artifact.uri, versionOf(entry)])),
    cards: (before) =>
      [...seen.values()].sort(ArtifactIndex.byCreation).flatMap((entry) => {
        const { uri } = entry.artifact
        if (unlisted.has(uri) || !isNew(before[uri], entry)) return []
        const card = toCard(entry, ArtifactIndex.get(index, uri) === undefined)
        return card === undefined ? [] : [card]
      }),
    push: (params) => {
      const entry = ArtifactNotification.fromParams(params)
      if (entry === undefined) return false
      const needsList = entry.artifact.type === "media" && entry.md5 === undefined && !entry.deleted
      if (needsList) unlisted.add(entry.artifact.uri)
      become(ArtifactIndex.push(index, entry))
      return needsList
    },
    refresh,
    load: (file) => {
      const entry = ArtifactIndex.get(index, file.uri)
      if (entry === undefined) return Effect.succeed(undefined)
      return artifacts.download(entry, { maxBytes: Cards.uploadLimit }).pipe(
        Stream.runCollect,
        Effect.map((chunks): Uint8Array | undefined => Buffer.concat(Chunk.toArray(chunks))),
        Effect.timeout("60 seconds"),
        Effect.catchAll((error) =>
          Effect.as(Effect.logWarning(`${file.uri} cannot be fetched`, error.message), undefined)
        )
      )
    }
  } satisfies Works
})

const versionOf = ({ artifact, md5 }: ArtifactEntry): string =>
  [
    artifact.updatedAt ?? "",
    artifact.type === "plan" ? (artifact.version ?? "") : "",
    artifact.type === "media" ? (md5 ?? "") : ""
  ].join(" ")

/** A file that was written again with the same content is not new. */
const isNew = (before: string | undefined, entry: ArtifactEntry): boolean => {
  if (before === undefined) return true
  const md5 = before.split(" ")[2] ?? ""
  return before !== versionOf(entry) && (md5 === "" || md5 !== entry.md5)
}

const toCard = ({ artifact, md5 }: ArtifactEntry, deleted: boolean): Card | undefined => {
  const base = { uri: artifact.uri, title: artifact.title ?? artifact.name ?? "", deleted }
  switch (artifact.type) {
    case "plan":
      return { ...base, type: "plan", text: artifact.text, version: artifact.version }
    case "overview":
      return { ...base, type: "overview", text: artifact.text }
    case "tasks":
      return {
        ...base,
        type: "tasks",
        tasks: artifact.tasks
          .toSorted((a, b) => (a.order ?? 0) - (b.order ?? 0))
          .map(({ content, status }) => ({ content, status: String(status) }))
      }
    case "media":
      return {
        ...base,
        type: "media",
        name: artifact.name ?? artifact.uri.split("/").at(-1) ?? "file",
        image: /^image\/(png|jpeg|gif|webp)$/.test(artifact.mimeType ?? ""),
        size: artifact.size,
        version: md5 ?? String(artifact.updatedAt ?? ""),
        md5
      }
    case "other":
      return undefined
  }
}
