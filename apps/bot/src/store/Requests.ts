import { EncryptionKey } from "@heddle/oauth/EncryptionKey"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type * as Redacted from "effect/Redacted"
import type { Attachment } from "../discord/DiscordEvent.ts"
import { attachments, column } from "./database/Json.ts"
import * as ReplyToken from "./database/ReplyToken.ts"
import * as Table from "./database/Table.ts"

/** A person's request for a task; each step is stored before the next one begins. */
export interface Request {
  /** The command's id, which is also the idempotency key of the task. */
  readonly requestId: string
  /** `new`: creates a task. `opened`: opens a thread for an existing task, without a prompt. */
  readonly kind: "new" | "opened"
  readonly guildId: string
  readonly channelId: string
  readonly userId: string
  /** The account of the request; undefined when none was connected or the service does not return it. */
  readonly openId: string | undefined
  /** Answers the command for 15 minutes; absent when a message requested the task. */
  readonly replyToken: Redacted.Redacted | undefined
  /** The locale of the command; absent for a message. */
  readonly locale: string | undefined
  readonly prompt: string
  readonly name: string | undefined
  /** The agent that the person wants; undefined to leave it to the settings of the server and the service. */
  readonly agent: string | undefined
  readonly attachments: ReadonlyArray<Attachment>
  /**
   * `waiting`: the person has to connect their account first. `unknown`: it is not known whether the task was created, and
   * the person decides how to go on.
   */
  readonly state: "waiting" | "starting" | "started" | "unknown" | "failed"
  /** The command is acknowledged; always true for a message. */
  readonly acknowledged: boolean
  /** The number of starts. */
  readonly attempt: number
  /** When the creation of the task was first sent, in epoch milliseconds; undefined after a refusal of the service. */
  readonly createSentAt: number | undefined
  /** The like tasks that were there before the creation was first sent; undefined where they could not be read. */
  readonly earlierTasks: ReadonlyArray<string> | undefined
  /** The agent that the creation names, empty for none; undefined until it is sent. Every repeat names the same. */
  readonly sentAgent: string | undefined
  /** The person wants the creation to be sent once more. */
  readonly sendsAgain: boolean
  readonly taskId: string | undefined
  readonly messageId: string | undefined
  readonly threadId: string | undefined
}

/** How a person goes on with a request in the state `unknown`. */
export interface Decision {
  /** Answers the click. */
  readonly replyToken: Redacted.Redacted
  /** Sends the creation once more, instead of looking for the task. */
  readonly sendsAgain: boolean
  /** The task that the person chose. */
  readonly taskId: string | undefined
}

/** The requests for tasks, until each has its thread. */
export class Requests extends Context.Tag("@heddle/bot/Requests")<
  Requests,
  {
    /**
     * Stores a request once. `messageId`: the thread opens on that message. `threadId`: the thread exists already.
     * `taskId`: that task gets a thread, and no task is created.
     */
    readonly add: (
      request: Omit<
        Request,
        "agent" | "attempt" | "createSentAt" | "earlierTasks" | "sendsAgain" | "sentAgent" | "taskId"
      > & {
        readonly agent?: string | undefined
        readonly taskId?: string
      },
      now: number
    ) => Effect.Effect<void>
    readonly find: (requestId: string) => Effect.Effect<Option.Option<Request>>
    /** Whether a message is the header of a request. */
    readonly isHeader: (messageId: string) => Effect.Effect<boolean>
    readonly recordStep: (
      requestId: string,
      step: Partial<Pick<Request, "acknowledged" | "state" | "taskId" | "messageId" | "threadId">>
    ) => Effect.Effect<void>
    /** Stores that the creation of the task is being sent, and what it names and follows, before it is. */
    readonly markCreateSent: (
      requestId: string,
      now: number,
      creation: { readonly agent: string; readonly earlierTasks: ReadonlyArray<string> | undefined }
    ) => Effect.Effect<void>
    /** The service refused the creation, so no task exists. */
    readonly clearCreateSent: (requestId: string) => Effect.Effect<void>
    /** The unfinished requests of a person whose creation was sent and whose task is not known. */
    readonly withoutTask: (userId: string) => Effect.Effect<ReadonlyArray<Request>>
    /** The ids of the tasks that belong to requests or threads of a person. */
    readonly taskIdsOf: (userId: string) => Effect.Effect<ReadonlyArray<string>>
    /** Restarts a request in the state `unknown`; none when it was restarted before. */
    readonly decide: (requestId: string, decision: Decision, now: number) => Effect.Effect<Option.Option<Request>>
    /** Restarts everything that waited for this person, unless it belongs to another account; returns what to start. */
    readonly resumeWaiting: (userId: string, openId: string | undefined) => Effect.Effect<ReadonlyArray<Request>>
    /** The request whose task is being started in this thread. */
    readonly startingIn: (threadId: string) => Effect.Effect<Option.Option<Request>>
    /** All started, unfinished requests. */
    readonly starting: Effect.Effect<ReadonlyArray<Request>>
  }
