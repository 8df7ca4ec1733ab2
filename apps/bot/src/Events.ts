import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import * as Queue from "effect/Queue"
import * as Schedule from "effect/Schedule"
import * as Commands from "./commands/Commands.ts"
import { DiscordClient } from "./discord/DiscordClient.ts"
import type { DiscordEvent } from "./discord/DiscordEvent.ts"
import * as CatchUp from "./thread/CatchUp.ts"
import { Channels } from "./thread/Channels.ts"
import * as Missed from "./thread/Missed.ts"
import * as Press from "./thread/Press.ts"
import * as Receive from "./thread/Receive.ts"
import * as StartHere from "./thread/StartHere.ts"

/**
 * Handles what Discord tells until the scope ends: messages and what becomes of them one after the other, so that their
 * order is kept, commands and buttons at once, since Discord gives them three seconds.
 * Returns a wait for the moment when the first guild has the bot's commands.
 */
export const run = Effect.gen(function* () {
  const { events } = yield* DiscordClient
  const inOrder = yield* Queue.unbounded<InOrder>()
  const registered = yield* Deferred.make<void>()
  const atOnce = yield* FiberSet.make()

  const handle = Effect.fnUntraced(function* (event: DiscordEvent) {
    switch (event._tag) {
      case "Ready":
      case "Message":
      case "MessageEdited":
      case "MessagesDeleted":
        return yield* Queue.offer(inOrder, event)
      case "GuildAvailable":
        return yield* FiberSet.run(
          atOnce,
          guarded(
            "register commands",
            Effect.zipRight(Commands.register(event.guildId), Deferred.succeed(registered, undefined))
          )
        )
      case "Invoked":
        return yield* FiberSet.run(atOnce, guarded(`command ${event.path}`, Commands.dispatch(event)))
      case "MessagePicked":
        return yield* FiberSet.run(atOnce, guarded("message command", StartHere.picked(event)))
      case "Pressed":
        return yield* FiberSet.run(atOnce, guarded("button", Press.handle(event)))
      case "ThreadGone":
        return yield* FiberSet.run(atOnce, guarded("thread gone", Missed.shut(event.threadId)))
      case "ThreadUnlocked":
        return yield* FiberSet.run(atOnce, guarded("thread unlocked", Missed.reopened(event.threadId)))
    }
  })

  const inItsTurn = Effect.fnUntraced(function* (event: InOrder) {
    switch (event._tag) {
      case "Ready": {
        const archived = yield* CatchUp.missed
        yield* FiberSet.run(atOnce, guarded("waiting messages", CatchUp.waiting))
        yield* FiberSet.run(atOnce, guarded("channels", (yield* Channels).catchUp(CatchUp.asked(event.written))))
        return yield* FiberSet.run(atOnce, guarded("archived threads", archived))
      }
      case "Message": {
        const { aside, bound } = yield* Receive.receive(event.message, { late: false })
        if (bound) return yield* FiberSet.run(atOnce, guarded("aside", aside))
        const said = yield* StartHere.fromMessage(event.message)
        yield* (yield* Channels).saw(event.message.id)
        return yield* FiberSet.run(atOnce, guarded("aside", said))
      }
      case "MessageEdited":
        return yield* FiberSet.run(atOnce, guarded("aside", yield* Receive.edited(event.message)))
      case "MessagesDeleted":
        return yield* Receive.deleted(event.channelId, event.messageIds)
    }
  })

  yield* CatchUp.stored
  yield* Queue.take(events).pipe(Effect.flatMap(handle), Effect.forever, Effect.forkScoped)
  yield* Queue.take(inOrder).pipe(
    // The next one would count as taken before it: a store that is slow for a moment loses nothing.
    Effect.flatMap((event) => guarded("message", patiently(inItsTurn(event)))),
    Effect.forever,
    Effect.forkScoped
  )
  return { commandsRegistered: Deferred.await(registered) }
})

type InOrder = DiscordEvent & { readonly _tag: "Ready" | "Message" | "MessageEdited" | "MessagesDeleted" }

/** Tries again what failed unexpectedly; what was done before is found in its rows. */
const patiently = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  effect.pipe(
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
const guarded = <A, E, R>(what: string, effect: Effect.Effect<A, E, R>): Effect.Effect<void, never, R> =>
  effect.pipe(
    Effect.asVoid,
    Effect.catchAllCause((cause) =>
      Cause.isInterruptedOnly(cause) ? Effect.interrupt : Effect.logError(`Handling a ${what} failed`, cause)
    )
  )
