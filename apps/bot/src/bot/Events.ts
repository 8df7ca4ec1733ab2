import * as RetryPolicy from "@heddle/core/RetryPolicy"
import * as Arr from "effect/Array"
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import { unify } from "effect/Unify"
import { byTag, orElse, around, via } from "../access/Guard.ts"
import { Members } from "../access/Members.ts"
import { Conversations } from "../assistant/Conversations.ts"
import * as ChatMessages from "../assistant/ChatMessages.ts"
import * as Dispatch from "../commands/Dispatch.ts"
import * as Register from "../commands/Register.ts"
import { DiscordClient } from "../discord/DiscordClient.ts"
import type { UserEvent, SystemEvent, DiscordEvent, IncomingMessage } from "../discord/DiscordEvent.ts"
import * as RetrySchedules from "../concurrency/RetrySchedules.ts"
import { Watchdog } from "../concurrency/Watchdog.ts"
import * as StartChecks from "../operate/StartChecks.ts"
import { retryWhileStoreFails } from "../store/database/RetryPolicy.ts"
import * as CatchUp from "../intake/CatchUp.ts"
import { HandledMessages } from "../store/HandledMessages.ts"
import { ChannelQueue } from "../concurrency/ChannelQueue.ts"
import * as Backfill from "../intake/Backfill.ts"
import * as Receive from "../intake/Receive.ts"
import * as StartHere from "../intake/StartHere.ts"

/** The dependencies of the handlers besides the services. */
interface HandlerContext {
  /** Runs work at once, outside the order of its channel. */
  readonly concurrent: FiberSet.FiberSet<void>
  readonly unread: Backfill.UnreadThreads
  /** Completes when the first guild has the bot's commands. */
  readonly registered: Deferred.Deferred<void>
}

/**
 * Handles Discord events until the scope ends. Each channel's events are handled in order. Interactions are handled at
 * once, since Discord expects an answer within three seconds.
 */
export const run = Effect.gen(function* () {
  const { events } = yield* DiscordClient
  const queue = yield* ChannelQueue
  const concurrent = yield* FiberSet.make<void>()
  const registered = yield* Deferred.make<void>()
  // Commands in progress may finish, within a short limit.
  yield* Effect.addFinalizer(() => Effect.timeoutOption(FiberSet.awaitEmpty(concurrent), "1500 millis"))
  yield* Effect.addFinalizer(() => queue.end)
  const handle = handlerOf({ concurrent, unread: Backfill.makeUnreadThreads(), registered })
  yield* CatchUp.resumeStored
  yield* Queue.take(events).pipe(
    Effect.flatMap((event) => logFailures("event", handle(event))),
    Effect.forever,
    Effect.forkScoped
  )
  return { commandsRegistered: Deferred.await(registered) }
})

const handlerOf = (context: HandlerContext) => {
  // One shared function, because the queue batches messages by function identity.
  const batch = makeBatch(context)
  const interaction = around(Dispatch.interaction, (_, handled) => runConcurrently(context, "interaction", handled))
  /** Every kind of event that people cause has a guarded handler; another handler does not compile. */
  const handleUserEvent = byTag<UserEvent>()({
    Autocomplete: interaction,
    SlashCommand: interaction,
    Message: around(outsideTasks, ({ message }, handled) => onMessage(context, batch, message, handled)),
    MessageEdited: around(edited, ({ message }, handled) => onChange(context, message.channelId, handled)),
    MessageCommand: interaction,
    MessagesDeleted: around(Receive.onDelete, ({ channelId }, handled) => onChange(context, channelId, handled)),
    UnknownInteraction: interaction,
    ComponentOrModalSubmit: interaction
  })
  return (event: DiscordEvent) => {
    switch (event._tag) {
      case "GuildAvailable":
      case "PermissionsChanged":
      case "Ready":
      case "ThreadGone":
      case "ThreadUnlocked":
        return Effect.asVoid(onSystemEvent(context, event))
      default:
        return Effect.asVoid(unify(handleUserEvent(event)))
    }
  }
}

const onSystemEvent = Effect.fnUntraced(function* (context: HandlerContext, event: SystemEvent) {
  switch (event._tag) {
    case "Ready": {
      // Record the backfill before later events are handled.
      yield* retryWhileStoreFails("What was missed", Effect.zipRight(ChatMessages.readMissed, CatchUp.reopenAll()))
      const archived = yield* retryWhileStoreFails("What was missed", CatchUp.readMissedInThreads(context.unread))
      yield* retryWhileStoreFails("What was missed", CatchUp.readMissedInChannels(event.written))
      yield* FiberSet.run(context.concurrent, logFailures("waiting messages", CatchUp.refreshQueued))
      return yield* FiberSet.run(context.concurrent, logFailures("archived threads", archived))
    }
    case "GuildAvailable":
      return yield* FiberSet.run(context.concurrent, logFailures("register commands", register(context, event.guildId)))
    case "ThreadGone":
      // Keeps its order behind earlier messages, and runs before an unlock of the thread.
      return yield* inOrder(
        event.threadId,
        Effect.zipRight(Backfill.closeThread(event.threadId), closeChat(event.threadId))
      )
    case "ThreadUnlocked":
      return yield* inOrder(event.threadId, Backfill.reopenIfWritable(event.threadId))
    case "PermissionsChanged":
      return yield* CatchUp.reopenAll(event.guildId)
  }
})

const register = ({ registered }: HandlerContext, guildId: string) =>
  Effect.zipRight(
    Effect.zipRight(StartChecks.permissions(guildId), Register.register(guildId)),
    Deferred.succeed(registered, undefined)
  )

