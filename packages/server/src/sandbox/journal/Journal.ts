import * as SqlClient from "@effect/sql/SqlClient"
import type { TaskId } from "@heddle/core/domain/Task"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/** One notification of a task's session: its place (from 1, without gaps), its method and its params as JSON text. */
export interface Entry {
  readonly seq: number
  readonly method: string
  readonly params: string
}

/** The numbered record of all notifications of a task's session, from which `session/load` replays. */
export class Journal extends Context.Tag("@heddle/server/sandbox/journal/Journal")<
  Journal,
  {
    /** The number of the newest entry, 0 for an empty journal. */
    readonly lastSeq: (taskId: TaskId) => Effect.Effect<number>
    /** Adds entries in order; the one owner of the task numbers them. */
    readonly append: (taskId: TaskId, entries: ReadonlyArray<Entry>) => Effect.Effect<void>
    /** Tells whether the params of any entry contain these characters. It reads all entries, so call it rarely. */
    readonly contains: (taskId: TaskId, text: string) => Effect.Effect<boolean>
    /** The first entries of those with `after < seq <= upTo`: as many as are within `limit`, and one at least. */
    readonly read: (
      taskId: TaskId,
      range: {
        readonly after: number
        readonly upTo: number
        readonly limit: { readonly entries: number; readonly bytes: number }
      }
    ) => Effect.Effect<ReadonlyArray<Entry>>
    /** The updates of the task's tool calls, in order: their ids and, where they have one, their status. */
    readonly toolCalls: (
      taskId: TaskId
    ) => Effect.Effect<ReadonlyArray<{ readonly toolCallId: unknown; readonly status: unknown }>>
  }
>() {}

export const layer: Layer.Layer<Journal, never, SqlClient.SqlClient> = Layer.effect(
  Journal,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return {
      lastSeq: Effect.fn("Journal.lastSeq")(function* (taskId) {
        const rows = yield* sql<{ last: number | null }>`SELECT MAX(seq) AS last FROM sandbox_journal
          WHERE task_id = ${taskId}`
        return rows[0]?.last ?? 0
      }, Effect.orDie),

      append: Effect.fn("Journal.append")(function* (taskId, entries) {
        const at = yield* Clock.currentTimeMillis
        for (let from = 0; from < entries.length; from += rowsPerStatement) {
          const rows = entries.slice(from, from + rowsPerStatement).map((entry) => ({ task_id: taskId, at, ...entry }))
          yield* sql`INSERT INTO sandbox_journal ${sql.insert(rows)}`
        }
      }, Effect.orDie),

      contains: Effect.fn("Journal.contains")(function* (taskId, text) {
        const rows = yield* sql`SELECT 1 FROM sandbox_journal
          WHERE task_id = ${taskId} AND params LIKE ${`%${text}%`} LIMIT 1`
        return rows.length > 0
      }, Effect.orDie),

      read: Effect.fn("Journal.read")(
        (taskId, { after, upTo, limit }) => sql<Entry>`SELECT seq, method, params FROM (
            SELECT seq, method, params, SUM(LENGTH(params)) OVER (ORDER BY seq) - LENGTH(params) AS before FROM (
              SELECT seq, method, params FROM sandbox_journal
              WHERE task_id = ${taskId} AND seq > ${after} AND seq <= ${upTo} ORDER BY seq LIMIT ${limit.entries}
            ) AS page
          ) AS sized WHERE before < ${limit.bytes} ORDER BY seq`,
        Effect.orDie
      ),

      // Text within an update has its quotes escaped, so the pattern finds the kinds of updates alone.
      toolCalls: Effect.fn("Journal.toolCalls")(
        (taskId) => sql<{ toolCallId: unknown; status: unknown }>`SELECT
            json_extract(params, '$.update.toolCallId') AS "toolCallId", json_extract(params, '$.update.status') AS status
          FROM sandbox_journal WHERE task_id = ${taskId} AND instr(params, '"sessionUpdate":"tool_call') > 0 ORDER BY seq`,
        Effect.orDie
      )
    }
  })
)

/** Keeps a statement below the 999 variables that every SQLite build takes. */
const rowsPerStatement = 150