>() {}

export const layer = Table.layerWith(Requests, EncryptionKey, (sql, encryptionKey) => {
  const read = (row: Row) =>
    Effect.map(ReplyToken.open(encryptionKey, row.reply_token_enc, tokenContext(row.request_id)), (token) =>
      fromRow(row, token)
    )
  return Requests.of({
    add: Effect.fnUntraced(function* (request, now) {
      yield* sql`INSERT INTO requests ${sql.insert({
        request_id: request.requestId,
        kind: request.kind,
        guild_id: request.guildId,
        channel_id: request.channelId,
        user_id: request.userId,
        reply_token_enc: yield* ReplyToken.seal(encryptionKey, request.replyToken, tokenContext(request.requestId)),
        open_id: request.openId ?? null,
        locale: request.locale ?? null,
        prompt: request.prompt,
        name: request.name ?? null,
        agent: request.agent ?? null,
        attachments: attachments.write(request.attachments),
        state: request.state,
        acknowledged: request.acknowledged ? 1 : 0,
        attempt: 1,
        task_id: request.taskId ?? null,
        message_id: request.messageId ?? null,
        thread_id: request.threadId ?? null,
        created_at: now
      })} ON CONFLICT (request_id) DO NOTHING`
    }, Effect.orDie),
    find: (requestId) =>
      sql<Row>`SELECT * FROM requests WHERE request_id = ${requestId}`.pipe(
        Effect.orDie,
        Effect.flatMap(([row]) => Effect.transposeMapOption(Option.fromNullable(row), read))
      ),
    isHeader: (messageId) => sql`SELECT request_id FROM requests WHERE message_id = ${messageId}`.pipe(Table.isAny),
    recordStep: (requestId, step) =>
      sql`UPDATE requests SET
          state = COALESCE(${step.state ?? null}, state), task_id = COALESCE(${step.taskId ?? null}, task_id),
          message_id = COALESCE(${step.messageId ?? null}, message_id),
          acknowledged = COALESCE(${step.acknowledged === true ? 1 : null}, acknowledged),
          thread_id = COALESCE(${step.threadId ?? null}, thread_id)
          WHERE request_id = ${requestId}`.pipe(Table.write),
    markCreateSent: (requestId, now, { agent, earlierTasks }) =>
      sql`UPDATE requests SET create_sent_at = COALESCE(create_sent_at, ${now}),
          earlier_tasks = ${earlierTasks === undefined ? null : taskIds.write(earlierTasks)},
          sent_agent = COALESCE(sent_agent, ${agent}), sends_again = 0
          WHERE request_id = ${requestId}`.pipe(Table.write),
    clearCreateSent: (requestId) =>
      sql`UPDATE requests SET create_sent_at = NULL, earlier_tasks = NULL, sent_agent = NULL WHERE request_id = ${requestId}`.pipe(
        Table.write
      ),
    withoutTask: (userId) =>
      sql<Row>`SELECT * FROM requests WHERE user_id = ${userId} AND state IN ('starting', 'unknown')
          AND create_sent_at IS NOT NULL AND task_id IS NULL`.pipe(Effect.orDie, Effect.flatMap(Effect.forEach(read))),
    taskIdsOf: (userId) =>
      sql<{ readonly id: string }>`SELECT task_id AS id FROM requests WHERE user_id = ${userId} AND task_id IS NOT NULL
          UNION SELECT task_id AS id FROM threads WHERE owner_id = ${userId}`.pipe(Table.all(({ id }) => id)),
    decide: Effect.fnUntraced(function* (requestId, { replyToken, sendsAgain, taskId }, now) {
      const token = yield* ReplyToken.seal(encryptionKey, replyToken, tokenContext(requestId))
      const [row] = yield* sql<Row>`UPDATE requests SET state = 'starting', attempt = attempt + 1,
          reply_token_enc = ${token}, sends_again = ${sendsAgain ? 1 : 0}, task_id = ${taskId ?? null}, created_at = ${now}
          WHERE request_id = ${requestId} AND state = 'unknown' RETURNING *`
      return yield* Effect.transposeMapOption(Option.fromNullable(row), read)
    }, Effect.orDie),
    resumeWaiting: (userId, openId) =>
      sql<Row>`UPDATE requests SET state = 'starting', attempt = attempt + 1,
          open_id = COALESCE(open_id, ${openId ?? null})
          WHERE user_id = ${userId} AND state = 'waiting' RETURNING *`.pipe(
        Effect.orDie,
        Effect.flatMap(Effect.forEach(read))
      ),
    startingIn: (threadId) =>
      // A thread on a message has the message's id.
      sql<Row>`SELECT * FROM requests WHERE state = 'starting' AND kind = 'new'
          AND (thread_id = ${threadId} OR message_id = ${threadId}) LIMIT 1`.pipe(
        Effect.orDie,
        Effect.flatMap(([row]) => Effect.transposeMapOption(Option.fromNullable(row), read))
      ),
    starting: sql<Row>`SELECT * FROM requests WHERE state = 'starting' ORDER BY created_at`.pipe(
      Effect.orDie,
      Effect.flatMap(Effect.forEach(read))
    )
  })
})

