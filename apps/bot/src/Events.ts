import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import * as Queue from "effect/Queue"
import type { Guarded } from "./access/Guard.ts"
import * as Dispatch from "./commands/Dispatch.ts"
import * as Register from "./commands/Register.ts"
import { DiscordClient } from "./discord/DiscordClient.ts"
import type { DiscordEvent } from "./discord/DiscordEvent.ts"
import * as AtStart from "./doctor/AtStart.ts"
import * as CatchUp from "./thread/CatchUp.ts"
import * as Missed from "./thread/Missed.ts"
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
          contained(
            "register commands",
            Effect.zipRight(
              Effect.zipRight(AtStart.permissions(event.guildId), Register.register(event.guildId)),
              Deferred.succeed(registered, undefined)
            )
          )
        )
      case "Completing":
      case "Invoked":
      case "MessagePicked":
      case "Pressed":
        return yield* FiberSet.run(atOnce, contained("interaction", Dispatch.interaction(event)))
      case "ThreadGone":
        return yield* FiberSet.run(atOnce, contained("thread gone", Missed.shut(event.threadId)))
      case "ThreadUnlocked":
        return yield* FiberSet.run(atOnce, contained("thread unlocked", Missed.reopened(event.threadId)))
    }
  })

  const inItsTurn = Effect.fnUntraced(function* (event: InOrder) {
    switch (event._tag) {
      case "Ready": {
        const archived = yield* CatchUp.missed
        return yield* FiberSet.run(atOnce, contained("archived threads", archived))
      }
      case "Message": {
        const { aside, bound } = yield* byPeople.said({
          message: event.message,
          guildId: event.message.place?.guildId,
          late: false
        })
        if (bound) return yield* FiberSet.run(atOnce, contained("aside", aside))
        return yield* FiberSet.run(atOnce, contained("request", byPeople.asked(event.message)))
      }
      case "MessageEdited":
        return yield* FiberSet.run(atOnce, contained("aside", yield* byPeople.edited(event.message)))
      case "MessagesDeleted":
        return yield* byPeople.deleted(event)
    }
  })

  yield* CatchUp.stored
  yield* Queue.take(events).pipe(Effect.flatMap(handle), Effect.forever, Effect.forkScoped)
  yield* Queue.take(inOrder).pipe(
    Effect.flatMap(inItsTurn),
    (one) => contained("message", one),
    Effect.forever,
    Effect.forkScoped
  )
  return { commandsRegistered: Deferred.await(registered) }
})

/** What people do with messages: nothing is handled here that does not ask the policy first. */
const byPeople = {
  said: Receive.receive,
  asked: StartHere.fromMessage,
  edited: Receive.edited,
  deleted: Receive.deleted
} satisfies Record<string, Guarded<never, unknown, unknown, unknown>>

type InOrder = DiscordEvent & { readonly _tag: "Ready" | "Message" | "MessageEdited" | "MessagesDeleted" }

/** One event that cannot be handled does not end the handling of events. */
const contained = <A, E, R>(what: string, effect: Effect.Effect<A, E, R>): Effect.Effect<void, never, R> =>
  effect.pipe(
    Effect.asVoid,
    Effect.catchAllCause((cause) =>
      Cause.isInterruptedOnly(cause) ? Effect.interrupt : Effect.logError(`Handling a ${what} failed`, cause)
    )
  )
