import * as HashMap from "effect/HashMap"
import * as Option from "effect/Option"
import * as Order from "effect/Order"
import type { ArtifactEntry } from "./ArtifactEntry.ts"

/**
 * The artifacts of a session, by uri.
 *
 * Pushes and lists may come late, twice and in any order. The newer state by `updatedAt`, then by plan version, stays.
 * A deleted artifact leaves a tombstone and returns only with a newer state. Every change makes a new index, at a cost
 * that does not grow with the number of artifacts.
 */
export interface ArtifactIndex {
  /** Every uri of a list or push, deleted ones included. */
  readonly known: HashMap.HashMap<string, KnownArtifact>
  /** The number of applied lists and pushes. */
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
  /** A list had this state, so the service gives no more of it, such as its md5. */
  readonly listed: boolean
}

/** A deleted artifact. */
export interface Tombstone extends Age {
  readonly _tag: "Tombstone"
  readonly revision: number
  /** False if the deletion had no time; the age is then that of the deleted artifact. */
  readonly isDated: boolean
}

/** The values that tell which of two states of an artifact is newer. */
export interface Age {
  readonly updatedAt: bigint | number | undefined
  readonly version: number | undefined
}

/** The index without artifacts. */
export const empty: ArtifactIndex = { known: HashMap.empty(), revision: 0, complete: false }

/**
 * Applies a push; on a tie the push wins. A push may lack md5 and url. The stored url is kept; the stored md5 only
 * while the content is surely the same.
 */
export const push = (index: ArtifactIndex, entry: ArtifactEntry): ArtifactIndex => {
  const revision = index.revision + 1
  const { uri } = entry.artifact
  const known = Option.getOrUndefined(HashMap.get(index.known, uri))
  if (known !== undefined) {
    const age = compareAges(ageOfEntry(entry), ageOf(known))
    // A repeated push of a deleted artifact does not restore it.
    const isStale = age === "older" || (age === "same" && !entry.deleted && known._tag === "Tombstone")
    if (isStale) return { ...index, revision }
  }
  return {
    ...index,
    known: HashMap.set(index.known, uri, toKnown(inheritMissing(entry, known), known, { revision, listed: false })),
    revision
  }
}

