import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import { messagesOf } from "../discord/Bucket.ts"
import { DiscordApi } from "../discord/DiscordApi.ts"
import { isGone } from "../discord/DiscordError.ts"
import { RateLimiter } from "../discord/RateLimiter.ts"
import { retryWhileRateLimited } from "../discord/RetryPolicy.ts"
import type { Task } from "../model/Access.ts"
import { AgentOfferRows } from "../store/AgentOffers.ts"
import { Languages } from "../store/Languages.ts"
import { Rules } from "../store/Rules.ts"
import { Shares } from "../store/Shares.ts"
import { type TaskHeader, TaskHeaderRows } from "../store/TaskHeaders.ts"
import { oneLine } from "../text/Truncate.ts"
import * as Access from "../view/Access.ts"
import { translateHeader } from "../view/TaskWords.ts"

/** Keeps task headers equal to the server's rules and the owner's shares. */
export class TaskHeaders extends Context.Tag("@heddle/bot/TaskHeaders")<
  TaskHeaders,
  {
    /** The text on who may write to a task. */
    readonly accessText: (task: Task) => Effect.Effect<string>
    /** Updates the headers of all open threads in the server's language; returns at once. */
    readonly refresh: Effect.Effect<void>
    /** Updates the header of one thread, such as for another mode of its agent; returns at once. */
    readonly update: (thread: Task & { readonly threadId: string }) => Effect.Effect<void>
  }
>() {}

type Requirements = AgentOfferRows | DiscordApi | Languages | RateLimiter | Rules | Shares | TaskHeaderRows

export const layer: Layer.Layer<TaskHeaders, never, Requirements> = Layer.scoped(
  TaskHeaders,
  Effect.gen(function* () {
    const context = yield* Effect.context<Requirements>()
    const { find, open } = yield* TaskHeaderRows
    const scope = yield* Effect.scope
    const refreshRequests = yield* Queue.sliding<void>(1)
    yield* Queue.take(refreshRequests).pipe(
      Effect.zipRight(open),
      Effect.flatMap((headers) => Effect.forEach(headers, (each) => refreshHeader(each, false), { discard: true })),
      Effect.catchAllCause((cause) => Effect.logError("The task headers could not be updated", cause)),
      Effect.forever,
      Effect.forkScoped
    )
    // Covers changes right before the last stop, with low priority.
    yield* Queue.offer(refreshRequests, undefined).pipe(Effect.delay("10 seconds"), Effect.forkScoped)
    return TaskHeaders.of({
      accessText: (task) => Effect.provide(accessText(task), context),
      refresh: Effect.asVoid(Queue.offer(refreshRequests, undefined)),
      update: (thread) =>
        find(thread.threadId).pipe(
          Effect.flatMap(
            Option.match({
              onNone: () => Effect.void,
              onSome: (header) => Effect.provide(refreshHeader({ header, task: thread }, true), context)
            })
          ),
          Effect.catchAllCause((cause) => Effect.logError("A task header could not be updated", cause)),
          Effect.forkIn(scope),
          Effect.asVoid
        )
    })
  })
)

const accessText = Effect.fn("TaskHeaders.accessText")(function* (task: Task) {
  const facts = { rules: yield* (yield* Rules).of(task.guildId), shares: yield* (yield* Shares).of(task.taskId) }
  const messages = yield* (yield* Languages).ofGuild(task.guildId)
  const offers = yield* AgentOfferRows
  const agent = Option.filter(yield* offers.agentOf(task.taskId), ({ isOneOfSeveral }) => isOneOfSeveral)
  const mode = Option.flatMapNullable(yield* offers.find(task.taskId), ({ offers }) => offers.mode)
  return [
    Access.accessText(task, facts, messages),
    ...Option.toArray(Option.map(agent, ({ name }) => messages.agent.headerAgent(oneLine(name, 80)))),
    ...Option.toArray(Option.map(mode, (control) => Access.modeText(control, messages)))
  ].join("\n")
})

interface Header {
  readonly header: TaskHeader
  readonly task: Task
}

/** Updates a header, at once where `skipsSpacing`; the newest text is sent, however long its slot took. */
const refreshHeader = Effect.fnUntraced(function* ({ header, task }: Header, skipsSpacing: boolean) {
  const api = yield* DiscordApi
  const rows = yield* TaskHeaderRows
  const { channelId, messageId, threadId } = header
  const change = Effect.gen(function* () {
    const shown = Option.getOrElse(yield* rows.find(threadId), () => header)
    const access = yield* accessText(task)
    const words = translateHeader(shown.words, yield* (yield* Languages).ofGuild(task.guildId))
    return access === shown.access && words === shown.words ? undefined : { access, words }
  })
  if ((yield* change) === undefined) return
  const since = (yield* RateLimiter).now()
  const rank = { priority: "routine", since, skipsSpacing } as const
  // A bucket has one call at a time, so no older text comes after a newer one.
  yield* api
    .withSlot({ bucket: messagesOf(channelId), rank }, ({ edit }, markUnused) =>
      Effect.flatMap(change, (changed) =>
        changed === undefined
          ? Effect.sync(markUnused)
          : Effect.zipRight(edit(channelId, messageId, { content: contentOf(changed) }), rows.update(threadId, changed))
      )
    )
    .pipe(
      retryWhileRateLimited,
      Effect.catchTag("DiscordError", (error) =>
        isGone(error)
          ? rows.remove(header.threadId)
          : Effect.logInfo("A task header could not be updated; the bot tries again later", error.message)
      )
    )
})

/** The content of the message. */
export const contentOf = ({ access, words }: Pick<TaskHeader, "access" | "words">): string =>
  words === "" ? access : `${words}\n${access}`
