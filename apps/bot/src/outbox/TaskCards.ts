import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import { messagesOf } from "../discord/Bucket.ts"
import { DiscordApi } from "../discord/DiscordApi.ts"
import { isGone } from "../discord/DiscordError.ts"
import { RateLimiter } from "../discord/RateLimiter.ts"
import { retryWhileRateLimited } from "../discord/RetryPolicy.ts"
import type { Task } from "../model/Access.ts"
import { Languages } from "../store/Languages.ts"
import { Rules } from "../store/Rules.ts"
import { Shares } from "../store/Shares.ts"
import { type TaskCard, TaskCardRows } from "../store/TaskCards.ts"
import * as Access from "../view/Access.ts"
import { translateCard } from "../view/TaskWords.ts"

/** Keeps task cards equal to the server's rules and the owner's shares. */
export class TaskCards extends Context.Tag("@heddle/bot/TaskCards")<
  TaskCards,
  {
    /** The text on who may write to a task. */
    readonly accessText: (task: Task) => Effect.Effect<string>
    /** Updates the cards of all open threads in the server's language; returns at once. */
    readonly refresh: Effect.Effect<void>
  }
>() {}

type Requirements = DiscordApi | Languages | RateLimiter | Rules | Shares | TaskCardRows

export const layer: Layer.Layer<TaskCards, never, Requirements> = Layer.scoped(
  TaskCards,
  Effect.gen(function* () {
    const context = yield* Effect.context<Requirements>()
    const { open } = yield* TaskCardRows
    const refreshRequests = yield* Queue.sliding<void>(1)
    yield* Queue.take(refreshRequests).pipe(
      Effect.zipRight(open),
      Effect.flatMap((cards) => Effect.forEach(cards, refreshCard, { discard: true })),
      Effect.catchAllCause((cause) => Effect.logError("The cards could not be brought up to date", cause)),
      Effect.forever,
      Effect.forkScoped
    )
    // Covers changes right before the last stop, with low priority.
    yield* Queue.offer(refreshRequests, undefined).pipe(Effect.delay("10 seconds"), Effect.forkScoped)
    return TaskCards.of({
      accessText: (task) => Effect.provide(accessText(task), context),
      refresh: Effect.asVoid(Queue.offer(refreshRequests, undefined))
    })
  })
)

const accessText = Effect.fn("TaskCards.accessText")(function* (task: Task) {
  const facts = { rules: yield* (yield* Rules).of(task.guildId), shares: yield* (yield* Shares).of(task.taskId) }
  return Access.accessText(task, facts, yield* (yield* Languages).ofGuild(task.guildId))
})

const refreshCard = Effect.fnUntraced(function* ({ card, task }: { readonly card: TaskCard; readonly task: Task }) {
  const api = yield* DiscordApi
  const rows = yield* TaskCardRows
  const access = yield* accessText(task)
  const words = translateCard(card.words, yield* (yield* Languages).ofGuild(task.guildId))
  if (access === card.access && words === card.words) return
  const since = (yield* RateLimiter).now()
  const content = contentOf({ words, access })
  yield* api
    .withSlot({ bucket: messagesOf(card.channelId), rank: { priority: "routine", since } }, ({ edit }) =>
      edit(card.channelId, card.messageId, { content })
    )
    .pipe(
      retryWhileRateLimited,
      Effect.zipRight(rows.update(card.threadId, { access, words })),
      Effect.catchTag("DiscordError", (error) =>
        isGone(error)
          ? rows.remove(card.threadId)
          : Effect.logInfo("A card could not be brought up to date; it is tried again later", error.message)
      )
    )
})

/** The content of the message. */
export const contentOf = ({ access, words }: Pick<TaskCard, "access" | "words">): string =>
  words === "" ? access : `${words}\n${access}`
