import * as SqlClient from "@effect/sql/SqlClient"
import type * as Statement from "@effect/sql/Statement"
import type { TaskId } from "@heddle/core/domain/Task"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Compaction from "./Compaction.ts"
import type { Entry } from "./Entry.ts"

/**
 * The numbered record of all notifications of a task's session, from which `session/load` replays. Reads go page by
 * page, one page of all tasks in each turn of the event loop, so that long journals hold up nothing else.
 */
export class Journal extends Context.Tag("@heddle/server/sandbox/journal/Journal")<
  Journal,
  {
    /** The number of the newest entry, 0 for an empty journal. */
    readonly lastSeq: (taskId: TaskId) => Effect.Effect<number>
    /** Adds entries in order; the one owner of the task numbers them. */
    readonly append: (taskId: TaskId, entries: ReadonlyArray<Entry>) => Effect.Effect<void>
    /**
     * Joins the entries after one that a replay may tell at once. Each page is a transaction of its own; after five
     * seconds the rest stays as it is. Call it outside of a transaction, and while nothing else reads the journal.
     */
    readonly compact: (taskId: TaskId, after: number) => Effect.Effect<void>
    /** Deletes all entries, page by page; call it outside of a transaction. */
    readonly remove: (taskId: TaskId) => Effect.Effect<void>
    /** Tells whether the params of any entry contain these characters. It reads all entries, so call it rarely. */
    readonly contains: (taskId: TaskId, text: string) => Effect.Effect<boolean>
    /**
     * The first page of the entries with `after < seq <= upTo`: a few hundred KiB, and one entry at least. Long params
     * come as UTF-8, which takes a third of the time of a string.
     */
    readonly read: (
      taskId: TaskId,
      range: { readonly after: number; readonly upTo: number }
    ) => Effect.Effect<ReadonlyArray<Entry<string | Buffer>>>
    /**
     * The size of all params, and the updates of the task's tool calls, in order: their ids and, where they have one,
     * their status. It reads all entries, and other queries run between its pages: call it outside of a transaction.
     */
    readonly summary: (taskId: TaskId) => Effect.Effect<{
      readonly bytes: number
      readonly toolCalls: ReadonlyArray<{ readonly toolCallId: unknown; readonly status: unknown }>
    }>
  }
>() {}

