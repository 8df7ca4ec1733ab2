import * as Arr from "effect/Array"
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import * as Schedule from "effect/Schedule"
import { unify } from "effect/Unify"
import { byTag, orElse, timed, via } from "../access/Guarded.ts"
import { Members } from "../access/Members.ts"
import { Conversations } from "../assistant/Conversations.ts"
import * as ChatMessages from "../assistant/ChatMessages.ts"
import * as Dispatch from "../commands/Dispatch.ts"
import * as Register from "../commands/Register.ts"
import { DiscordClient } from "../discord/DiscordClient.ts"
import type { ByPeople, BySystem, DiscordEvent, IncomingMessage } from "../discord/DiscordEvent.ts"
import { Watchdog } from "../concurrency/Watchdog.ts"
import * as StartChecks from "../operate/StartChecks.ts"
import { retryWhileStoreFails } from "../store/database/RetryPolicy.ts"
import * as CatchUp from "../intake/CatchUp.ts"
import { Channels } from "../store/Channels.ts"
import { ChannelQueue } from "../concurrency/ChannelQueue.ts"
import * as Backfill from "../intake/Backfill.ts"
import * as Receive from "../intake/Receive.ts"
import * as Reopening from "../intake/Reopening.ts"
import * as StartHere from "../intake/StartHere.ts"

/** The dependencies of the handlers besides the services. */
interface Handling {
  /** Runs work at once, outside the order of its channel. */
  readonly atOnce: FiberSet.FiberSet<void>
  readonly unread: CatchUp.Unread
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
  const atOnce = yield* FiberSet.make<void>()
  const registered = yield* Deferred.make<void>()
  // Commands in progress may finish, within a short limit.
  yield* Effect.addFinalizer(() => Effect.timeoutOption(FiberSet.awaitEmpty(atOnce), "1500 millis"))
  yield* Effect.addFinalizer(() => queue.end)
  const handle = handlerOf({ atOnce, unread: CatchUp.unread(), registered })
  yield* CatchUp.stored
  yield* Queue.take(events).pipe(
    Effect.flatMap((event) => contained("event", handle(event))),
    Effect.forever,
    Effect.forkScoped
  )
  return { commandsRegistered: Deferred.await(registered) }
})

const handlerOf = (self: Handling) => {
  // One shared function, because the queue batches messages by function identity.
  const batch = makeBatch(self)
  const interaction = timed(Dispatch.interaction, (_, handled) => now(self, "interaction", handled))
  /** Every kind of event that people cause has a guarded handler; another handler does not compile. */
  const people = byTag<ByPeople>()({
    Completing: interaction,
    Invoked: interaction,
    Message: timed(elsewhere, ({ message }, handled) => onMessage(self, batch, message, handled)),
    MessageEdited: timed(edited, ({ message }, handled) => onChange(self, message.channelId, handled)),
    MessagePicked: interaction,
    MessagesDeleted: timed(Receive.deleted, ({ channelId }, handled) => onChange(self, channelId, handled)),
    NotKnown: interaction,
    Pressed: interaction
  })
  return (event: DiscordEvent) => {
    switch (event._tag) {
      case "GuildAvailable":
      case "PermissionsChanged":
      case "Ready":
      case "ThreadGone":
      case "ThreadUnlocked":
        return Effect.asVoid(follow(self, event))
      default:
        return Effect.asVoid(unify(people(event)))
    }
  }
}

const follow = Effect.fnUntraced(function* (self: Handling, event: BySystem) {
  switch (event._tag) {
    case "Ready": {
      // Record the backfill before later events are handled.
      yield* retryWhileStoreFails("What was missed", Effect.zipRight(ChatMessages.missed, Reopening.all()))
      const archived = yield* retryWhileStoreFails("What was missed", CatchUp.missed(self.unread))
      yield* retryWhileStoreFails("What was missed", CatchUp.asked(event.written))
      yield* FiberSet.run(self.atOnce, contained("waiting messages", CatchUp.waiting))
      return yield* FiberSet.run(self.atOnce, contained("archived threads", archived))
    }
    case "GuildAvailable":
      return yield* FiberSet.run(self.atOnce, contained("register commands", register(self, event.guildId)))
    case "ThreadGone":
      // Keeps its order behind earlier messages, and runs before an unlock of the thread.
      return yield* inOrder(event.threadId, Effect.zipRight(Backfill.shut(event.threadId), gone(event.threadId)))
    case "ThreadUnlocked":
      return yield* inOrder(event.threadId, Reopening.one(event.threadId))
    case "PermissionsChanged":
      return yield* Reopening.all(event.guildId)
  }
})

const register = ({ registered }: Handling, guildId: string) =>
  Effect.zipRight(
    Effect.zipRight(StartChecks.permissions(guildId), Register.register(guildId)),
    Deferred.succeed(registered, undefined)
  )

