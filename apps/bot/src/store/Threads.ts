import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Table from "./database/Table.ts"

/** A Discord thread of a task. */
export interface Thread {
  readonly threadId: string
  readonly guildId: string
  readonly channelId: string
  /** The Discord user whose account runs the task and pays for it. */
  readonly ownerId: string
  readonly taskId: string
  readonly name: string
  /** The newest message up to which all were handled. */
  readonly lastSeenId: string
  readonly closed: boolean
}

/** The threads of tasks. */
export class Threads extends Context.Tag("@heddle/bot/Threads")<
  Threads,
  {
    /** Stores a thread once. */
    readonly bind: (thread: Omit<Thread, "closed">, now: number) => Effect.Effect<void>
    readonly find: (threadId: string) => Effect.Effect<Option.Option<Thread>>
    /** The thread of a task, if it has one. */
    readonly findByTask: (taskId: string) => Effect.Effect<Option.Option<Thread>>
    /** Every open thread. */
    readonly open: Effect.Effect<ReadonlyArray<Thread>>
    /** The closed threads, newest first, up to a limit. */
    readonly closed: Effect.Effect<ReadonlyArray<Thread>>
    /** Stores the newest handled message; ignores older ones and closed threads. */
    readonly markSeen: (threadId: string, messageId: string) => Effect.Effect<void>
    /** Closes a deleted or locked thread, where nothing more is posted and requests are withdrawn. Idempotent. */
    readonly close: (threadId: string, now: number) => Effect.Effect<void>
    /** Reopens a thread; none when it was not closed or has no task. */
    readonly reopen: (threadId: string) => Effect.Effect<Option.Option<Thread>>
    /** True for the first use of a key in a thread; the key is a person, a message or a day. */
    readonly isFirstTime: (threadId: string, key: string) => Effect.Effect<boolean>
  }
>() {}

export const layer = Table.layer(Threads, (sql) =>
  Threads.of({
    bind: (thread, now) =>
      sql`INSERT INTO threads ${sql.insert(toRow(thread, now))} ON CONFLICT (thread_id) DO NOTHING`.pipe(Table.write),
    find: (threadId) => sql<Row>`SELECT * FROM threads WHERE thread_id = ${threadId}`.pipe(Table.first(fromRow)),
    findByTask: (taskId) =>
      sql<Row>`SELECT * FROM threads WHERE task_id = ${taskId} ORDER BY created_at DESC LIMIT 1`.pipe(
        Table.first(fromRow)
      ),
    open: sql<Row>`SELECT * FROM threads WHERE closed_at IS NULL ORDER BY thread_id`.pipe(Table.all(fromRow)),
    closed: sql<Row>`SELECT * FROM threads WHERE closed_at IS NOT NULL ORDER BY closed_at DESC LIMIT 10000`.pipe(
      Table.all(fromRow)
    ),
    // Ids have 17 to 19 digits: the longer, or at equal length the larger one is newer.
    markSeen: (threadId, messageId) =>
      sql`UPDATE threads SET last_seen_id = ${messageId} WHERE thread_id = ${threadId} AND closed_at IS NULL AND (
          length(last_seen_id) < length(${messageId})
          OR (length(last_seen_id) = length(${messageId}) AND last_seen_id < ${messageId}))`.pipe(Table.write),
    close: (threadId, now) =>
      sql
        .withTransaction(
          Effect.zipRight(
            sql`UPDATE threads SET closed_at = ${now} WHERE thread_id = ${threadId} AND closed_at IS NULL`,
            // The agent already works on the first message of a task.
            sql`UPDATE inbox SET state = CASE WHEN kind = 'late_output' THEN 'done' WHEN first = 1 THEN 'cut' ELSE 'closed' END
                WHERE thread_id = ${threadId} AND state = 'queued'`
          )
        )
        .pipe(Table.write),
    reopen: (threadId) =>
      sql<Row>`UPDATE threads SET closed_at = NULL WHERE thread_id = ${threadId} AND closed_at IS NOT NULL
          RETURNING *`.pipe(Table.first(fromRow)),
    isFirstTime: (threadId, key) =>
      sql`INSERT INTO told_once ${sql.insert({ thread_id: threadId, told_key: key })}
          ON CONFLICT (thread_id, told_key) DO NOTHING RETURNING told_key`.pipe(Table.isAny)
  })
)

interface Row {
  readonly thread_id: string
  readonly guild_id: string
  readonly channel_id: string
  readonly owner_id: string
  readonly task_id: string
  readonly name: string
  readonly last_seen_id: string
  readonly closed_at: number | null
}

const toRow = (thread: Omit<Thread, "closed">, now: number) => ({
  thread_id: thread.threadId,
  guild_id: thread.guildId,
  channel_id: thread.channelId,
  owner_id: thread.ownerId,
  task_id: thread.taskId,
  name: thread.name,
  last_seen_id: thread.lastSeenId,
  created_at: now
})

const fromRow = (row: Row): Thread => ({
  threadId: row.thread_id,
  guildId: row.guild_id,
  channelId: row.channel_id,
  ownerId: row.owner_id,
  taskId: row.task_id,
  name: row.name,
  lastSeenId: row.last_seen_id,
  closed: row.closed_at !== null
})
