import * as SqlClient from "@effect/sql/SqlClient"
import type { TaskId } from "@heddle/core/domain/Task"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { ArtifactRecord, Event } from "./ArtifactRecord.ts"

/** Which artifacts of a session are listed (4.14); 0 means no bound and no paging. */
export interface Filter {
  readonly type: string | undefined
  readonly startMs: number
  readonly endMs: number
  readonly limit: number
  readonly offset: number
}

/** The artifacts of all sessions, each in its newest state. */
export class ArtifactStore extends Context.Tag("@heddle/server/sandbox/ArtifactStore")<
  ArtifactStore,
  {
    readonly find: (taskId: TaskId, uri: string) => Effect.Effect<Option.Option<ArtifactRecord>>
    readonly put: (taskId: TaskId, record: ArtifactRecord) => Effect.Effect<void>
    /** Every artifact of a task, deleted ones as tombstones. */
    readonly all: (taskId: TaskId) => Effect.Effect<ReadonlyArray<ArtifactRecord>>
    /** One page of the artifacts that are not deleted, oldest first, and how many fit the filter in all. */
    readonly list: (
      taskId: TaskId,
      filter: Filter
    ) => Effect.Effect<{ readonly total: number; readonly artifacts: ReadonlyArray<ArtifactRecord> }>
  }
>() {}

export const layer: Layer.Layer<ArtifactStore, never, SqlClient.SqlClient> = Layer.effect(
  ArtifactStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const columns = sql`uri, type, event, artifact, md5, created_at AS "createdAt", updated_at AS "updatedAt"`
    return {
      find: Effect.fn("ArtifactStore.find")(function* (taskId, uri) {
        const rows = yield* sql<Stored>`SELECT ${columns} FROM sandbox_artifacts
          WHERE task_id = ${taskId} AND uri = ${uri}`
        return Option.map(Option.fromNullable(rows[0]), fromStored)
      }, Effect.orDie),

      put: Effect.fn("ArtifactStore.put")(
        (taskId, { uri, type, event, body, md5, createdAt, updatedAt }) => sql`INSERT INTO sandbox_artifacts
          (task_id, uri, type, event, artifact, md5, created_at, updated_at)
          VALUES (${taskId}, ${uri}, ${type}, ${event}, ${JSON.stringify(body)}, ${md5 ?? null}, ${createdAt}, ${updatedAt})
          ON CONFLICT (task_id, uri) DO UPDATE SET type = excluded.type, event = excluded.event,
            artifact = excluded.artifact, md5 = excluded.md5, created_at = excluded.created_at,
            updated_at = excluded.updated_at`,
        Effect.orDie,
        Effect.asVoid
      ),

      all: Effect.fn("ArtifactStore.all")(function* (taskId) {
        const rows = yield* sql<Stored>`SELECT ${columns} FROM sandbox_artifacts WHERE task_id = ${taskId}`
        return rows.map(fromStored)
      }, Effect.orDie),

      list: Effect.fn("ArtifactStore.list")(function* (taskId, filter) {
        const fitting = sql.and([
          sql`task_id = ${taskId}`,
          sql`event <> 'deleted'`,
          ...(filter.type === undefined ? [] : [sql`type = ${filter.type}`]),
          ...(filter.startMs === 0 ? [] : [sql`updated_at >= ${filter.startMs}`]),
          ...(filter.endMs === 0 ? [] : [sql`updated_at <= ${filter.endMs}`])
        ])
        const counted = yield* sql<{ total: number }>`SELECT COUNT(*) AS total FROM sandbox_artifacts
          WHERE ${fitting}`
        const page = filter.limit === 0 ? sql`` : sql`LIMIT ${filter.limit} OFFSET ${filter.offset}`
        const rows = yield* sql<Stored>`SELECT ${columns} FROM sandbox_artifacts
          WHERE ${fitting} ORDER BY created_at, uri ${page}`
        return { total: counted[0]?.total ?? 0, artifacts: rows.map(fromStored) }
      }, Effect.orDie)
    }
  })
)

interface Stored {
  readonly uri: string
  readonly type: string
  readonly event: Event
  readonly artifact: string
  readonly md5: string | null
  readonly createdAt: number
  readonly updatedAt: number
}

const fromStored = ({ artifact, md5, ...row }: Stored): ArtifactRecord => ({
  ...row,
  body: JSON.parse(artifact),
  md5: md5 ?? undefined
})
