import * as SqlClient from "@effect/sql/SqlClient"
import type { Fragment } from "@effect/sql/Statement"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { column, recordOf } from "./database/Json.ts"
import { AssistantQuestion, type Draft } from "../model/AssistantQuestion.ts"
import * as Table from "./database/Table.ts"

/** A thread in which a person talks to the assistant on their own computer. */
export interface Chat {
  readonly threadId: string
  readonly ownerId: string
  readonly guildId: string
  readonly channelId: string
  /** The account of the assistant; undefined when the service does not return it. */
  readonly openId: string | undefined
  /** The last shown message of the conversation; undefined before the first sent message. */
  readonly cursor: string | undefined
  /** The last Discord message that was read in the thread. */
  readonly lastSeenId: string
  /** The last Discord message that the bot wrote in the thread. */
  readonly lastPostId: string
  /** The end of polling for replies. */
  readonly activeUntil: number
}

/** A person's message to the assistant. */
export interface ChatEntry {
  /** The message's id, which is also the idempotency key. */
  readonly eventId: string
  readonly threadId: string
  readonly content: string
  /** When it was first sent, in epoch milliseconds; undefined before. */
  readonly sentAt: number | undefined
}

/** A question of the assistant in a thread. */
export interface ChatQuestion {
  readonly questionId: string
  readonly threadId: string
  readonly question: AssistantQuestion
  readonly draft: Draft
  /** `closing`: its time is over, and its card may not say so yet. */
  readonly state: "answered" | "closing" | "expired" | "open" | "refused"
  /** The message that shows it; undefined before. */
  readonly postId: string | undefined
  readonly guildId: string
  /** The owner and the account of the chat, as in {@link Chat}. */
  readonly ownerId: string
  readonly openId: string | undefined
  /** The chat has ended. */
  readonly hasEnded: boolean
}

/** The chats with local assistants, their messages and their questions. */
export class Chats extends Context.Tag("@heddle/bot/Chats")<
  Chats,
  {
    readonly open: (chat: Omit<Chat, "cursor" | "lastPostId">, now: number) => Effect.Effect<void>
    /** The open chat of a thread. */
    readonly find: (threadId: string) => Effect.Effect<Option.Option<Chat>>
    /** The newest chat of a person in a server. */
    readonly ofPerson: (ownerId: string, guildId: string) => Effect.Effect<Option.Option<Chat>>
    readonly all: Effect.Effect<ReadonlyArray<Chat>>
    readonly close: (threadId: string, now: number) => Effect.Effect<void>
    /** Adds a message; false when it exists already. */
    readonly addMessage: (entry: Omit<ChatEntry, "sentAt">, activeUntil: number) => Effect.Effect<boolean>
    readonly markSeen: (threadId: string, messageId: string) => Effect.Effect<void>
    /** The messages to send, oldest first. */
    readonly queued: (threadId: string) => Effect.Effect<ReadonlyArray<ChatEntry>>
    /** Stores that an entry is being sent, before it is. */
    readonly markSending: (entry: ChatEntry, now: number) => Effect.Effect<void>
    /** Remembers a message of the conversation that a command sent, or that was there before another was sent. */
    readonly rememberMessage: (eventId: string, messageId: string) => Effect.Effect<void>
    /** Whether a message of the conversation was sent from here or is remembered, so that it is not a lost one. */
    readonly isRemembered: (messageId: string) => Effect.Effect<boolean>
    /** Marks an entry as sent. The sent message begins a conversation that was not followed yet. */
    readonly markSent: (entry: ChatEntry, messageId: string | undefined) => Effect.Effect<void>
    /** Everything up to this message of the conversation is shown; `postId` is its Discord message. */
    readonly markShown: (threadId: string, cursor: string, postId: string | undefined) => Effect.Effect<void>
    readonly addQuestion: (question: Pick<ChatQuestion, "question" | "questionId" | "threadId">) => Effect.Effect<void>
    readonly setQuestionPost: (questionId: string, postId: string) => Effect.Effect<void>
    /** The open and closing questions with a post that say until when the assistant waits. */
    readonly questionsWithDeadline: Effect.Effect<ReadonlyArray<ChatQuestion>>
    /** Begins to close a question whose time is over; false when it is neither open nor closing. */
    readonly expire: (questionId: string) => Effect.Effect<boolean>
    /** The card of a closing question says that its time is over. */
    readonly markExpired: (questionId: string) => Effect.Effect<void>
    readonly question: (questionId: string) => Effect.Effect<Option.Option<ChatQuestion>>
    /** Changes an open question; one that is over stays as it is. */
    readonly answer: (questionId: string, change: Pick<ChatQuestion, "draft" | "state">) => Effect.Effect<void>
  }
