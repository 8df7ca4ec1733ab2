import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Task } from "../model/Access.ts"
import * as Table from "./database/Table.ts"

/** The card of a task: who pays for it and who may write to it. */
export interface TaskCard {
  readonly threadId: string
  /** The place of the card: the channel or the thread itself. */
  readonly channelId: string
  readonly messageId: string
  /** The text above the line on access. */
  readonly words: string
  /** The last shown text on access. */
  readonly access: string
}

/** The cards of all tasks. */
export class TaskCardRows extends Context.Tag("@heddle/bot/TaskCardRows")<
  TaskCardRows,
  {
    readonly add: (card: TaskCard) => Effect.Effect<void>
    readonly find: (threadId: string) => Effect.Effect<Option.Option<TaskCard>>
    /** The cards of open threads, newest first, each with its task. */
    readonly open: Effect.Effect<ReadonlyArray<{ readonly card: TaskCard; readonly task: Task }>>
    readonly update: (threadId: string, shown: Pick<TaskCard, "access" | "words">) => Effect.Effect<void>
    readonly remove: (threadId: string) => Effect.Effect<void>
  }
>() {}

export const layer = Table.layer(TaskCardRows, (sql) =>
  TaskCardRows.of({
    add: (card) =>
      sql`INSERT INTO task_cards ${sql.insert(toRow(card))} ON CONFLICT (thread_id) DO NOTHING`.pipe(Table.write),
    find: (threadId) => sql<Row>`SELECT * FROM task_cards WHERE thread_id = ${threadId}`.pipe(Table.first(fromRow)),
    open: sql<Row & TaskRow>`SELECT task_cards.*, threads.task_id, threads.guild_id, threads.owner_id,
          threads.channel_id AS task_channel_id
        FROM task_cards JOIN threads ON threads.thread_id = task_cards.thread_id
        WHERE threads.closed_at IS NULL ORDER BY task_cards.thread_id DESC`.pipe(
      Table.all((row) => ({ card: fromRow(row), task: taskOf(row) }))
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

const toRow = (card: TaskCard) => ({
  thread_id: card.threadId,
  channel_id: card.channelId,
  message_id: card.messageId,
  words: card.words,
  access: card.access
})

const fromRow = (row: Row): TaskCard => ({
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
