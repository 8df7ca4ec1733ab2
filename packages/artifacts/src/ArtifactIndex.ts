import type { ArtifactEntry } from "./ArtifactEntry.ts"

/**
 * The artifacts of a session, by uri.
 *
 * Pushes and lists may come late, twice and in any order: what is newer by `updatedAt` (else by plan version) stays,
 * what is deleted comes back only by something newer.
 */
export interface ArtifactIndex {
  readonly entries: ReadonlyMap<string, ArtifactEntry>
  /** Counts what was applied; a list names the value at which it was asked for. */
  readonly revision: number
  /** When each uri last changed, and how new it was. */
  readonly marks: ReadonlyMap<string, Mark>
}

/** What is remembered of a uri, also after its deletion. */
export interface Mark {
  readonly revision: number
  readonly updatedAt: number | undefined
  readonly version: number | undefined
}

/** An index of nothing. */
export const empty: ArtifactIndex = { entries: new Map(), revision: 0, marks: new Map() }

/** Applies a push; on a tie the push wins. */
export const push = (index: ArtifactIndex, entry: ArtifactEntry): ArtifactIndex => {
  const { uri } = entry.artifact
  const known = index.marks.get(uri)
  if (known !== undefined) {
    const age = compare(markOf(entry, 0), known)
    // A copy of what was deleted, sent again, is not a new artifact.
    const stale = age === "older" || (age === "same" && !entry.deleted && !index.entries.has(uri))
    if (stale) return { ...index, revision: index.revision + 1 }
  }
  return change(index, (draft) => put(draft, entry))
}

/** Applies a whole list, or one since a time, that was asked for at revision `asOf`. */
export const load = (
  index: ArtifactIndex,
  list: ReadonlyArray<ArtifactEntry>,
  options: { readonly asOf: number; readonly complete: boolean }
): ArtifactIndex =>
  change(index, (draft) => {
    const listed = new Set<string>()
    for (const entry of list) {
      const { uri } = entry.artifact
      listed.add(uri)
      const known = draft.marks.get(uri)
      if (known === undefined) put(draft, entry)
      else {
        const age = compare(markOf(entry, 0), known)
        // Without a time to go by, what was pushed after the question is newer than the answer.
        const changedSince = known.revision > options.asOf
        const gone = !draft.entries.has(uri)
        if (age === "newer" || (!changedSince && (age === "unknown" || (age === "same" && !gone)))) put(draft, entry)
      }
    }
    if (!options.complete) return
    for (const uri of draft.entries.keys()) {
      const known = draft.marks.get(uri)
      if (!listed.has(uri) && known !== undefined && known.revision <= options.asOf) {
        draft.entries.delete(uri)
        draft.marks.set(uri, { ...known, revision: draft.revision })
      }
    }
  })

/** The artifacts, oldest first, then by uri. */
export const toArray = (index: ArtifactIndex): ReadonlyArray<ArtifactEntry> =>
  [...index.entries.values()].sort(
    (a, b) =>
      createdAt(a) - createdAt(b) || (a.artifact.uri < b.artifact.uri ? -1 : a.artifact.uri > b.artifact.uri ? 1 : 0)
  )

interface Draft {
  readonly entries: Map<string, ArtifactEntry>
  readonly marks: Map<string, Mark>
  readonly revision: number
}

const change = (index: ArtifactIndex, edit: (draft: Draft) => void): ArtifactIndex => {
  const draft = { entries: new Map(index.entries), marks: new Map(index.marks), revision: index.revision + 1 }
  edit(draft)
  return draft
}

const put = (draft: Draft, entry: ArtifactEntry) => {
  const { uri } = entry.artifact
  const mark = markOf(entry, draft.revision)
  const known = draft.marks.get(uri)
  if (!entry.deleted) {
    draft.entries.set(uri, entry)
    draft.marks.set(uri, mark)
    return
  }
  draft.entries.delete(uri)
  // A deletion need not say when it was; it is at least as new as what it deletes.
  draft.marks.set(uri, {
    revision: draft.revision,
    updatedAt: mark.updatedAt ?? known?.updatedAt,
    version: mark.version ?? known?.version
  })
}

const markOf = ({ artifact }: ArtifactEntry, revision: number): Mark => ({
  revision,
  updatedAt: artifact.updatedAt,
  version: artifact.type === "plan" ? artifact.version : undefined
})

const compare = (one: Mark, other: Mark): "newer" | "older" | "same" | "unknown" => {
  if (one.updatedAt !== undefined && other.updatedAt !== undefined) return order(one.updatedAt, other.updatedAt)
  if (one.version !== undefined && other.version !== undefined) return order(one.version, other.version)
  return "unknown"
}

const order = (one: number, other: number) => (one > other ? "newer" : one < other ? "older" : "same")

const createdAt = ({ artifact }: ArtifactEntry): number =>
  "createdAt" in artifact ? (artifact.createdAt ?? Number.POSITIVE_INFINITY) : Number.POSITIVE_INFINITY
