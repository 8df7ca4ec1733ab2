import * as SqlClient from "@effect/sql/SqlClient"
import type { TaskId } from "@heddle/core/domain/Task"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { ArtifactEvent, ArtifactRecord } from "./ArtifactRecord.ts"

/** Which artifacts of a session are listed (contract 4.14); 0 means no bound and no paging. */
export interface ArtifactFilter {
  readonly type: string | undefined
  /** Tombstones since then are listed, too; none when undefined. */
  readonly deletedSince: number | undefined
  readonly startMs: number
  readonly endMs: number
  readonly limit: number
  readonly offset: number
}

/** The place of an artifact in a list; `size` is the length of its body in characters. */
export interface ArtifactKey {
  readonly createdAt: number
  readonly uri: string
  readonly size: number
}

/** A listed artifact; `artifact` is its body on the wire, as JSON. */
export interface ListedArtifact {
  readonly uri: string
  readonly type: string
  readonly event: ArtifactEvent
  readonly artifact: string
  readonly md5: string | null
}

/** The artifacts of all sessions, each in its newest state. */
export class ArtifactStore extends Context.Tag("@heddle/server/sandbox/artifacts/ArtifactStore")<
  ArtifactStore,
  {
    readonly find: (taskId: TaskId, uri: string) => Effect.Effect<Option.Option<ArtifactRecord>>
    /** Stores the newest states of artifacts with different uris. */
    readonly put: (taskId: TaskId, records: ReadonlyArray<ArtifactRecord>) => Effect.Effect<void>
    /**
     * Every artifact of a task, deleted ones as tombstones; tombstones older than a day are deleted (contract decision
     * 99).
     */
    readonly all: (taskId: TaskId) => Effect.Effect<ReadonlyArray<ArtifactRecord>>
    /**
     * How many artifacts match the filter, and the length of the bodies on its page in characters. Deleted ones are
     * included only with `deletedSince`, here and in the list.
     */
    readonly measure: (
      taskId: TaskId,
      filter: ArtifactFilter
    ) => Effect.Effect<{ readonly total: number; readonly size: number }>
    /** The artifacts of one page, oldest first. */
    readonly list: (taskId: TaskId, filter: ArtifactFilter) => Effect.Effect<ReadonlyArray<ListedArtifact>>
    /** The places of the artifacts of one page, oldest first, for pages that are too long to be read at once. */
    readonly keys: (taskId: TaskId, filter: ArtifactFilter) => Effect.Effect<ReadonlyArray<ArtifactKey>>
    /** Reads the artifacts of a part of a page, in its order; those that no longer match the filter are missing. */
    readonly read: (
      taskId: TaskId,
      filter: ArtifactFilter,
      part: ReadonlyArray<ArtifactKey>
    ) => Effect.Effect<ReadonlyArray<ListedArtifact>>
  }
>() {}

