import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Attachment } from "../discord/DiscordEvent.ts"
import { isNewer } from "../discord/Snowflake.ts"
import { attachments } from "./database/Json.ts"
import { endPost, isUnanswered } from "./Posts.ts"
import * as Table from "./database/Table.ts"

/** A message to a task, on its way to the agent. */
export interface InboxEntry {
  /** The Discord id of the message or command, which is the idempotency key. */
  readonly eventId: string
  readonly threadId: string
  /**
   * `opened`: not a message, but a thread for an existing task. `late_output`: the agent's late output. `resent`: an
   * earlier message, which a person sent once more by a click. `command`: a command of the agent, which a person chose.
   * `files`: the files of a first prompt, which the service began without.
   */
  readonly kind: "message" | "opened" | "late_output" | "resent" | "command" | "files"
  /** Empty for late output. */
  readonly authorId: string
  /** The author's display name. */
  readonly authorName: string
  readonly content: string
  readonly attachments: ReadonlyArray<Attachment>
  /** The prompt of the task's creation. */
  readonly first: boolean
  /**
   * `removed`: its author deleted it before the agent got it. `closed`: its thread was closed before the agent got it;
   * `cut`: during the answer.
   */
  readonly state: "queued" | "running" | "done" | "removed" | "closed" | "cut"
  /** How often its thread was closed during the answer. */
  readonly attempt: number
  /** The first message of a backfill. */
  readonly late: boolean
  readonly receivedAt: number
}

/** What begins the turn of an entry. */
export type TurnKind =
  /** The prompt of the task's creation: the service may have it from the start. */
  | "FirstPrompt"
  /** A thread for an existing task, without a prompt. */
  | "OpenedTask"
  /** A message in the thread. */
  | "Message"
  /** No message: the agent continued after the end of its answer. */
  | "LateOutput"

/** What begins the turn of an entry. */
export const turnKind = ({ first, kind }: Pick<InboxEntry, "first" | "kind">): TurnKind => {
  switch (kind) {
    case "late_output":
      return "LateOutput"
    case "opened":
      return "OpenedTask"
    case "resent":
    case "command":
    case "files":
      return "Message"
    case "message":
      return first ? "FirstPrompt" : "Message"
  }
}

/** Whether the turn of an entry shows late output of the agent. */
export const isLateOutput = ({ kind }: Pick<InboxEntry, "kind">): boolean => kind === "late_output"

/** The waiting messages of a thread. */
export interface Queued {
  readonly count: number
  readonly hasSeveralAuthors: boolean
  readonly visible: ReadonlyArray<InboxEntry>
}

/** The text of a message, which its author may edit until the agent gets it. */
export type MessageText = Pick<InboxEntry, "attachments" | "content">

/** The durable queue of each thread; a message is a row before any other step. */
export class Inbox extends Context.Tag("@heddle/bot/Inbox")<
  Inbox,
  {
    /** Stores a message; false when it exists already. */
    readonly add: (entry: Omit<InboxEntry, "attempt" | "state">) => Effect.Effect<boolean>
    readonly find: (eventId: string) => Effect.Effect<Option.Option<InboxEntry>>
    /** Takes a message out of the queue with its current text; none when it no longer waits. */
    readonly begin: (eventId: string) => Effect.Effect<Option.Option<InboxEntry>>
    readonly finish: (eventId: string) => Effect.Effect<void>
    /** The unhandled entry of a thread with the files of its first prompt: it comes before all messages that wait. */
    readonly nextFiles: (threadId: string) => Effect.Effect<Option.Option<string>>
    /** Stops work on a message while its thread is closed; false when the thread is open. */
    readonly markInterrupted: (eventId: string) => Effect.Effect<boolean>
    /**
     * Reopens a thread. Returns interrupted messages, which are delivered again, and the messages that the agent never
     * got, whose authors are informed.
     */
    readonly resumeThread: (threadId: string) => Effect.Effect<{
      readonly interrupted: ReadonlyArray<InboxEntry>
      readonly neverDelivered: ReadonlyArray<InboxEntry>
    }>
    /**
     * Changes the text of a waiting message. False when it no longer waits or has this text already. Also false when
     * its text is no longer `expected`, because a reader of the new text was faster.
     */
    readonly updateText: (eventId: string, text: MessageText, expected?: MessageText) => Effect.Effect<boolean>
    /** Removes a waiting message from the queue; false when it no longer waits. */
    readonly remove: (eventId: string) => Effect.Effect<boolean>
    /**
     * The number of a thread's waiting messages, whether they have several authors, and the first ones in Discord's
     * order.
     */
    readonly queued: (threadId: string, limit: number) => Effect.Effect<Queued>
    /** Whether a message of a thread is visibly being answered without a request to stop. */
    readonly isAtWork: (threadId: string) => Effect.Effect<boolean>
    /** Whether people may see the end of a turn whose post is not stored yet. */
    readonly isEndOnItsWay: (threadId: string) => Effect.Effect<boolean>
    /** Whether more than one person has written to the task of a thread. */
    readonly hasSeveralAuthors: (threadId: string) => Effect.Effect<boolean>
    /** All unhandled messages, oldest first. */
    readonly pending: Effect.Effect<ReadonlyArray<InboxEntry>>
    /** The number of messages of a thread whose end people do not see yet. */
    readonly countWaiting: (threadId: string) => Effect.Effect<number>
  }
