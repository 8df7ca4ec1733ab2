import * as HashMap from "effect/HashMap"
import * as Option from "effect/Option"
import * as Order from "effect/Order"
import type { ArtifactEntry } from "./ArtifactEntry.ts"

/**
 * The artifacts of a session, by uri.
 *
 * Pushes and lists may come late, twice and in any order. The newer state by `updatedAt`, then by plan version, stays. A
 * deleted artifact leaves a tombstone and comes back only by a newer state. Every fold gives a new index, at a cost that
 * does not grow with the number of artifacts.
 */
export interface ArtifactIndex {
  /** Every uri of a list or push, deleted ones included. */
  readonly known: HashMap.HashMap<string, KnownArtifact>
  /** How many lists and pushes were applied. */
  readonly revision: number
  /** A whole list was applied. */
  readonly complete: boolean
}

/** The state of a uri. */
export type KnownArtifact = Present | Tombstone

/** An artifact, and the revision that brought it. */
export interface Present {
  readonly _tag: "Present"
  readonly entry: ArtifactEntry
  readonly revision: number
}

/** A deleted artifact. */
export interface Tombstone extends Age {
  readonly _tag: "Tombstone"
  readonly revision: number
  /** False if the deletion had no time: the age is that of the deleted artifact. */
  readonly dated: boolean
}

/** Tells which of two states of an artifact is newer. */
export interface Age {
  readonly updatedAt: number | undefined
  readonly version: number | undefined
}

/** The index without artifacts. */
export const empty: ArtifactIndex = { known: HashMap.empty(), revision: 0, complete: false }

/**
 * Applies a push; on a tie the push wins. A push may lack md5 and url: the known url is kept, and the known md5 while the
 * content is surely the same.
 */
export const push = (index: ArtifactIndex, entry: ArtifactEntry): ArtifactIndex => {
  const revision = index.revision + 1
  const { uri } = entry.artifact
  const known = Option.getOrUndefined(HashMap.get(index.known, uri))
  if (known !== undefined) {
    const age = compare(ageOfEntry(entry), ageOf(known))
    // A repeated push of a deleted artifact is no new artifact.
    const stale = age === "older" || (age === "same" && !entry.deleted && known._tag === "Tombstone")
    if (stale) return { ...index, revision }
  }
  return { ...index, known: HashMap.set(index.known, uri, toKnown(fillFrom(entry, known), known, revision)), revision }
}

/** Applies a whole list, or one since a time, that was requested at revision `asOf`. */
export const load = (
  index: ArtifactIndex,
  list: ReadonlyArray<ArtifactEntry>,
  options: { readonly asOf: number; readonly complete: boolean }
): ArtifactIndex => {
  const revision = index.revision + 1
  const known = HashMap.mutate(index.known, (draft) => {
    const listed = new Set<string>()
    for (const entry of list) {
      const { uri } = entry.artifact
      listed.add(uri)
      const before = Option.getOrUndefined(HashMap.get(draft, uri))
      if (before === undefined || isNews(entry, before, options.asOf)) {
        HashMap.set(draft, uri, toKnown(entry, before, revision))
      } else if (before._tag === "Present" && isSame(entry, before.entry)) {
        // The push that came meanwhile is the listed state.
        HashMap.set(draft, uri, { ...before, entry: withMissing(before.entry, entry.md5, entry.url) })
      }
    }
    if (!options.complete) return
    for (const [uri, before] of index.known) {
      if (before._tag === "Present" && before.revision <= options.asOf && !listed.has(uri)) {
        HashMap.set(draft, uri, { _tag: "Tombstone", ...ageOf(before), revision, dated: false })
      }
    }
  })
  return { known, revision, complete: index.complete || options.complete }
}

/** The artifact at a uri; undefined if it is deleted or unknown. */
export const get = (index: ArtifactIndex, uri: string): ArtifactEntry | undefined => {
  const known = Option.getOrUndefined(HashMap.get(index.known, uri))
  return known?._tag === "Present" ? known.entry : undefined
}

/** The artifacts, in no order. */
export function* values(index: ArtifactIndex): Generator<ArtifactEntry, void> {
  for (const known of HashMap.values(index.known)) if (known._tag === "Present") yield known.entry
}

/** The artifacts, oldest first, then by uri. */
export const toArray = (index: ArtifactIndex): ReadonlyArray<ArtifactEntry> => [...values(index)].sort(byCreation)

/** Orders artifacts by their creation, then by uri. */
export const byCreation: Order.Order<ArtifactEntry> = Order.combine(
  Order.mapInput(Order.number, ({ artifact }: ArtifactEntry) =>
    "createdAt" in artifact ? (artifact.createdAt ?? Number.POSITIVE_INFINITY) : Number.POSITIVE_INFINITY
  ),
  Order.mapInput(Order.string, ({ artifact }: ArtifactEntry) => artifact.uri)
)

