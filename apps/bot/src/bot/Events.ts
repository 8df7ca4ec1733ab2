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
import * as ReceiveChat from "../assistant/ChatMessages.ts"
import * as Dispatch from "../commands/Dispatch.ts"
import * as Register from "../commands/Register.ts"
import { DiscordClient } from "../discord/DiscordClient.ts"
import type { ByPeople, BySystem, DiscordEvent, IncomingMessage } from "../discord/DiscordEvent.ts"
import { Watchdog } from "../concurrency/Watchdog.ts"
import * as AtStart from "../operate/StartChecks.ts"
import { untilStored } from "../store/database/UntilStored.ts"
import * as CatchUp from "../intake/CatchUp.ts"
import { Channels } from "../store/Channels.ts"
import { ChannelQueue } from "../concurrency/ChannelQueue.ts"
import * as Backfill from "../intake/Backfill.ts"
import * as Receive from "../intake/Receive.ts"
import * as Reopening from "../intake/Reopening.ts"
import * as StartHere from "../intake/StartHere.ts"

/**
 * Handles what Discord tells until the scope ends: messages and what becomes of them one after the other in each
 * channel, so that their order is kept, commands and buttons at once, since Discord gives them three seconds.
 * Returns a wait for the moment when the first guild has the bot's commands.
 */
export const run = Effect.gen(function* () {
  const { events } = yield* DiscordClient
  const channels = yield* Channels
  const members = yield* Members
  const progress = yield* Watchdog
  const registered = yield* Deferred.make<void>()
  const atOnce = yield* FiberSet.make<void>()
  // Whoever waits for an answer to a command gets it, if it does not take long.
  yield* Effect.addFinalizer(() => Effect.timeoutOption(FiberSet.awaitEmpty(atOnce), "1500 millis"))
  const lanes = yield* ChannelQueue
  yield* Effect.addFinalizer(() => lanes.end)
  const unread = CatchUp.unread()

  const now = <E, R>(what: string, effect: Effect.Effect<unknown, E, R>) =>
    FiberSet.run(atOnce, progress.during(`A ${what}`, contained(what, effect)))
  const about = (channelId: string) => `What is told of channel ${channelId}`
  const inOrder = <E, R>(channelId: string, effect: Effect.Effect<unknown, E, R>) =>
    lanes.add(channelId, progress.during(about(channelId), contained("message", handledAgain(effect))))

  /** Takes messages of one channel, oldest first; together, they share what it takes to store them. */
  const take = Effect.fnUntraced(function* (channelId: string, these: ReadonlyArray<Coming>) {
    yield* Reopening.one(channelId)
    yield* unread.first(channelId)
    const messages = these.map(messageOf)
    const received = yield* Backfill.takeTogether(messages[0]?.place?.guildId, messages)
    for (const [{ elsewhere }, { aside, bound, deliver }] of Arr.zip(these, received)) {
      yield* deliver
      const besides = bound ? aside : unify(yield* elsewhere)
      yield* now("word aside", handledAgain(unify(besides)))
    }
  })
  const takeGathered = (channelId: string, these: ReadonlyArray<Coming>) =>
    Effect.catchAllCause(untilStored("Messages", take(channelId, these)), (cause) =>
      Cause.isInterrupted(cause)
        ? Effect.failCause(cause)
        : // One that cannot be taken keeps none of the others from being taken.
          Effect.forEach(these, (one) => contained("message", handledAgain(take(channelId, [one]))), {
            discard: true
          })
    )
  const taking = (these: ReadonlyArray<Coming>) =>
    Effect.suspend(() => {
      const channelId = these[0]?.message.channelId ?? ""
      return progress.during(
        about(channelId),
        Effect.zipRight(
          contained("message", takeGathered(channelId, these)),
          Effect.forEach(these, ({ taken }) => taken, { discard: true })
        )
      )
    })

  /** What people write is taken in the order of its channel; what they have to be told besides holds nothing up. */
  const changed = <A, E, E2, R, R2>(channelId: string, handled: Effect.Effect<Effect.Effect<A, E, R>, E2, R2>) =>
    inOrder(
      channelId,
      Effect.flatMap(handled, (aside) => now("word aside", handledAgain(aside)))
    )
  const spoken = Effect.fnUntraced(function* (message: IncomingMessage, elsewhere: Elsewhere) {
    const taken = yield* channels.came(message.id)
    const { authorId, place, roleIds } = message
    if (place !== undefined) yield* members.told(place.guildId, authorId, roleIds)
    // Nothing that was written before it, and waits to be taken, holds up a word that stops.
    if (Receive.isStop(message)) yield* now("stop", handledAgain(Receive.stopAtOnce(message)))
    return yield* lanes.gather(message.channelId, { message, taken, elsewhere }, taking)
  })

  const follow = Effect.fnUntraced(function* (event: BySystem) {
    switch (event._tag) {
      case "Ready": {
        // Nothing that is told from now on may be taken before it is noted what there is to read.
        yield* untilStored("What was missed", Effect.zipRight(ReceiveChat.missed, Reopening.all()))
        const archived = yield* untilStored("What was missed", CatchUp.missed(unread))
        yield* untilStored("What was missed", CatchUp.asked(event.written))
        yield* FiberSet.run(atOnce, contained("waiting messages", CatchUp.waiting))
        return yield* FiberSet.run(atOnce, contained("archived threads", archived))
      }
      case "GuildAvailable":
        return yield* FiberSet.run(
          atOnce,
          contained(
            "register commands",
            Effect.zipRight(
              Effect.zipRight(AtStart.permissions(event.guildId), Register.register(event.guildId)),
              Deferred.succeed(registered, undefined)
            )
          )
        )
      case "ThreadGone":
        // Behind what was said before it, and before it may be unlocked.
        return yield* inOrder(event.threadId, Effect.zipRight(Backfill.shut(event.threadId), gone(event.threadId)))
      case "ThreadUnlocked":
        return yield* inOrder(event.threadId, Reopening.one(event.threadId))
      case "PermissionsChanged":
        return yield* Reopening.all(event.guildId)
    }
  })

  const interaction = timed(Dispatch.interaction, (_, handled) => now("interaction", handled))
  /** Whatever a person did is handled by what asks the policy first, each kind in its time: no other kind compiles. */
  const people = byTag<ByPeople>()({
    Completing: interaction,
    Invoked: interaction,
    Message: timed(elsewhere, ({ message }, handled) => spoken(message, handled)),
    MessageEdited: timed(edited, ({ message }, handled) => changed(message.channelId, handled)),
    MessagePicked: interaction,
    MessagesDeleted: timed(Receive.deleted, ({ channelId }, handled) => changed(channelId, handled)),
    NotKnown: interaction,
    Pressed: interaction
  })

  const handle = (event: DiscordEvent) => {
    switch (event._tag) {
      case "GuildAvailable":
      case "PermissionsChanged":
      case "Ready":
      case "ThreadGone":
      case "ThreadUnlocked":
        return Effect.asVoid(follow(event))
      default:
        return Effect.asVoid(people(event))
    }
  }

  yield* CatchUp.stored
  yield* Queue.take(events).pipe(
    Effect.flatMap((event) => contained("event", unify(handle(event)))),
    Effect.forever,
    Effect.forkScoped
  )
  return { commandsRegistered: Deferred.await(registered) }
})