>() {}

export const layer = Table.layer(Chats, (sql) =>
  Chats.of({
    open: (chat, now) =>
      sql`INSERT INTO assistant_chats ${sql.insert(toRow(chat, now))} ON CONFLICT (thread_id) DO NOTHING`.pipe(
        Table.write
      ),
    find: (threadId) =>
      sql<ChatRow>`SELECT * FROM assistant_chats WHERE thread_id = ${threadId} AND closed_at IS NULL`.pipe(
        Table.first(chatOf)
      ),
    ofPerson: (ownerId, guildId) =>
      sql<ChatRow>`SELECT * FROM assistant_chats WHERE owner_id = ${ownerId} AND guild_id = ${guildId}
          AND closed_at IS NULL ORDER BY created_at DESC LIMIT 1`.pipe(Table.first(chatOf)),
    all: sql<ChatRow>`SELECT * FROM assistant_chats WHERE closed_at IS NULL`.pipe(Table.all(chatOf)),
    close: (threadId, now) =>
      sql`UPDATE assistant_chats SET closed_at = ${now} WHERE thread_id = ${threadId}`.pipe(Table.write),
    addMessage: ({ content, eventId, threadId }, activeUntil) =>
      sql
        .withTransaction(
          Effect.gen(function* () {
            const inserted = yield* sql`INSERT INTO assistant_inbox ${sql.insert({
              event_id: eventId,
              thread_id: threadId,
              content,
              sent: 0
            })} ON CONFLICT (event_id) DO NOTHING RETURNING event_id`
            yield* sql`UPDATE assistant_chats SET active_until = ${activeUntil} WHERE thread_id = ${threadId}`
            yield* markSeen(sql, threadId, eventId)
            return inserted.length > 0
          })
        )
        .pipe(Effect.orDie),
    markSeen: (threadId, messageId) => Effect.orDie(markSeen(sql, threadId, messageId)),
    queued: (threadId) =>
      sql<EntryRow>`SELECT event_id, thread_id, content, sent_at FROM assistant_inbox
          WHERE thread_id = ${threadId} AND sent = 0 ORDER BY length(event_id), event_id`.pipe(
        Table.all((row) => ({
          eventId: row.event_id,
          threadId: row.thread_id,
          content: row.content,
          sentAt: row.sent_at === null ? undefined : Number(row.sent_at)
        }))
      ),
    markSending: ({ eventId }, now) =>
      sql`UPDATE assistant_inbox SET sent_at = COALESCE(sent_at, ${now}) WHERE event_id = ${eventId}`.pipe(Table.write),
    rememberMessage: (eventId, messageId) =>
      sql`INSERT INTO assistant_inbox ${sql.insert({
        event_id: eventId,
        thread_id: "",
        content: "",
        sent: 1,
        message_id: messageId
      })} ON CONFLICT (event_id) DO NOTHING`.pipe(Table.write),
    isRemembered: (messageId) =>
      sql`SELECT event_id FROM assistant_inbox WHERE message_id = ${messageId}`.pipe(Table.isAny),
    // Afterwards the service has the text.
    markSent: ({ eventId, threadId }, messageId) =>
      sql
        .withTransaction(
          Effect.zipRight(
            sql`UPDATE assistant_inbox SET sent = 1, content = '', message_id = ${messageId ?? null}
                WHERE event_id = ${eventId}`,
            sql`UPDATE assistant_chats SET cursor = COALESCE(cursor, ${messageId ?? null})
                WHERE thread_id = ${threadId}`
          )
        )
        .pipe(Table.write),
    markShown: (threadId, cursor, postId) =>
      sql`UPDATE assistant_chats SET cursor = ${cursor}, last_post_id = COALESCE(${postId ?? null}, last_post_id)
          WHERE thread_id = ${threadId}`.pipe(Table.write),
    addQuestion: ({ question, questionId, threadId }) =>
      sql`INSERT INTO assistant_questions ${sql.insert({
        question_id: questionId,
        thread_id: threadId,
        question: questionColumn.write(question),
        draft: "{}",
        state: "open"
      })} ON CONFLICT (question_id) DO NOTHING`.pipe(Table.write),
    setQuestionPost: (questionId, postId) =>
      sql`UPDATE assistant_questions SET post_id = ${postId} WHERE question_id = ${questionId}`.pipe(Table.write),
    questionsWithDeadline:
      sql<QuestionRow>`${questions(sql)} WHERE q.state IN ('open', 'closing') AND q.post_id IS NOT NULL
          AND json_extract(q.question, '$.expiresAt') IS NOT NULL`.pipe(Table.all(questionOf)),
    expire: (questionId) =>
      sql`UPDATE assistant_questions SET state = 'closing'
          WHERE question_id = ${questionId} AND state IN ('open', 'closing') RETURNING question_id`.pipe(Table.isAny),
    markExpired: (questionId) =>
      sql`UPDATE assistant_questions SET state = 'expired'
          WHERE question_id = ${questionId} AND state = 'closing'`.pipe(Table.write),
    question: (questionId) =>
      sql<QuestionRow>`${questions(sql)} WHERE q.question_id = ${questionId}`.pipe(Table.first(questionOf)),
    answer: (questionId, { draft, state }) =>
      sql`UPDATE assistant_questions SET draft = ${draftColumn.write(draft)}, state = ${state}
          WHERE question_id = ${questionId} AND state = 'open'`.pipe(Table.write)
  })
)

