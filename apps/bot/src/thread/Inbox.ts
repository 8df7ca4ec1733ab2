import * as SqlClient from "@effect/sql/SqlClient"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { Attachment } from "../discord/DiscordEvent.ts"
import { attachments } from "../sql/Json.ts"

/** Something a person said to a task, on its way to the agent. */
export interface Entry {
  /** The Discord id of the message or command: the key that makes delivery happen once. */
  readonly eventId: string
  readonly threadId: string
  readonly authorId: string
  readonly content: string
  readonly attachments: ReadonlyArray<Attachment>
  /** The prompt that the task was created with. */
  readonly first: boolean
  readonly state: "queued" | "running" | "done"
  /** A reaction on the message says that it waits. */
  readonly marked: boolean
  readonly receivedAt: number
}

/** The durable queue of each thread: a row before anything acts on a message. */
export class Inbox extends Context.Tag("@heddle/bot/Inbox")<
  Inbox,
  {
    /** Stores a message; none when it was stored before. Otherwise how many are ahead of it. */
    readonly add: (entry: Omit<Entry, "state" | "marked">) => Effect.Effect<Option.Option<{ readonly ahead: number }>>
    readonly find: (eventId: string) => Effect.Effect<Option.Option<Entry>>
    readonly setState: (eventId: string, state: Entry["state"]) => Effect.Effect<void>
    readonly mark: (eventId: string, marked: boolean) => Effect.Effect<void>
    /** All messages that still have to be handled, oldest first. */
    readonly pending: Effect.Effect<ReadonlyArray<Entry>>
    /** How many messages of a thread still have to be handled. */
    readonly waiting: (threadId: string) => Effect.Effect<number>
  }
>() {}

export const layer: Layer.Layer<Inbox, never, SqlClient.SqlClient> = Layer.effect(
  Inbox,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const waiting = (threadId: string) =>
      sql<{ n: number }>`SELECT COUNT(*) AS n FROM inbox WHERE thread_id = ${threadId} AND state <> 'done'`.pipe(
        Effect.orDie,
        Effect.map((rows) => Number(rows[0]?.n ?? 0))
      )
    return Inbox.of({
      add: (entry) =>
        Effect.gen(function* () {
          const ahead = yield* waiting(entry.threadId)
          const added = yield* sql`INSERT INTO inbox ${sql.insert({
            event_id: entry.eventId,
            thread_id: entry.threadId,
            author_id: entry.authorId,
            content: entry.content,
            attachments: attachments.write(entry.attachments),
            first: entry.first ? 1 : 0,
            state: "queued",
            marked: 0,
            received_at: entry.receivedAt
          })} ON CONFLICT (event_id) DO NOTHING RETURNING event_id`.pipe(Effect.orDie)
          return added.length === 0 ? Option.none() : Option.some({ ahead })
        }),
      find: (eventId) =>
        sql<Row>`SELECT * FROM inbox WHERE event_id = ${eventId}`.pipe(
          Effect.orDie,
          Effect.map((rows) => Option.map(Option.fromNullable(rows[0]), fromRow))
        ),
      setState: (eventId, state) =>
        sql`UPDATE inbox SET state = ${state} WHERE event_id = ${eventId}`.pipe(Effect.orDie, Effect.asVoid),
      mark: (eventId, marked) =>
        sql`UPDATE inbox SET marked = ${marked ? 1 : 0} WHERE event_id = ${eventId}`.pipe(Effect.orDie, Effect.asVoid),
      pending: sql<Row>`SELECT * FROM inbox WHERE state <> 'done' ORDER BY received_at, event_id`.pipe(
        Effect.orDie,
        Effect.map((rows) => rows.map(fromRow))
      ),
      waiting
    })
  })
)

interface Row {
  readonly event_id: string
  readonly thread_id: string
  readonly author_id: string
  readonly content: string
  readonly attachments: string
  readonly first: number
  readonly state: Entry["state"]
  readonly marked: number
  readonly received_at: number
}

const fromRow = (row: Row): Entry => ({
  eventId: row.event_id,
  threadId: row.thread_id,
  authorId: row.author_id,
  content: row.content,
  attachments: attachments.read(row.attachments),
  first: row.first === 1,
  state: row.state,
  marked: row.marked === 1,
  receivedAt: Number(row.received_at)
})
