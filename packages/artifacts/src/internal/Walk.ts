import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { ArtifactEntry } from "../ArtifactEntry.ts"
import type * as ArtifactsApi from "../ArtifactsApi.ts"

/** What a walk through the pages has met. */
interface Walk {
  readonly seen: Set<string>
  /** Where the next page starts. */
  readonly offset: number
  readonly total: number | undefined
  /** What stood before `offset`, where it is known. */
  readonly last: string | undefined
  /** The list changed under the walk, so that something may have slipped past it. */
  readonly moved: boolean
}

/**
 * Reads page after page, each uri once.
 *
 * Each page begins with the last artifact of the page before: when it is not there any more, or the total is another
 * one, the list has moved, and one request for everything brings what slipped past.
 */
export const pages = <E>(
  list: (query: ArtifactsApi.Query) => Effect.Effect<ArtifactsApi.Page, E>,
  { limit = 200, ...query }: Omit<ArtifactsApi.Query, "offset">
): Stream.Stream<ArtifactsApi.Page, E> =>
  Stream.unfoldEffect<Walk | undefined, ArtifactsApi.Page, E, never>(start(), (walk) =>
    Effect.gen(function* () {
      if (walk === undefined) return Option.none()
      const before = walk.last === undefined || limit === 1 ? 0 : 1
      const page = yield* list({ ...query, limit, offset: walk.offset - before })
      const entries = fresh(page, walk.seen)
      const moved =
        walk.moved ||
        (before === 1 && page.entries[0]?.artifact.uri !== walk.last) ||
        (walk.total !== undefined && page.total !== undefined && page.total !== walk.total)
      // A page of nothing new would come again and again, and so would a list without end.
      if (page.hasMore && entries.length > 0 && walk.seen.size < mostEntries) {
        const next = {
          ...walk,
          moved,
          offset: walk.offset - before + page.returned,
          total: page.total,
          last: lastOf(page)
        }
        return Option.some([{ ...page, entries }, next] as const)
      }
      if (!moved && !page.hasMore) return Option.some([{ ...page, entries }, undefined] as const)
      const all = yield* list(query)
      return Option.some([{ ...all, entries: [...entries, ...fresh(all, walk.seen)] }, undefined] as const)
    })
  )

/** Reads everything as it was at one moment: by pages, and at once when the list moved meanwhile. */
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
    const walked = yield* Stream.runCollect(pages(read, query))
    return everything?.entries ?? [...walked].flatMap(({ entries }) => entries)
  })

/** More artifacts than any session has. */
const mostEntries = 100_000

const start = (): Walk => ({ seen: new Set(), offset: 0, total: undefined, last: undefined, moved: false })

const fresh = ({ entries }: ArtifactsApi.Page, seen: Set<string>): ReadonlyArray<ArtifactEntry> =>
  entries.filter(({ artifact: { uri } }) => !seen.has(uri) && seen.add(uri) !== undefined)

const lastOf = ({ entries, returned }: ArtifactsApi.Page): string | undefined =>
  entries.length === returned ? entries.at(-1)?.artifact.uri : undefined