/** Applies a list that was requested at revision `asOf`: the whole one with `complete`, else one since a time. */
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
      const previous = Option.getOrUndefined(HashMap.get(draft, uri))
      if (previous === undefined || replaces(entry, previous, options.asOf)) {
        HashMap.set(draft, uri, toKnown(entry, previous, { revision, listed: true }))
      } else if (previous._tag === "Present" && isSame(entry, previous.entry)) {
        // A push that came meanwhile has the same state as the list.
        HashMap.set(draft, uri, { ...previous, entry: addMissing(previous.entry, entry.md5, entry.url), listed: true })
      }
    }
    if (!options.complete) return
    for (const [uri, previous] of index.known) {
      if (previous._tag === "Present" && previous.revision <= options.asOf && !listed.has(uri)) {
        HashMap.set(draft, uri, { _tag: "Tombstone", ...ageOf(previous), revision, isDated: false })
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

/** Tells whether a list had the present state of the artifact at a uri. */
export const isListed = (index: ArtifactIndex, uri: string): boolean => {
  const known = Option.getOrUndefined(HashMap.get(index.known, uri))
  return known?._tag === "Present" && known.listed
}

/** The artifacts, in no order. */
export function* values(index: ArtifactIndex): Generator<ArtifactEntry, void> {
  for (const known of HashMap.values(index.known)) if (known._tag === "Present") yield known.entry
}

/** The artifacts, oldest first, then by uri. */
export const toArray = (index: ArtifactIndex): ReadonlyArray<ArtifactEntry> => [...values(index)].sort(byCreation)

/** Orders artifacts by their creation, then by uri. */
export const byCreation: Order.Order<ArtifactEntry> = Order.combine(
  Order.mapInput(Order.number, ({ artifact }: ArtifactEntry) => artifact.createdAt ?? Number.POSITIVE_INFINITY),
  Order.mapInput(Order.string, ({ artifact }: ArtifactEntry) => artifact.uri)
)

/** Tells whether a listed artifact replaces the stored state. */
const replaces = (entry: ArtifactEntry, known: KnownArtifact, asOf: number): boolean => {
  const [a, b] = [ageOfEntry(entry), ageOf(known)]
  const byTime = compareNumbers(a.updatedAt, b.updatedAt)
  if (byTime === "newer" || byTime === "older") return byTime === "newer"
  // Without times, a push after the request is newer than the list; a version may also go back.
  if (known.revision > asOf) return compareAges(a, b) === "newer"
  // A deletion without a time may have come late, so a list requested after it is newer.
  return byTime === "unknown" || known._tag === "Present" || !known.isDated
}

const toKnown = (
  entry: ArtifactEntry,
  previous: KnownArtifact | undefined,
  { listed, revision }: Pick<Present, "listed" | "revision">
): KnownArtifact => {
  if (!entry.deleted) {
    const previousVersion = wentBackFrom(entry, previous)
    return {
      _tag: "Present",
      entry: previousVersion === undefined ? entry : { ...entry, wentBackFrom: previousVersion },
      revision,
      listed
    }
  }
  const age = ageOfEntry(entry)
  const previousAge = previous === undefined ? undefined : ageOf(previous)
  return {
    _tag: "Tombstone",
    // A deletion may lack a time; it is at least as new as the deleted state.
    updatedAt: age.updatedAt ?? previousAge?.updatedAt,
    version: age.version ?? previousAge?.version,
    revision,
    isDated: age.updatedAt !== undefined || (previous?._tag === "Tombstone" && previous.isDated)
  }
}

/** Adds the stored md5 and url to a push, if they are still valid. */
const inheritMissing = (entry: ArtifactEntry, known: KnownArtifact | undefined): ArtifactEntry => {
  if (entry.deleted || known?._tag !== "Present") return entry
  const { md5, url } = known.entry
  const isMedia = entry.artifact.type === "media" && known.entry.artifact.type === "media"
  const lacksMd5 = entry.md5 === undefined && md5 !== undefined
  return addMissing(entry, lacksMd5 && hasSameContent(entry, known.entry) ? md5 : undefined, isMedia ? url : undefined)
}

const addMissing = (entry: ArtifactEntry, md5: string | undefined, url: string | undefined): ArtifactEntry => {
  const missing = {
    ...(entry.md5 === undefined && md5 !== undefined ? { md5 } : {}),
    ...(entry.url === undefined && url !== undefined ? { url } : {})
  }
  return Object.keys(missing).length === 0 ? entry : { ...entry, ...missing }
}

const isSame = (a: ArtifactEntry, b: ArtifactEntry): boolean =>
  !a.deleted && compareAges(ageOfEntry(a), ageOfEntry(b)) === "same" && hasSameContent(a, b)

/** Tells whether the content is surely the same; for a file, equal times and sizes show that. */
const hasSameContent = ({ artifact: a }: ArtifactEntry, { artifact: b }: ArtifactEntry): boolean => {
  if (a.type === "plan" || a.type === "overview") return a.type === b.type && a.text === b.text
  if (a.type === "tasks") {
    return a.type === b.type && JSON.stringify(a.tasks) === JSON.stringify(b.tasks)
  }
  if (a.type !== b.type || a.updatedAt === undefined || a.updatedAt !== b.updatedAt) return false
  return a.type !== "media" || b.type !== "media" || a.size === b.size
}

/** The higher version that a plan had before (contract decision 103); kept when the same version comes again. */
const wentBackFrom = (entry: ArtifactEntry, previous: KnownArtifact | undefined): number | undefined => {
  if (previous?._tag !== "Present") return undefined
  const byVersion = compareNumbers(ageOfEntry(entry).version, ageOfEntry(previous.entry).version)
  if (byVersion === "same") return previous.entry.wentBackFrom
  return byVersion === "older" ? ageOfEntry(previous.entry).version : undefined
}

const ageOf = (known: KnownArtifact): Age => (known._tag === "Present" ? ageOfEntry(known.entry) : known)

const ageOfEntry = ({ artifact, updatedAt }: ArtifactEntry): Age => ({
  updatedAt: updatedAt ?? artifact.updatedAt,
  version: artifact.type === "plan" ? artifact.version : undefined
})

const compareAges = (a: Age, b: Age): "newer" | "older" | "same" | "unknown" => {
  const byTime = compareNumbers(a.updatedAt, b.updatedAt)
  if (byTime === "newer" || byTime === "older") return byTime
  const byVersion = compareNumbers(a.version, b.version)
  return byVersion === "unknown" ? byTime : byVersion
}

const compareNumbers = (a: bigint | number | undefined, b: bigint | number | undefined) => {
  if (a === undefined || b === undefined) return "unknown"
  return a > b ? "newer" : a < b ? "older" : "same"
}
