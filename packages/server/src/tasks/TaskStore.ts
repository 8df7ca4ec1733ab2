import * as SqlClient from "@effect/sql/SqlClient"
import type { TaskId } from "@heddle/core/domain/Task"
import type { KnownStatus } from "@heddle/core/domain/TaskStatus"
import * as Chunk from "effect/Chunk"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"

/** The owner of tasks: a user, through one application (contract decision 84). */
export interface Owner {
  readonly clientId: string
  readonly userId: string
}

/** A stored task; times are epoch milliseconds. */
export interface TaskRow extends Owner {
  readonly taskId: TaskId
  readonly name: string
  /** The name of its agent; `unnamed` for whichever is the first. */
  readonly agent: string
  readonly status: KnownStatus
  readonly createdAt: number
  readonly updatedAt: number
}

/** Which tasks to list; a missing field matches all. */
export interface TaskFilter {
  readonly userId?: string
  readonly clientId?: string
  readonly status?: KnownStatus
}

/** The rows of the tasks, and the only place that changes a task's status. */
export class TaskStore extends Context.Tag("@heddle/server/tasks/TaskStore")<
  TaskStore,
  {
    /** Adds a task in status `creating`. */
    readonly insert: (task: Pick<TaskRow, keyof Owner | "taskId" | "name" | "agent">) => Effect.Effect<TaskRow>
    /** Reads a task of any owner and status. */
    readonly get: (taskId: TaskId) => Effect.Effect<Option.Option<TaskRow>>
    /** One page of the user's tasks that are not deleted, of one application or of all, newest first; `page` from 1. */
    readonly list: (
      owner: { readonly userId: string; readonly clientId?: string },
      paging: { readonly page: number; readonly size: number }
    ) => Effect.Effect<{ readonly tasks: ReadonlyArray<TaskRow>; readonly total: number }>
    /** The tasks of all users, newest first; deleted ones only if the filter has that status. */
    readonly all: (filter: TaskFilter) => Stream.Stream<TaskRow>
    /** The tasks among these that are archived or deleted. */
    readonly closed: (taskIds: ReadonlyArray<TaskId>) => Effect.Effect<ReadonlyArray<TaskId>>
    /** Some of the tasks that were archived before a time, in epoch milliseconds. */
    readonly archivedBefore: (time: number) => Effect.Effect<ReadonlyArray<TaskId>>
    /** The tasks that are being created or have a running turn; a restart recovers them. */
    readonly unfinished: Effect.Effect<ReadonlyArray<TaskRow>>
    /**
     * Moves a task to a status. True if it has that status afterwards. A
     * transition that is not allowed is logged, changes nothing and returns false (contract decision 74).
     */
    readonly transition: (taskId: TaskId, status: KnownStatus) => Effect.Effect<boolean>
    /** Renames a task. */
    readonly setName: (taskId: TaskId, name: string) => Effect.Effect<void>
  }
>() {}

/** The statuses from which each status can be reached (contract decision 74). */
export const allowedFrom: Readonly<Record<KnownStatus, ReadonlyArray<KnownStatus>>> = {
  creating: [],
  idle: ["creating", "planning", "working", "pending"],
  planning: ["creating", "idle", "working", "pending", "completed", "failed"],
  working: ["creating", "idle", "planning", "pending", "completed", "failed"],
  pending: ["planning", "working"],
  completed: ["planning", "working", "pending"],
  failed: ["creating", "idle", "planning", "working", "pending", "completed"],
  archived: ["idle", "completed", "failed"],
  deleted: ["creating", "idle", "planning", "working", "pending", "completed", "failed", "archived"]
}

/** Whether a task in this status no longer has a sandbox and a channel. */
export const isClosed = (status: KnownStatus): boolean => status === "archived" || status === "deleted"