export const layer: Layer.Layer<ArtifactStore, never, SqlClient.SqlClient> = Layer.effect(
  ArtifactStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const columns = sql`uri, type, event, artifact, md5, created_at AS "createdAt", updated_at AS "updatedAt"`
    const matches = (taskId: TaskId, { deletedSince, endMs, startMs, type }: ArtifactFilter) =>
      sql.and([
        sql`task_id = ${taskId}`,
        deletedSince === undefined
          ? sql`event <> 'deleted'`
          : sql`(event <> 'deleted' OR updated_at >= ${deletedSince})`,
        ...(type === undefined ? [] : [sql`type = ${type}`]),
        ...(startMs === 0 ? [] : [sql`updated_at >= ${startMs}`]),
        ...(endMs === 0 ? [] : [sql`updated_at <= ${endMs}`])
      ])
    const page = (taskId: TaskId, filter: ArtifactFilter) =>
      sql`FROM sandbox_artifacts WHERE ${matches(taskId, filter)} ORDER BY created_at, uri
        ${filter.limit === 0 ? sql`` : sql`LIMIT ${filter.limit} OFFSET ${filter.offset}`}`
    const listed = sql`uri, type, event, artifact, md5`
    return {
      find: Effect.fn("ArtifactStore.find")(function* (taskId, uri) {
        const rows = yield* sql<StoredRow>`SELECT ${columns} FROM sandbox_artifacts
          WHERE task_id = ${taskId} AND uri = ${uri}`
        return Option.map(Option.fromNullable(rows[0]), toRecord)
      }, Effect.orDie),

      put: Effect.fn("ArtifactStore.put")(function* (taskId, records) {
        for (let from = 0; from < records.length; from += rowsPerStatement) {
          const rows = records
            .slice(from, from + rowsPerStatement)
            .map(({ body, createdAt, updatedAt, ...record }) => ({
              task_id: taskId,
              uri: record.uri,
              type: record.type,
              event: record.event,
              artifact: JSON.stringify(body),
              md5: record.md5 ?? null,
              created_at: createdAt,
              updated_at: updatedAt
            }))
          yield* sql`INSERT INTO sandbox_artifacts ${sql.insert(rows)}
            ON CONFLICT (task_id, uri) DO UPDATE SET type = excluded.type, event = excluded.event,
              artifact = excluded.artifact, md5 = excluded.md5, created_at = excluded.created_at,
              updated_at = excluded.updated_at`
        }
      }, Effect.orDie),

      all: Effect.fn("ArtifactStore.all")(function* (taskId) {
        const now = yield* Clock.currentTimeMillis
        yield* sql`DELETE FROM sandbox_artifacts
          WHERE task_id = ${taskId} AND event = 'deleted' AND updated_at < ${now - tombstoneTtlMs}`
        const rows = yield* sql<StoredRow>`SELECT ${columns} FROM sandbox_artifacts WHERE task_id = ${taskId}`
        return rows.map(toRecord)
      }, Effect.orDie),

      measure: Effect.fn("ArtifactStore.measure")(function* (taskId, filter) {
        const rows = yield* sql<{ total: number; size: number }>`SELECT
          (SELECT COUNT(*) FROM sandbox_artifacts WHERE ${matches(taskId, filter)}) AS total,
          (SELECT COALESCE(SUM(size), 0) FROM (SELECT LENGTH(artifact) AS size ${page(taskId, filter)}) AS page) AS size`
        return rows[0] ?? { total: 0, size: 0 }
      }, Effect.orDie),

      list: Effect.fn("ArtifactStore.list")(
        (taskId, filter) => sql<ListedArtifact>`SELECT ${listed} ${page(taskId, filter)}`,
        Effect.orDie
      ),

      keys: Effect.fn("ArtifactStore.keys")(
        (taskId, filter) =>
          sql<ArtifactKey>`SELECT created_at AS "createdAt", uri, LENGTH(artifact) AS size ${page(taskId, filter)}`,
        Effect.orDie
      ),

      read: Effect.fn("ArtifactStore.read")(function* (taskId, filter, part) {
        const [first, last] = [part[0], part.at(-1)]
        if (first === undefined || last === undefined) return []
        // By their range and not by their names, so that the index of the order finds them without sorting.
        return yield* sql<ListedArtifact>`SELECT ${listed} FROM sandbox_artifacts
          WHERE ${matches(taskId, filter)} AND (created_at, uri) >= (${first.createdAt}, ${first.uri})
            AND (created_at, uri) <= (${last.createdAt}, ${last.uri})
          ORDER BY created_at, uri LIMIT ${part.length}`
      }, Effect.orDie)
    }
  })
)

interface StoredRow extends ListedArtifact {
  readonly createdAt: number
  readonly updatedAt: number
}

const toRecord = ({ artifact, md5, ...row }: StoredRow): ArtifactRecord => ({
  ...row,
  body: JSON.parse(artifact),
  md5: md5 ?? undefined
})

/** How long a tombstone is kept (contract decision 99). */
export const tombstoneTtlMs = 24 * 60 * 60 * 1000

/** Keeps a statement below the 999 variables that every SQLite build accepts. */
const rowsPerStatement = 100