const questions = (sql: SqlClient.SqlClient): Fragment =>
  sql`SELECT q.*, c.owner_id, c.guild_id, c.open_id, c.closed_at FROM assistant_questions q
      JOIN assistant_chats c ON c.thread_id = q.thread_id`

// Ids have 17 to 19 digits: the longer, or at equal length the larger one is newer.
const markSeen = (sql: SqlClient.SqlClient, threadId: string, messageId: string) =>
  Effect.asVoid(sql`UPDATE assistant_chats SET last_seen_id = ${messageId} WHERE thread_id = ${threadId} AND (
    length(last_seen_id) < length(${messageId})
    OR (length(last_seen_id) = length(${messageId}) AND last_seen_id < ${messageId}))`)

interface ChatRow {
  readonly thread_id: string
  readonly owner_id: string
  readonly guild_id: string
  readonly channel_id: string
  readonly open_id: string | null
  readonly cursor: string | null
  readonly last_seen_id: string
  readonly last_post_id: string
  readonly active_until: number
}

const toRow = (chat: Omit<Chat, "cursor" | "lastPostId">, now: number) => ({
  thread_id: chat.threadId,
  owner_id: chat.ownerId,
  guild_id: chat.guildId,
  channel_id: chat.channelId,
  open_id: chat.openId ?? null,
  last_seen_id: chat.lastSeenId,
  last_post_id: chat.lastSeenId,
  active_until: chat.activeUntil,
  created_at: now
})

const chatOf = (row: ChatRow): Chat => ({
  threadId: row.thread_id,
  ownerId: row.owner_id,
  guildId: row.guild_id,
  channelId: row.channel_id,
  openId: row.open_id ?? undefined,
  cursor: row.cursor ?? undefined,
  lastSeenId: row.last_seen_id,
  lastPostId: row.last_post_id,
  activeUntil: Number(row.active_until)
})

interface EntryRow {
  readonly event_id: string
  readonly thread_id: string
  readonly content: string
  readonly sent_at: number | null
}

interface QuestionRow {
  readonly question_id: string
  readonly thread_id: string
  readonly question: string
  readonly draft: string
  readonly state: ChatQuestion["state"]
  readonly post_id: string | null
  readonly guild_id: string
  readonly owner_id: string
  readonly open_id: string | null
  readonly closed_at: number | null
}

const questionOf = (row: QuestionRow): ChatQuestion => ({
  questionId: row.question_id,
  threadId: row.thread_id,
  question: questionColumn.read(row.question),
  draft: draftColumn.read(row.draft),
  state: row.state,
  postId: row.post_id ?? undefined,
  guildId: row.guild_id,
  ownerId: row.owner_id,
  openId: row.open_id ?? undefined,
  hasEnded: row.closed_at !== null
})

const questionColumn = column(AssistantQuestion)
const draftColumn = column(recordOf(Schema.Array(Schema.Number)))
