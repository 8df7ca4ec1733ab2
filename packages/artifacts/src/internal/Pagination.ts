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
  readonly lastUri: string | undefined
  /** The list changed meanwhile, so an entry may be missing. */
  readonly changed: boolean
}

/**
 * Reads page after page, each uri once.
 *
 * Each page overlaps the previous one by one entry. When that entry differs, or the total does, the list has changed.
 * One request without a limit then brings the missing entries.
 */
export const pages = <E>(
  list: (query: ArtifactsApi.Query) => Effect.Effect<ArtifactsApi.Page, E>,
  { limit = 200, ...query }: Omit<ArtifactsApi.Query, "offset">
): Stream.Stream<ArtifactsApi.Page, E> =>
  // Each run of the stream needs a `seen` of its own.
  Stream.suspend(() =>
    Stream.unfoldEffect<Progress | undefined, ArtifactsApi.Page, E, never>(start(), (progress) =>
      Effect.gen(function* () {
        if (progress === undefined) return Option.none()
        // With a limit of 1, a page that overlaps would have no new entry.
        const overlap = progress.lastUri === undefined || limit === 1 ? 0 : 1
        const page = yield* list({ ...query, limit, offset: progress.offset - overlap })
        const entries = takeUnseen(page, progress.seen)
        const changed =
          progress.changed ||
          (overlap === 1 && page.entries[0]?.artifact.uri !== progress.lastUri) ||
          (progress.total !== undefined && page.total !== undefined && page.total !== progress.total)
        // Stop paging when a page adds nothing or the maximum is reached; fall back to one full request.
        if (page.hasMore && entries.length > 0 && progress.seen.size < maxEntries) {
          const next = {
            ...progress,
            changed,
            offset: progress.offset - overlap + page.returned,
            total: page.total,
            lastUri: lastUriOf(page)
          }
          return Option.some([{ ...page, entries }, next] as const)
        }
        if (!changed && !page.hasMore) return Option.some([{ ...page, entries }, undefined] as const)
        const fullPage = yield* list(query)
        const missed = takeUnseen(fullPage, progress.seen)
        return Option.some([{ ...fullPage, entries: [...entries, ...missed] }, undefined] as const)
      })
    )
  )

/** Reads the whole list as of one moment: by pages, and by one full request when the list changed meanwhile. */
export const listAll = <E>(
  list: (query: ArtifactsApi.Query) => Effect.Effect<ArtifactsApi.Page, E>,
  query: Omit<ArtifactsApi.Query, "limit" | "offset">
): Effect.Effect<ReadonlyArray<ArtifactEntry>, E> =>
  Effect.gen(function* () {
    let fullPage: ArtifactsApi.Page | undefined
    const listPage = (pageQuery: ArtifactsApi.Query) =>
      Effect.tap(list(pageQuery), (page) => {
        if (pageQuery.limit === undefined) fullPage = page
      })
    const pagesRead = yield* Stream.runCollect(pages(listPage, query))
    return fullPage?.entries ?? [...pagesRead].flatMap(({ entries }) => entries)
  })

/** More artifacts than any session has. */
const maxEntries = 100_000

const start = (): Progress => ({ seen: new Set(), offset: 0, total: undefined, lastUri: undefined, changed: false })

/** Returns the entries with new uris and marks them as seen. */
const takeUnseen = ({ entries }: ArtifactsApi.Page, seen: Set<string>): ReadonlyArray<ArtifactEntry> =>
  entries.filter(({ artifact: { uri } }) => !seen.has(uri) && seen.add(uri) !== undefined)

/** The uri of the last entry; undefined when the page has unreadable entries, which cannot be compared. */
const lastUriOf = ({ entries, returned }: ArtifactsApi.Page): string | undefined =>
  entries.length === returned ? entries.at(-1)?.artifact.uri : undefined