>() {}

export const layer = Table.layer(Inbox, (sql) =>
  Inbox.of({
    add: (entry) =>
      sql`INSERT INTO inbox ${sql.insert(toRow(entry))} ON CONFLICT (event_id) DO NOTHING RETURNING event_id`.pipe(
        Table.isAny
      ),
    find: (eventId) => sql<Row>`SELECT * FROM inbox WHERE event_id = ${eventId}`.pipe(Table.first(fromRow)),
    begin: (eventId) =>
      sql<Row>`UPDATE inbox SET state = 'running'
          WHERE event_id = ${eventId} AND state IN ('queued', 'running') RETURNING *`.pipe(Table.first(fromRow)),
    finish: (eventId) => sql`UPDATE inbox SET state = 'done' WHERE event_id = ${eventId}`.pipe(Table.write),
    nextFiles: (threadId) =>
      sql<Row>`SELECT * FROM inbox WHERE thread_id = ${threadId} AND kind = 'files' AND state IN ('queued', 'running')`.pipe(
        Table.first((row) => row.event_id)
      ),
    markInterrupted: (eventId) =>
      sql`UPDATE inbox SET state = CASE
            WHEN state NOT IN ('queued', 'running') THEN state
            WHEN kind = 'late_output' AND NOT EXISTS (SELECT 1 FROM permissions WHERE turn_id = event_id) THEN 'done'
            WHEN first = 1 OR kind = 'late_output' OR EXISTS (SELECT 1 FROM turns WHERE turn_id = event_id AND prompted = 1) THEN 'cut'
            ELSE 'closed' END
          WHERE event_id = ${eventId} AND EXISTS (
            SELECT 1 FROM threads WHERE threads.thread_id = inbox.thread_id AND closed_at IS NOT NULL)
          RETURNING event_id`.pipe(Table.isAny),
    resumeThread: (threadId) =>
      Effect.all({
        interrupted: sql<Row>`UPDATE inbox SET state = 'running', attempt = attempt + 1
            WHERE thread_id = ${threadId} AND state = 'cut' RETURNING *`,
        neverDelivered: sql<Row>`UPDATE inbox SET state = 'done'
            WHERE thread_id = ${threadId} AND state = 'closed' RETURNING *`
      }).pipe(
        Effect.orDie,
        Effect.map(({ interrupted, neverDelivered }) => ({
          interrupted: inOrder(interrupted),
          neverDelivered: inOrder(neverDelivered)
        }))
      ),
    updateText: (eventId, text, expected) => {
      const files = attachments.write(text.attachments)
      const conditions =
        expected === undefined
          ? []
          : [sql`content = ${expected.content}`, sql`attachments = ${attachments.write(expected.attachments)}`]
      return sql`UPDATE inbox SET content = ${text.content}, attachments = ${files}
          WHERE event_id = ${eventId} AND state = 'queued' AND first = 0
            AND (content <> ${text.content} OR attachments <> ${files}) AND ${sql.and(conditions)} RETURNING event_id`.pipe(
        Table.isAny
      )
    },
    remove: (eventId) =>
      sql`UPDATE inbox SET state = 'removed'
          WHERE event_id = ${eventId} AND state = 'queued' AND first = 0 RETURNING event_id`.pipe(Table.isAny),
    queued: (threadId, limit) => {
      const queuedRows = sql`FROM inbox WHERE thread_id = ${threadId} AND state = 'queued' AND kind <> 'late_output'`
      return Effect.all([
        sql<{ n: number; authors: number }>`SELECT COUNT(*) AS n, COUNT(DISTINCT author_id) AS authors ${queuedRows}`,
        limit === 0
          ? Effect.succeed([])
          : sql<Row>`SELECT * ${queuedRows} ORDER BY length(event_id), event_id LIMIT ${limit}`
      ]).pipe(
        Effect.orDie,
        Effect.map(([[counts], rows]) => ({
          count: Number(counts?.n ?? 0),
          hasSeveralAuthors: Number(counts?.authors ?? 0) > 1,
          visible: all(rows)
        }))
      )
    },
    isAtWork: (threadId) =>
      sql`SELECT 1 FROM inbox WHERE thread_id = ${threadId} AND state = 'running' AND NOT EXISTS (${endPost(sql)})
          AND NOT EXISTS (SELECT 1 FROM turns WHERE turn_id = event_id AND stop_asked = 1) LIMIT 1`.pipe(Table.isAny),
    isEndOnItsWay: (threadId) =>
      sql`SELECT 1 FROM inbox WHERE thread_id = ${threadId} AND state = 'running'
          AND EXISTS (${endPost(sql)}) AND NOT EXISTS (${endPost(sql)} AND message_id IS NOT NULL) LIMIT 1`.pipe(
        Table.isAny
      ),
    hasSeveralAuthors: (threadId) =>
      sql<{ n: number }>`SELECT COUNT(DISTINCT author_id) AS n FROM inbox
          WHERE thread_id = ${threadId} AND kind <> 'late_output'`.pipe(
        Effect.orDie,
        Effect.map((rows) => Number(rows[0]?.n ?? 0) > 1)
      ),
    pending: sql<Row>`SELECT * FROM inbox WHERE state IN ('queued', 'running')
        ORDER BY length(event_id), event_id`.pipe(Table.all(fromRow)),
    countWaiting: (threadId) =>
      sql<{ n: number }>`SELECT COUNT(*) AS n FROM inbox
          WHERE thread_id = ${threadId} AND ${isUnanswered(sql)} AND kind <> 'late_output'`.pipe(
        Effect.orDie,
        Effect.map((rows) => Number(rows[0]?.n ?? 0))
      )
  })
)

