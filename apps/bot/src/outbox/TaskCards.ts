import * as SqlClient from "@effect/sql/SqlClient"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import { DiscordApi } from "../discord/DiscordApi.ts"
import { isGone } from "../discord/DiscordError.ts"
import { RateLimiter } from "../discord/RateLimiter.ts"
import { Languages } from "../store/Languages.ts"
import * as Access from "../view/Access.ts"
import { inLanguage } from "../view/TaskWords.ts"
import type { Task } from "../model/Access.ts"
import { Rules } from "../store/Rules.ts"
import { Shares } from "../store/Shares.ts"

/** The message that tells of a task who is charged for it and who may write to it. */
export interface TaskCard {
  readonly threadId: string
  /** Where the message is: in the channel, or in the thread itself. */
  readonly channelId: string
  readonly messageId: string
  /** What it says besides. */
  readonly words: string
  /** Who may write, as it was said last. */
  readonly access: string
}

/** The cards of tasks, which follow the rules and shares. */
export class TaskCards extends Context.Tag("@heddle/bot/TaskCards")<
  TaskCards,
  {
    /** Who may write to a task, in words. */
    readonly accessTo: (task: Task) => Effect.Effect<string>
    readonly add: (card: TaskCard) => Effect.Effect<void>
    readonly find: (threadId: string) => Effect.Effect<Option.Option<TaskCard>>
    /** Has every card of an open thread say who may write now, in the language of its server; returns before they do. */
    readonly refresh: Effect.Effect<void>
  }
>() {}

export const layer: Layer.Layer<
  TaskCards,
  never,
  DiscordApi | Languages | RateLimiter | Rules | Shares | SqlClient.SqlClient
> = Layer.scoped(
  TaskCards,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const api = yield* DiscordApi
    const rules = yield* Rules
    const shares = yield* Shares
    const languages = yield* Languages
    const { now } = yield* RateLimiter
    const asked = yield* Queue.sliding<void>(1)

    const accessTo = Effect.fn("TaskCards.accessTo")(function* (task: Task) {
      const facts = { rules: yield* rules.of(task.guildId), shares: yield* shares.of(task.taskId) }
      return Access.onCard(task, facts, yield* languages.ofGuild(task.guildId))
    })

    /** Cards of threads that nobody can write in are left as they are. */
    const open = sql<Row & TaskRow>`SELECT task_cards.*, threads.task_id, threads.guild_id, threads.owner_id,
        threads.channel_id AS task_channel_id
      FROM task_cards JOIN threads ON threads.thread_id = task_cards.thread_id
      WHERE threads.closed_at IS NULL ORDER BY task_cards.thread_id DESC`.pipe(Effect.orDie)

    const refreshOne = Effect.fnUntraced(function* (row: Row & TaskRow) {
      const card = fromRow(row)
      const { guild_id: guildId, owner_id: ownerId, task_channel_id: channelId, task_id: taskId } = row
      const access = yield* accessTo({ taskId, guildId, ownerId, channelId })
      const words = inLanguage(card.words, yield* languages.ofGuild(guildId))
      if (access === card.access && words === card.words) return
      const since = now()
      const content = wordsOf({ words, access })
      yield* api
        .turn(
          card.channelId,
          () => ({ priority: "routine", since }),
          ({ edit }) => edit(card.channelId, card.messageId, { content })
        )
        .pipe(
          Effect.retry({ while: (error) => error.status === 429 }),
          Effect.zipRight(
            sql`UPDATE task_cards SET access = ${access}, words = ${words} WHERE thread_id = ${card.threadId}`
          ),
          Effect.asVoid,
          Effect.catchTag("DiscordError", (error) =>
            isGone(error)
              ? Effect.asVoid(sql`DELETE FROM task_cards WHERE thread_id = ${card.threadId}`)
              : Effect.logInfo("A card could not be brought up to date; it is tried again later", error.message)
          ),
          Effect.orDie
        )
    })
    yield* Queue.take(asked).pipe(
      Effect.zipRight(open),
      Effect.flatMap((rows) => Effect.forEach(rows, refreshOne, { discard: true })),
      Effect.catchAllCause((cause) => Effect.logError("The cards could not be brought up to date", cause)),
      Effect.forever,
      Effect.forkScoped
    )
    // What changed right before a stop; what was missed meanwhile comes first.
    yield* Queue.offer(asked, undefined).pipe(Effect.delay("10 seconds"), Effect.forkScoped)

    return TaskCards.of({
      accessTo,
      add: (card) =>
        sql`INSERT INTO task_cards ${sql.insert({
          thread_id: card.threadId,
          channel_id: card.channelId,
          message_id: card.messageId,
          words: card.words,
          access: card.access
        })} ON CONFLICT (thread_id) DO NOTHING`.pipe(Effect.orDie, Effect.asVoid),
      find: (threadId) =>
        sql<Row>`SELECT * FROM task_cards WHERE thread_id = ${threadId}`.pipe(
          Effect.orDie,
          Effect.map((rows) => Option.map(Option.fromNullable(rows[0]), fromRow))
        ),
      refresh: Effect.asVoid(Queue.offer(asked, undefined))
    })
  })
)

/** What the message says. */
export const wordsOf = ({ access, words }: Pick<TaskCard, "access" | "words">): string =>
  words === "" ? access : `${words}\n${access}`

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

const fromRow = (row: Row): TaskCard => ({
  threadId: row.thread_id,
  channelId: row.channel_id,
  messageId: row.message_id,
  words: row.words,
  access: row.access
})