const gone = (threadId: string) => Effect.flatMap(Conversations, (chatting) => chatting.shut(threadId))

type Elsewhere = ReturnType<typeof elsewhere>

/** A message, and what says that it was taken. */
interface Coming {
  readonly message: IncomingMessage
  readonly taken: Effect.Effect<void>
  /** Has it handled where no task is. */
  readonly elsewhere: Elsewhere
}

const messageOf = ({ message }: { readonly message: IncomingMessage }) => message

/** Where no task is, the message is for a chat, or asks for a task. Those in threads with tasks are taken together before. */
const elsewhere = orElse(
  via(ReceiveChat.receive, messageOf, (taken) => Effect.succeed(taken ? Option.some(Effect.void) : Option.none())),
  via(StartHere.fromMessage, messageOf, (aside) => Effect.succeed(aside))
)
const edited = via(Receive.edited, messageOf, (aside) => Effect.succeed(aside))

/**
 * Tries again what failed unexpectedly, some times, and for as long as it takes where the store failed: what comes after
 * it in its channel waits, since nothing that was not stored may be passed over. What was done before is found in rows.
 */
const handledAgain = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  untilStored("An event", effect).pipe(
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

/** One event that cannot be handled does not end the handling of events. */
const contained = <A, E, R>(what: string, effect: Effect.Effect<A, E, R>): Effect.Effect<void, never, R> =>
  effect.pipe(
    Effect.asVoid,
    Effect.catchAllCause((cause) =>
      Cause.isInterruptedOnly(cause) ? Effect.interrupt : Effect.logError(`Handling a ${what} failed`, cause)
    )
  )
