import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import { messagesOf } from "../discord/Bucket.ts"
import { DiscordApi } from "../discord/DiscordApi.ts"
import { isGone } from "../discord/DiscordError.ts"
import { RateLimiter } from "../discord/RateLimiter.ts"
import type { Task } from "../model/Access.ts"
import { Languages } from "../store/Languages.ts"
import { Rules } from "../store/Rules.ts"
import { Shares } from "../store/Shares.ts"
import { type TaskCard, TaskCardRows } from "../store/TaskCards.ts"
import * as Access from "../view/Access.ts"
import { inLanguage } from "../view/TaskWords.ts"

/** Keeps the cards of tasks equal to the rules of their server and to whom their owner let in. */
export class TaskCards extends Context.Tag("@heddle/bot/TaskCards")<
  TaskCards,
  {
    /** Who may write to a task, in words. */
    readonly accessTo: (task: Task) => Effect.Effect<string>
    /** Has the card of every open thread brought up to date, in the language of its server; returns at once. */
    readonly refresh: Effect.Effect<void>
  }
>() {}

type Needs = DiscordApi | Languages | RateLimiter | Rules | Shares | TaskCardRows

export const layer: Layer.Layer<TaskCards, never, Needs> = Layer.scoped(
  TaskCards,
  Effect.gen(function* () {
    const context = yield* Effect.context<Needs>()
    const { open } = yield* TaskCardRows
    const asked = yield* Queue.sliding<void>(1)
    yield* Queue.take(asked).pipe(
      Effect.zipRight(open),
      Effect.flatMap((cards) => Effect.forEach(cards, refreshOne, { discard: true })),
      Effect.catchAllCause((cause) => Effect.logError("The cards could not be brought up to date", cause)),
      Effect.forever,
      Effect.forkScoped
    )
    // For changes right before the last stop, after more urgent calls.
    yield* Queue.offer(asked, undefined).pipe(Effect.delay("10 seconds"), Effect.forkScoped)
    return TaskCards.of({
      accessTo: (task) => Effect.provide(accessTo(task), context),
      refresh: Effect.asVoid(Queue.offer(asked, undefined))
    })
  })
)

const accessTo = Effect.fn("TaskCards.accessTo")(function* (task: Task) {
  const facts = { rules: yield* (yield* Rules).of(task.guildId), shares: yield* (yield* Shares).of(task.taskId) }
  return Access.onCard(task, facts, yield* (yield* Languages).ofGuild(task.guildId))
})

const refreshOne = Effect.fnUntraced(function* ({ card, task }: { readonly card: TaskCard; readonly task: Task }) {
  const api = yield* DiscordApi
  const rows = yield* TaskCardRows
  const access = yield* accessTo(task)
  const words = inLanguage(card.words, yield* (yield* Languages).ofGuild(task.guildId))
  if (access === card.access && words === card.words) return
  const since = (yield* RateLimiter).now()
  const content = wordsOf({ words, access })
  yield* api
    .withSlot({ bucket: messagesOf(card.channelId), rank: { priority: "routine", since } }, ({ edit }) =>
      edit(card.channelId, card.messageId, { content })
    )
    .pipe(
      Effect.retry({ while: (error) => error.status === 429 }),
      Effect.zipRight(rows.update(card.threadId, { access, words })),
      Effect.catchTag("DiscordError", (error) =>
        isGone(error)
          ? rows.remove(card.threadId)
          : Effect.logInfo("A card could not be brought up to date; it is tried again later", error.message)
      )
    )
})

/** What the message says. */
export const wordsOf = ({ access, words }: Pick<TaskCard, "access" | "words">): string =>
  words === "" ? access : `${words}\n${access}`
