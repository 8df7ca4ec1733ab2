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

/** The key of a listed artifact; `size` is the length of its body in characters. */
export interface ArtifactKey {
  readonly uri: string
  readonly size: number
}

/** Maximum number of artifacts in one read. */
export const maxBatchSize = 500

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
     * One page of the artifacts, oldest first, and the number of all that match the filter. Deleted ones are included
     * only with `deletedSince`.
     */
    readonly list: (
      taskId: TaskId,
      filter: ArtifactFilter
    ) => Effect.Effect<{ readonly total: number; readonly artifacts: ReadonlyArray<ArtifactKey> }>
    /** Reads at most {@link maxBatchSize} artifacts in the order of a list; deleted ones are missing. */
    readonly read: (
      taskId: TaskId,
      filter: Pick<ArtifactFilter, "deletedSince">,
      keys: ReadonlyArray<ArtifactKey>
    ) => Effect.Effect<ReadonlyArray<ListedArtifact>>
  }
>() {}

export const layer: Layer.Layer<ArtifactStore, never, SqlClient.SqlClient> = Layer.effect(
  ArtifactStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const columns = sql`uri, type, event, artifact, md5, created_at AS "createdAt", updated_at AS "updatedAt"`
    const isPresent = ({ deletedSince }: Pick<ArtifactFilter, "deletedSince">) =>
      deletedSince === undefined ? sql`event <> 'deleted'` : sql`(event <> 'deleted' OR updated_at >= ${deletedSince})`
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

      list: Effect.fn("ArtifactStore.list")(function* (taskId, filter) {
        const conditions = sql.and([
          sql`task_id = ${taskId}`,
          isPresent(filter),
          ...(filter.type === undefined ? [] : [sql`type = ${filter.type}`]),
          ...(filter.startMs === 0 ? [] : [sql`updated_at >= ${filter.startMs}`]),
          ...(filter.endMs === 0 ? [] : [sql`updated_at <= ${filter.endMs}`])
        ])
        const rows = yield* sql<ArtifactKey>`SELECT uri, LENGTH(artifact) AS size FROM sandbox_artifacts
          WHERE ${conditions} ORDER BY created_at, uri
          ${filter.limit === 0 ? sql`` : sql`LIMIT ${filter.limit} OFFSET ${filter.offset}`}`
        if (filter.limit === 0) return { total: rows.length, artifacts: rows }
        const counts = yield* sql<{ total: number }>`SELECT COUNT(*) AS total FROM sandbox_artifacts
          WHERE ${conditions}`
        return { total: counts[0]?.total ?? 0, artifacts: rows }
      }, Effect.orDie),

      read: Effect.fn("ArtifactStore.read")(function* (taskId, filter, keys) {
        const uris = keys.map(({ uri }) => uri)
        return yield* sql<ListedArtifact>`SELECT uri, type, event, artifact, md5 FROM sandbox_artifacts
          WHERE task_id = ${taskId} AND ${isPresent(filter)} AND uri IN ${sql.in(uris)} ORDER BY created_at, uri`
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