/** Tells whether a listed artifact replaces what is known. */
const isNews = (entry: ArtifactEntry, known: KnownArtifact, asOf: number): boolean => {
  const [one, other] = [ageOfEntry(entry), ageOf(known)]
  const byTime = order(one.updatedAt, other.updatedAt)
  if (byTime === "newer" || byTime === "older") return byTime === "newer"
  // Without times, a push after the request is newer than the list; a version may also go back.
  if (known.revision > asOf) return compare(one, other) === "newer"
  // A deletion without a time may have come late: a list requested after it is newer.
  return byTime === "unknown" || known._tag === "Present" || !known.dated
}

const toKnown = (entry: ArtifactEntry, before: KnownArtifact | undefined, revision: number): KnownArtifact => {
  if (!entry.deleted) {
    const from = wentBackFrom(entry, before)
    return { _tag: "Present", entry: from === undefined ? entry : { ...entry, wentBackFrom: from }, revision }
  }
  const age = ageOfEntry(entry)
  const old = before === undefined ? undefined : ageOf(before)
  return {
    _tag: "Tombstone",
    // A deletion may lack a time; it is at least as new as the deleted state.
    updatedAt: age.updatedAt ?? old?.updatedAt,
    version: age.version ?? old?.version,
    revision,
    dated: age.updatedAt !== undefined || (before?._tag === "Tombstone" && before.dated)
  }
}

/** Adds the known md5 and url to a push, if they are still right. */
const fillFrom = (entry: ArtifactEntry, known: KnownArtifact | undefined): ArtifactEntry => {
  if (entry.deleted || known?._tag !== "Present") return entry
  const { md5, url } = known.entry
  const isMedia = entry.artifact.type === "media" && known.entry.artifact.type === "media"
  const lacksMd5 = entry.md5 === undefined && md5 !== undefined
  return withMissing(entry, lacksMd5 && hasSameContent(entry, known.entry) ? md5 : undefined, isMedia ? url : undefined)
}

const withMissing = (entry: ArtifactEntry, md5: string | undefined, url: string | undefined): ArtifactEntry => {
  const rest = {
    ...(entry.md5 === undefined && md5 !== undefined ? { md5 } : {}),
    ...(entry.url === undefined && url !== undefined ? { url } : {})
  }
  return Object.keys(rest).length === 0 ? entry : { ...entry, ...rest }
}

const isSame = (one: ArtifactEntry, other: ArtifactEntry): boolean =>
  !one.deleted && compare(ageOfEntry(one), ageOfEntry(other)) === "same" && hasSameContent(one, other)

/** Tells whether the content is surely the same; for a file only its time shows that. */
const hasSameContent = ({ artifact: one }: ArtifactEntry, { artifact: other }: ArtifactEntry): boolean => {
  if (one.type === "plan" || one.type === "overview") return one.type === other.type && one.text === other.text
  if (one.type === "tasks") {
    return one.type === other.type && JSON.stringify(one.tasks) === JSON.stringify(other.tasks)
  }
  if (one.type !== other.type || one.updatedAt === undefined || one.updatedAt !== other.updatedAt) return false
  return one.type !== "media" || other.type !== "media" || one.size === other.size
}

/** The higher version that was known of a plan (contract decision 103); kept when the same version comes again. */
const wentBackFrom = (entry: ArtifactEntry, before: KnownArtifact | undefined): number | undefined => {
  if (before?._tag !== "Present") return undefined
  const byVersion = order(ageOfEntry(entry).version, ageOfEntry(before.entry).version)
  if (byVersion === "same") return before.entry.wentBackFrom
  return byVersion === "older" ? ageOfEntry(before.entry).version : undefined
}

const ageOf = (known: KnownArtifact): Age => (known._tag === "Present" ? ageOfEntry(known.entry) : known)

const ageOfEntry = ({ artifact }: ArtifactEntry): Age => ({
  updatedAt: artifact.updatedAt,
  version: artifact.type === "plan" ? artifact.version : undefined
})

const compare = (one: Age, other: Age): "newer" | "older" | "same" | "unknown" => {
  const byTime = order(one.updatedAt, other.updatedAt)
  if (byTime === "newer" || byTime === "older") return byTime
  const byVersion = order(one.version, other.version)
  return byVersion === "unknown" ? byTime : byVersion
}

const order = (one: number | undefined, other: number | undefined) => {
  if (one === undefined || other === undefined) return "unknown"
  return one > other ? "newer" : one < other ? "older" : "same"
}
