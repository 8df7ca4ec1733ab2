import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Task } from "../model/Access.ts"
import * as Table from "./database/Table.ts"

/** The message that says who pays for a task and who may write to it; normally the one that starts the thread. */
export interface TaskHeader {
  readonly threadId: string
  /** The place of the header: the channel or the thread itself. */
  readonly channelId: string
  readonly messageId: string
  /** The text above the line on access. */
  readonly words: string
  /** The last shown text on access. */
  readonly access: string
}

/** The headers of all tasks. */
export class TaskHeaderRows extends Context.Tag("@heddle/bot/TaskHeaderRows")<
  TaskHeaderRows,
  {
    readonly add: (header: TaskHeader) => Effect.Effect<void>
    readonly find: (threadId: string) => Effect.Effect<Option.Option<TaskHeader>>
    /** The headers of open threads, newest first, each with its task. */
    readonly open: Effect.Effect<ReadonlyArray<{ readonly header: TaskHeader; readonly task: Task }>>
    readonly update: (threadId: string, shown: Pick<TaskHeader, "access" | "words">) => Effect.Effect<void>
    readonly remove: (threadId: string) => Effect.Effect<void>
  }
>() {}

export const layer = Table.layer(TaskHeaderRows, (sql) =>
  TaskHeaderRows.of({
    add: (header) =>
      sql`INSERT INTO task_cards ${sql.insert(toRow(header))} ON CONFLICT (thread_id) DO NOTHING`.pipe(Table.write),
    find: (threadId) => sql<Row>`SELECT * FROM task_cards WHERE thread_id = ${threadId}`.pipe(Table.first(fromRow)),
    open: sql<Row & TaskRow>`SELECT task_cards.*, threads.task_id, threads.guild_id, threads.owner_id,
          threads.channel_id AS task_channel_id
        FROM task_cards JOIN threads ON threads.thread_id = task_cards.thread_id
        WHERE threads.closed_at IS NULL ORDER BY task_cards.thread_id DESC`.pipe(
      Table.all((row) => ({ header: fromRow(row), task: taskOf(row) }))
    ),
    update: (threadId, { access, words }) =>
      sql`UPDATE task_cards SET access = ${access}, words = ${words} WHERE thread_id = ${threadId}`.pipe(Table.write),
    remove: (threadId) => sql`DELETE FROM task_cards WHERE thread_id = ${threadId}`.pipe(Table.write)
  })
)

interface Row {
  readonly thread_id: string
  readonly channel_id: string
  readonly message_id: string
  readonly words: string
  readonly access: string
}

interface TaskRow {
  readonly task_id: string
  readonly guild_id: string
  readonly owner_id: string
  readonly task_channel_id: string
}

const toRow = (header: TaskHeader) => ({
  thread_id: header.threadId,
  channel_id: header.channelId,
  message_id: header.messageId,
  words: header.words,
  access: header.access
})

const fromRow = (row: Row): TaskHeader => ({
  threadId: row.thread_id,
  channelId: row.channel_id,
  messageId: row.message_id,
  words: row.words,
  access: row.access
})

const taskOf = (row: TaskRow): Task => ({
  taskId: row.task_id,
  guildId: row.guild_id,
  ownerId: row.owner_id,
  channelId: row.task_channel_id
})