const onMessage = Effect.fnUntraced(function* (
  context: HandlerContext,
  batch: ReturnType<typeof makeBatch>,
  message: IncomingMessage,
  handleOutsideTasks: OutsideTasks
) {
  const markHandled = yield* (yield* HandledMessages).register(message.id)
  const { authorId, place, roleIds } = message
  if (place !== undefined) yield* (yield* Members).observe(place.guildId, authorId, roleIds)
  // A request to stop must not wait behind queued messages.
  if (Receive.isStop(message)) yield* runConcurrently(context, "stop", withRetry(Receive.stopAtOnce(message)))
  const queue = yield* ChannelQueue
  return yield* queue.addToBatch(message.channelId, { message, markHandled, handleOutsideTasks }, batch)
})

/** Handles edits and deletions in the order of their channel; replies about them run outside it. */
const onChange = <A, E, E2, R, R2>(
  context: HandlerContext,
  channelId: string,
  handled: Effect.Effect<Effect.Effect<A, E, R>, E2, R2>
) =>
  inOrder(
    channelId,
    Effect.flatMap(handled, (reply) => runConcurrently(context, "reply", withRetry(reply)))
  )

/** Handles one channel's batch of messages, oldest first, in shared transactions. */
const takeBatch = Effect.fnUntraced(function* (
  context: HandlerContext,
  channelId: string,
  batch: ReadonlyArray<Incoming>
) {
  yield* Backfill.reopenIfWritable(channelId)
  yield* context.unread.readIfUnread(channelId)
  const messages = batch.map(messageOf)
  const received = yield* Receive.receive(messages[0]?.place?.guildId, messages)
  for (const [{ handleOutsideTasks }, { sendReply, isTaskThread, deliver }] of Arr.zip(batch, received)) {
    yield* deliver
    const reply = isTaskThread ? sendReply : unify(yield* handleOutsideTasks)
    yield* runConcurrently(context, "reply", withRetry(unify(reply)))
  }
})

const takeOrSplit = (context: HandlerContext, channelId: string, batch: ReadonlyArray<Incoming>) =>
  Effect.catchAllCause(retryWhileStoreFails("Messages", takeBatch(context, channelId, batch)), (cause) =>
    Cause.isInterrupted(cause)
      ? Effect.failCause(cause)
      : // A message that fails must not block the others.
        Effect.forEach(batch, (one) => logFailures("message", withRetry(takeBatch(context, channelId, [one]))), {
          discard: true
        })
  )

const makeBatch = (context: HandlerContext) => (batch: ReadonlyArray<Incoming>) => {
  const channelId = batch[0]?.message.channelId ?? ""
  return watched(
    channelId,
    Effect.zipRight(
      logFailures("message", takeOrSplit(context, channelId, batch)),
      Effect.forEach(batch, ({ markHandled }) => markHandled, { discard: true })
    )
  )
}

const watched = <A, E, R>(channelId: string, effect: Effect.Effect<A, E, R>) =>
  Effect.flatMap(Watchdog, ({ during }) => during(`What happens in channel ${channelId}`, effect))

/** Runs at once, outside the order of the channel. */
const runConcurrently = <E, R>({ concurrent }: HandlerContext, what: string, effect: Effect.Effect<unknown, E, R>) =>
  Effect.flatMap(Watchdog, ({ during }) => FiberSet.run(concurrent, during(`A ${what}`, logFailures(what, effect))))

const inOrder = <E, R>(channelId: string, effect: Effect.Effect<unknown, E, R>) =>
  Effect.flatMap(ChannelQueue, (queue) =>
    queue.add(channelId, watched(channelId, logFailures("message", withRetry(effect))))
  )

const closeChat = (threadId: string) => Effect.flatMap(Conversations, (chatting) => chatting.close(threadId))

type OutsideTasks = ReturnType<typeof outsideTasks>

/** A message to handle. */
interface Incoming {
  readonly message: IncomingMessage
  /** Records that the message was handled. */
  readonly markHandled: Effect.Effect<void>
  /** Handles a message outside of task threads. */
  readonly handleOutsideTasks: OutsideTasks
}

const messageOf = ({ message }: { readonly message: IncomingMessage }) => message

/** In a thread without a task, a message belongs to a chat or requests a task. */
const outsideTasks = orElse(
  via(ChatMessages.receive, messageOf, (isInChat) =>
    Effect.succeed(isInChat ? Option.some(Effect.void) : Option.none())
  ),
  via(StartHere.fromMessage, messageOf, (reply) => Effect.succeed(reply))
)
const edited = via(Receive.onEdit, messageOf, (reply) => Effect.succeed(reply))

/** Retries an unexpected failure up to 5 times and a store failure without limit. The channel waits meanwhile. */
const withRetry = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  retryWhileStoreFails("An event", effect).pipe(
    Effect.sandbox,
    Effect.tapError((cause) =>
      Cause.isInterrupted(cause) ? Effect.void : Effect.logWarning("An event is handled again", cause)
    ),
    RetryPolicy.retryIf((cause) => !Cause.isInterrupted(cause), RetrySchedules.event),
    Effect.unsandbox
  )

/** A failed event does not end event handling. */
const logFailures = <A, E, R>(what: string, effect: Effect.Effect<A, E, R>): Effect.Effect<void, never, R> =>
  effect.pipe(
    Effect.asVoid,
    Effect.catchAllCause((cause) =>
      Cause.isInterruptedOnly(cause) ? Effect.interrupt : Effect.logError(`Handling a ${what} failed`, cause)
    )
  )