const onMessage = Effect.fnUntraced(function* (
  self: Handling,
  batch: ReturnType<typeof makeBatch>,
  message: IncomingMessage,
  elsewhere: Elsewhere
) {
  const taken = yield* (yield* Channels).came(message.id)
  const { authorId, place, roleIds } = message
  if (place !== undefined) yield* (yield* Members).told(place.guildId, authorId, roleIds)
  // A request to stop must not wait behind queued messages.
  if (Receive.isStop(message)) yield* now(self, "stop", handledAgain(Receive.stopAtOnce(message)))
  const queue = yield* ChannelQueue
  return yield* queue.gather(message.channelId, { message, taken, elsewhere }, batch)
})

/** Handles edits and deletions in the order of their channel; replies about them run outside it. */
const onChange = <A, E, E2, R, R2>(
  self: Handling,
  channelId: string,
  handled: Effect.Effect<Effect.Effect<A, E, R>, E2, R2>
) =>
  inOrder(
    channelId,
    Effect.flatMap(handled, (aside) => now(self, "word aside", handledAgain(aside)))
  )

/** Handles one channel's batch of messages, oldest first, in shared transactions. */
const takeBatch = Effect.fnUntraced(function* (self: Handling, channelId: string, batch: ReadonlyArray<Incoming>) {
  yield* Reopening.one(channelId)
  yield* self.unread.first(channelId)
  const messages = batch.map(messageOf)
  const received = yield* Backfill.takeTogether(messages[0]?.place?.guildId, messages)
  for (const [{ elsewhere }, { aside, bound, deliver }] of Arr.zip(batch, received)) {
    yield* deliver
    const besides = bound ? aside : unify(yield* elsewhere)
    yield* now(self, "word aside", handledAgain(unify(besides)))
  }
})

const takeOrSplit = (self: Handling, channelId: string, batch: ReadonlyArray<Incoming>) =>
  Effect.catchAllCause(retryWhileStoreFails("Messages", takeBatch(self, channelId, batch)), (cause) =>
    Cause.isInterrupted(cause)
      ? Effect.failCause(cause)
      : // A message that fails must not block the others.
        Effect.forEach(batch, (one) => contained("message", handledAgain(takeBatch(self, channelId, [one]))), {
          discard: true
        })
  )

const makeBatch = (self: Handling) => (batch: ReadonlyArray<Incoming>) => {
  const channelId = batch[0]?.message.channelId ?? ""
  return watched(
    channelId,
    Effect.zipRight(
      contained("message", takeOrSplit(self, channelId, batch)),
      Effect.forEach(batch, ({ taken }) => taken, { discard: true })
    )
  )
}

const watched = <A, E, R>(channelId: string, effect: Effect.Effect<A, E, R>) =>
  Effect.flatMap(Watchdog, ({ during }) => during(`What happens in channel ${channelId}`, effect))

/** Runs at once, outside the order of the channel. */
const now = <E, R>({ atOnce }: Handling, what: string, effect: Effect.Effect<unknown, E, R>) =>
  Effect.flatMap(Watchdog, ({ during }) => FiberSet.run(atOnce, during(`A ${what}`, contained(what, effect))))

const inOrder = <E, R>(channelId: string, effect: Effect.Effect<unknown, E, R>) =>
  Effect.flatMap(ChannelQueue, (queue) =>
    queue.add(channelId, watched(channelId, contained("message", handledAgain(effect))))
  )

const gone = (threadId: string) => Effect.flatMap(Conversations, (chatting) => chatting.shut(threadId))

type Elsewhere = ReturnType<typeof elsewhere>

/** A message to handle. */
interface Incoming {
  readonly message: IncomingMessage
  /** Records that the message was handled. */
  readonly taken: Effect.Effect<void>
  /** Handles a message outside of task threads. */
  readonly elsewhere: Elsewhere
}

const messageOf = ({ message }: { readonly message: IncomingMessage }) => message

/** In a thread without a task, a message belongs to a chat or requests a task. */
const elsewhere = orElse(
  via(ChatMessages.receive, messageOf, (taken) => Effect.succeed(taken ? Option.some(Effect.void) : Option.none())),
  via(StartHere.fromMessage, messageOf, (aside) => Effect.succeed(aside))
)
const edited = via(Receive.edited, messageOf, (aside) => Effect.succeed(aside))

/**
 * Retries an unexpected failure a few times, and a store failure without limit. Later events of the channel wait,
 * because an unstored event must not be skipped. Rows show which steps were done before.
 */
const handledAgain = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  retryWhileStoreFails("An event", effect).pipe(
    Effect.sandbox,
    Effect.tapError((cause) =>
      Cause.isInterrupted(cause) ? Effect.void : Effect.logWarning("An event is handled again", cause)
    ),
    Effect.retry({
      while: (cause) => !Cause.isInterrupted(cause),
      schedule: Schedule.intersect(Schedule.exponential("250 millis"), Schedule.recurs(5))
    }),
    Effect.unsandbox
  )

/** A failed event does not end event handling. */
const contained = <A, E, R>(what: string, effect: Effect.Effect<A, E, R>): Effect.Effect<void, never, R> =>
  effect.pipe(
    Effect.asVoid,
    Effect.catchAllCause((cause) =>
      Cause.isInterruptedOnly(cause) ? Effect.interrupt : Effect.logError(`Handling a ${what} failed`, cause)
    )
  )
