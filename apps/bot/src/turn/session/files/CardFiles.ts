import type { ArtifactEntry } from "@heddle/artifacts/ArtifactEntry"
import type * as Artifacts from "@heddle/artifacts/Artifacts"
import * as Effect from "effect/Effect"
import * as FiberMap from "effect/FiberMap"
import type * as Scope from "effect/Scope"
import { type ArtifactCard, fileVersion } from "../../../model/ArtifactCard.ts"
import type { FileRef } from "../../../model/Post.ts"
import * as Preview from "./Preview.ts"

/** The files and previews of a thread's cards. */
export interface CardFiles {
  /** The bytes of a file; undefined if it cannot be fetched, which its card then says. */
  readonly load: (file: FileRef) => Effect.Effect<Uint8Array | undefined>
  /** Begins to fetch the file of a card that has only words; the card changes once the file is there. */
  readonly refetch: (card: ArtifactCard) => Effect.Effect<void>
  /** Waits for the files that are fetched again. */
  readonly refetched: Effect.Effect<void>
}

/** Makes the files of cards, which are fetched until the scope ends. */
export const make = Effect.fnUntraced(function* (options: {
  readonly artifacts: Artifacts.Artifacts["Type"]
  readonly entryOf: (uri: string) => Effect.Effect<ArtifactEntry | undefined>
  /** The largest file that is fetched whole, in bytes. */
  readonly uploadLimit: number
  /** Stores that a file could not be fetched, or that it came after that. */
  readonly store: (file: FileRef, state: "missing" | "late") => Effect.Effect<void>
}): Effect.fn.Return<CardFiles, never, Scope.Scope> {
  const { artifacts, entryOf, store, uploadLimit } = options
  const refetches = yield* FiberMap.make<string, void, never>()
  /** Files that came after their cards had only words. */
  const late = new Map<string, Uint8Array>()

  const fetch = Effect.fnUntraced(
    function* (file: FileRef) {
      const entry = yield* entryOf(file.uri)
      if (entry === undefined) return undefined
      return yield* file.preview === undefined
        ? Preview.download(artifacts, entry, uploadLimit)
        : Preview.make(artifacts, entry, file.preview)
    },
    (effect, { uri }) =>
      effect.pipe(
        Effect.timeout("60 seconds"),
        Effect.catchAll((error) => Effect.as(Effect.logWarning(`${uri} cannot be fetched`, error.message), undefined))
      )
  )

  const load: CardFiles["load"] = Effect.fnUntraced(function* (file) {
    const key = keyOf(file)
    const bytes = late.get(key) ?? (yield* fetch(file))
    late.delete(key)
    if (bytes === undefined && file.preview === undefined) yield* store(file, "missing")
    return bytes
  })

  const refetch: CardFiles["refetch"] = ({ body, uri }) => {
    if (body._tag !== "Media") return Effect.void
    const file = { name: body.name, uri, version: fileVersion(body) }
    const fetchLate = Effect.gen(function* () {
      const bytes = yield* Effect.interruptible(fetch(file))
      if (bytes === undefined) return
      late.set(keyOf({ uri, version: fileVersion({ ...body, file: "late" }) }), bytes)
      yield* store(file, "late")
    })
    return Effect.asVoid(FiberMap.run(refetches, uri, fetchLate, { onlyIfMissing: true }))
  }

  return { load, refetch, refetched: FiberMap.awaitEmpty(refetches) }
})

const keyOf = ({ uri, version }: Pick<FileRef, "uri" | "version">): string => `${uri} ${version}`