interface Row {
  readonly request_id: string
  readonly kind: Request["kind"]
  readonly guild_id: string
  readonly channel_id: string
  readonly user_id: string
  readonly reply_token_enc: string
  readonly open_id: string | null
  readonly locale: string | null
  readonly prompt: string
  readonly name: string | null
  readonly agent: string | null
  readonly attachments: string
  readonly state: Request["state"]
  readonly acknowledged: number
  readonly attempt: number
  readonly create_sent_at: number | null
  readonly earlier_tasks: string | null
  readonly sent_agent: string | null
  readonly sends_again: number
  readonly task_id: string | null
  readonly message_id: string | null
  readonly thread_id: string | null
}

const taskIds = column(Schema.Array(Schema.String))

/** The id binds a token to its request. */
const tokenContext = (requestId: string): string => `requests ${requestId}`

const fromRow = (row: Row, replyToken: Redacted.Redacted | undefined): Request => ({
  requestId: row.request_id,
  kind: row.kind,
  guildId: row.guild_id,
  channelId: row.channel_id,
  userId: row.user_id,
  openId: row.open_id ?? undefined,
  replyToken,
  locale: row.locale ?? undefined,
  prompt: row.prompt,
  name: row.name ?? undefined,
  agent: row.agent ?? undefined,
  attachments: attachments.read(row.attachments),
  state: row.state,
  acknowledged: row.acknowledged === 1,
  attempt: Number(row.attempt),
  createSentAt: row.create_sent_at === null ? undefined : Number(row.create_sent_at),
  earlierTasks: row.earlier_tasks === null ? undefined : taskIds.read(row.earlier_tasks),
  sentAgent: row.sent_agent ?? undefined,
  sendsAgain: row.sends_again === 1,
  taskId: row.task_id ?? undefined,
  messageId: row.message_id ?? undefined,
  threadId: row.thread_id ?? undefined
})