export const layer: Layer.Layer<TaskStore, never, SqlClient.SqlClient> = Layer.effect(
  TaskStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const columns = sql`task_id AS "taskId", client_id AS "clientId", user_id AS "userId", name, agent, status,
      created_at AS "createdAt", updated_at AS "updatedAt"`

    const find = (taskId: TaskId) =>
      sql<TaskRow>`SELECT ${columns} FROM tasks WHERE task_id = ${taskId}`.pipe(
        Effect.map((rows) => Option.fromNullable(rows[0]))
      )

    const page = ({ clientId, status, userId }: TaskFilter, lastRow: TaskRow | undefined) =>
      sql<TaskRow>`SELECT ${columns} FROM tasks WHERE ${sql.and([
        status === undefined ? sql`status <> 'deleted'` : sql`status = ${status}`,
        ...(userId === undefined ? [] : [sql`user_id = ${userId}`]),
        ...(clientId === undefined ? [] : [sql`client_id = ${clientId}`]),
        ...(lastRow === undefined ? [] : [sql`(created_at, task_id) < (${lastRow.createdAt}, ${lastRow.taskId})`])
      ])} ORDER BY created_at DESC, task_id DESC LIMIT ${pageSize}`.pipe(Effect.orDie)

    return {
      insert: Effect.fn("TaskStore.insert")(function* (task) {
        const now = yield* Clock.currentTimeMillis
        const row: TaskRow = { ...task, status: "creating", createdAt: now, updatedAt: now }
        yield* sql`INSERT INTO tasks (task_id, client_id, user_id, name, agent, status, created_at, updated_at)
          VALUES (${row.taskId}, ${row.clientId}, ${row.userId}, ${row.name}, ${row.agent}, ${row.status}, ${now}, ${now})`
        return row
      }, Effect.orDie),

      get: Effect.fn("TaskStore.get")((taskId) => Effect.orDie(find(taskId))),

      list: Effect.fn("TaskStore.list")(function* (owner, { page, size }) {
        const ofUser = sql`user_id = ${owner.userId} AND status <> 'deleted'`
        const isOwned = owner.clientId === undefined ? ofUser : sql`client_id = ${owner.clientId} AND ${ofUser}`
        const countRows = yield* sql<{ total: number }>`SELECT COUNT(*) AS total FROM tasks WHERE ${isOwned}`
        const tasks = yield* sql<TaskRow>`SELECT ${columns} FROM tasks WHERE ${isOwned}
          ORDER BY created_at DESC, task_id DESC LIMIT ${size} OFFSET ${(page - 1) * size}`
        return { tasks, total: countRows[0]?.total ?? 0 }
      }, Effect.orDie),

      all: (filter) =>
        Stream.paginateChunkEffect(undefined as TaskRow | undefined, (lastRow) =>
          Effect.map(page(filter, lastRow), (rows) => [
            Chunk.unsafeFromArray(rows),
            rows.length < pageSize ? Option.none() : Option.some(rows.at(-1))
          ])
        ).pipe(Stream.withSpan("TaskStore.all")),

      closed: Effect.fn("TaskStore.closed")(function* (taskIds) {
        if (taskIds.length === 0) return []
        const rows = yield* sql<{ taskId: TaskId }>`SELECT task_id AS "taskId" FROM tasks
          WHERE ${sql.in("task_id", taskIds)} AND status IN ('archived', 'deleted')`
        return rows.map(({ taskId }) => taskId)
      }, Effect.orDie),

      archivedBefore: Effect.fn("TaskStore.archivedBefore")(function* (time) {
        const rows = yield* sql<{ taskId: TaskId }>`SELECT task_id AS "taskId" FROM tasks
          WHERE status = 'archived' AND updated_at < ${time} LIMIT ${pageSize}`
        return rows.map(({ taskId }) => taskId)
      }, Effect.orDie),

      unfinished: sql<TaskRow>`SELECT ${columns} FROM tasks
        WHERE status IN ('creating', 'planning', 'working', 'pending') ORDER BY created_at`.pipe(
        Effect.orDie,
        Effect.withSpan("TaskStore.unfinished")
      ),

      transition: Effect.fn("TaskStore.transition")(function* (taskId, status) {
        const now = yield* Clock.currentTimeMillis
        const from = allowedFrom[status]
        const updated =
          from.length === 0
            ? []
            : yield* sql`UPDATE tasks SET status = ${status}, updated_at = ${now}
                WHERE task_id = ${taskId} AND ${sql.in("status", from)} RETURNING task_id`
        if (updated.length > 0) {
          yield* Effect.logDebug("task moved").pipe(Effect.annotateLogs({ taskId, status }))
          return true
        }
        const currentStatus = Option.map(yield* find(taskId), (task) => task.status)
        if (Option.contains(currentStatus, status)) return true
        yield* Effect.logWarning("refused to move a task").pipe(
          Effect.annotateLogs({ taskId, from: Option.getOrElse(currentStatus, () => "no such task"), to: status })
        )
        return false
      }, Effect.orDie),

      setName: Effect.fn("TaskStore.setName")(function* (taskId, name) {
        const now = yield* Clock.currentTimeMillis
        yield* sql`UPDATE tasks SET name = ${name}, updated_at = ${now} WHERE task_id = ${taskId}`
      }, Effect.orDie)
    }
  })
)

const pageSize = 500