interface Row {
  readonly event_id: string
  readonly thread_id: string
  readonly kind: InboxEntry["kind"]
  readonly author_id: string
  readonly author_name: string
  readonly content: string
  readonly attachments: string
  readonly first: number
  readonly state: InboxEntry["state"]
  readonly attempt: number
  readonly late: number
  readonly received_at: number
}

const toRow = (entry: Omit<InboxEntry, "attempt" | "state">) => ({
  event_id: entry.eventId,
  thread_id: entry.threadId,
  kind: entry.kind,
  author_id: entry.authorId,
  author_name: entry.authorName,
  content: entry.content,
  attachments: attachments.write(entry.attachments),
  first: entry.first ? 1 : 0,
  state: "queued",
  late: entry.late ? 1 : 0,
  received_at: entry.receivedAt
})

const fromRow = (row: Row): InboxEntry => ({
  eventId: row.event_id,
  threadId: row.thread_id,
  kind: row.kind,
  authorId: row.author_id,
  authorName: row.author_name,
  content: row.content,
  attachments: attachments.read(row.attachments),
  first: row.first === 1,
  state: row.state,
  attempt: row.attempt,
  late: row.late === 1,
  receivedAt: Number(row.received_at)
})

const all = (rows: ReadonlyArray<Row>): ReadonlyArray<InboxEntry> => rows.map(fromRow)

/** UPDATE … RETURNING has no order. */
const inOrder = (rows: ReadonlyArray<Row>): ReadonlyArray<InboxEntry> =>
  all(rows).toSorted((a, b) => (isNewer(a.eventId, b.eventId) ? 1 : -1))