export const layer: Layer.Layer<Journal, never, SqlClient.SqlClient> = Layer.effect(
  Journal,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const readPage = yield* makeReadPage

    /** Reads all entries in order, until a page is the last that is needed. */
    const scan = Effect.fnUntraced(function* <Row extends object>(
      taskId: TaskId,
      columns: Statement.Fragment,
      isEnough: (rows: ReadonlyArray<Row>) => boolean
    ) {
      for (let after: number | undefined = 0; after !== undefined;) {
        const rows: ReadonlyArray<Row & { readonly seq: number }> = yield* readPage<Row>(taskId, columns, { after })
        after = isEnough(rows) ? undefined : rows.at(-1)?.seq
      }
    }, Effect.orDie)

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

      compact: Effect.fn("Journal.compact")(function* (taskId, from) {
        const replace = ({ first, last, params }: Compaction.Joined) =>
          Effect.andThen(
            sql`DELETE FROM sandbox_journal WHERE task_id = ${taskId} AND seq >= ${first} AND seq < ${last}`,
            sql`UPDATE sandbox_journal SET params = ${params} WHERE task_id = ${taskId} AND seq = ${last}`
          )
        const until = performance.now() + compactionMs
        for (let after: number | undefined = from; after !== undefined && performance.now() < until;) {
          const entries: ReadonlyArray<Entry> = yield* readPage<Entry>(taskId, sql`method, params`, { after })
          yield* Effect.forEach(Compaction.compact(entries), replace, { discard: true }).pipe(sql.withTransaction)
          after = entries.at(-1)?.seq
        }
      }, Effect.orDie),

      remove: Effect.fn("Journal.remove")(function* (taskId) {
        const removePage = sql`DELETE FROM sandbox_journal WHERE task_id = ${taskId}
          AND seq <= ${lastOfPage(sql, taskId, { after: 0 })} RETURNING seq`
        while ((yield* Effect.zipLeft(removePage, nextEvents)).length > 0);
      }, Effect.orDie),

      contains: Effect.fn("Journal.contains")(function* (taskId, text) {
        let isFound = false
        yield* scan<{ readonly found: number }>(
          taskId,
          sql`instr(params, ${text}) > 0 AS found`,
          (rows) => (isFound = rows.some(({ found }) => found !== 0))
        )
        return isFound
      }),

      read: Effect.fn("Journal.read")(function* (taskId, range) {
        const params = sql`CASE WHEN octet_length(params) < ${maxStringBytes} THEN params ELSE CAST(params AS BLOB) END`
        const rows = yield* readPage<Entry<string | ArrayBuffer>>(taskId, sql`method, ${params} AS params`, range)
        return rows.map(({ params, ...entry }) => ({
          ...entry,
          params: typeof params === "string" ? params : Buffer.from(params)
        }))
      }, Effect.orDie),

      // Text within an update has its quotes escaped, so the pattern finds the kinds of updates alone.
      summary: Effect.fn("Journal.summary")(function* (taskId) {
        const isToolCall = sql`instr(params, '"sessionUpdate":"tool_call') > 0`
        const toolCalls: Array<{ readonly toolCallId: unknown; readonly status: unknown }> = []
        let bytes = 0
        yield* scan<(typeof toolCalls)[number] & { readonly size: number }>(
          taskId,
          sql`octet_length(params) AS size, CASE WHEN ${isToolCall} THEN json_extract(params, '$.update.toolCallId') END AS "toolCallId",
            CASE WHEN ${isToolCall} THEN json_extract(params, '$.update.status') END AS status`,
          (rows) => {
            for (const { size, status, toolCallId } of rows) {
              bytes += size
              if (toolCallId !== null) toolCalls.push({ toolCallId, status })
            }
            return false
          }
        )
        return { bytes, toolCalls }
      })
    }
  })
)

/**
 * Makes a function that reads the first page of the entries with `after < seq <= upTo`. All its callers together read
 * one page in each turn of the event loop.
 */
const makeReadPage = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const lock = yield* Effect.makeSemaphore(1)
  return <Row extends object>(taskId: TaskId, columns: Statement.Fragment, range: Range) =>
    sql<Row & { readonly seq: number }>`SELECT seq, ${columns} FROM sandbox_journal
      WHERE task_id = ${taskId} AND seq > ${range.after} AND seq <= ${lastOfPage(sql, taskId, range)}
      ORDER BY seq`.pipe(Effect.zipLeft(nextEvents), lock.withPermits(1))
})

interface Range {
  readonly after: number
  readonly upTo?: number
}

/** The last entry of the first page. SQLite knows the size of a text without reading it. */
const lastOfPage = (
  sql: SqlClient.SqlClient,
  taskId: TaskId,
  { after, upTo = Number.MAX_SAFE_INTEGER }: Range
): Statement.Fragment =>
  sql`(
    SELECT MAX(seq) FROM (
      SELECT seq, SUM(size) OVER (ORDER BY seq) - size AS before FROM (
        SELECT seq, octet_length(params) AS size FROM sandbox_journal
        WHERE task_id = ${taskId} AND seq > ${after} AND seq <= ${upTo} ORDER BY seq LIMIT ${page.entries}
      ) AS entries
    ) AS sized WHERE before < ${page.bytes}
  )`

/** Lets the event loop handle everything that waits. */
const nextEvents = Effect.async<void>((resume) => {
  setImmediate(() => resume(Effect.void))
})

/** What is read at once; one entry may be larger. */
const page = { entries: 500, bytes: 256 * 1024 }

/** Below this size a string costs less than bytes. */
const maxStringBytes = 16 * 1024

const compactionMs = 5000

/** Keeps a statement below the 999 variables that every SQLite build takes. */
const rowsPerStatement = 150
