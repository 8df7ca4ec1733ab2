import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { ArtifactEntry } from "../ArtifactEntry.ts"
import type * as ArtifactsApi from "../ArtifactsApi.ts"

/** How far the pages are read. */
interface Progress {
  readonly seen: Set<string>
  /** Where the next page starts. */
  readonly offset: number
  readonly total: number | undefined
  /** The uri before `offset`, where it is known. */
  readonly last: string | undefined
  /** The list changed meanwhile, so an entry may be missing. */
  readonly moved: boolean
}

/**
 * Reads page after page, each uri once.
 *
 * Each page overlaps the page before by one entry. When that entry is not there, or the total is another one, the list
 * has moved, and one request for everything brings what is missing.
 */
export const pages = <E>(
  list: (query: ArtifactsApi.Query) => Effect.Effect<ArtifactsApi.Page, E>,
  { limit = 200, ...query }: Omit<ArtifactsApi.Query, "offset">
): Stream.Stream<ArtifactsApi.Page, E> =>
  Stream.unfoldEffect<Progress | undefined, ArtifactsApi.Page, E, never>(start(), (progress) =>
    Effect.gen(function* () {
      if (progress === undefined) return Option.none()
      const before = progress.last === undefined || limit === 1 ? 0 : 1
      const page = yield* list({ ...query, limit, offset: progress.offset - before })
      const entries = fresh(page, progress.seen)
      const moved =
        progress.moved ||
        (before === 1 && page.entries[0]?.artifact.uri !== progress.last) ||
        (progress.total !== undefined && page.total !== undefined && page.total !== progress.total)
      // A page without new entries would repeat for ever, and so would an endless list.
      if (page.hasMore && entries.length > 0 && progress.seen.size < maxEntries) {
        const next = {
          ...progress,
          moved,
          offset: progress.offset - before + page.returned,
          total: page.total,
          last: lastOf(page)
        }
        return Option.some([{ ...page, entries }, next] as const)
      }
      if (!moved && !page.hasMore) return Option.some([{ ...page, entries }, undefined] as const)
      const all = yield* list(query)
      return Option.some([{ ...all, entries: [...entries, ...fresh(all, progress.seen)] }, undefined] as const)
    })
  )

/** Reads everything as of one moment: by pages, and by one request when the list moved meanwhile. */
export const all = <E>(
  list: (query: ArtifactsApi.Query) => Effect.Effect<ArtifactsApi.Page, E>,
  query: Omit<ArtifactsApi.Query, "limit" | "offset">
): Effect.Effect<ReadonlyArray<ArtifactEntry>, E> =>
  Effect.gen(function* () {
    let everything: ArtifactsApi.Page | undefined
    const read = (one: ArtifactsApi.Query) =>
      Effect.tap(list(one), (page) => {
        if (one.limit === undefined) everything = page
      })
    const pagesRead = yield* Stream.runCollect(pages(read, query))
    return everything?.entries ?? [...pagesRead].flatMap(({ entries }) => entries)
  })

/** More artifacts than any session has. */
const maxEntries = 100_000

const start = (): Progress => ({ seen: new Set(), offset: 0, total: undefined, last: undefined, moved: false })

const fresh = ({ entries }: ArtifactsApi.Page, seen: Set<string>): ReadonlyArray<ArtifactEntry> =>
  entries.filter(({ artifact: { uri } }) => !seen.has(uri) && seen.add(uri) !== undefined)

const lastOf = ({ entries, returned }: ArtifactsApi.Page): string | undefined =>
  entries.length === returned ? entries.at(-1)?.artifact.uri : undefined
