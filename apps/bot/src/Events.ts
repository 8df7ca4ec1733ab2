import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import * as Queue from "effect/Queue"
import * as Commands from "./commands/Commands.ts"
import { DiscordClient } from "./discord/DiscordClient.ts"
import type { DiscordEvent, IncomingMessage } from "./discord/DiscordEvent.ts"
import * as CatchUp from "./thread/CatchUp.ts"
import * as Press from "./thread/Press.ts"
import { receive } from "./thread/Receive.ts"
import * as ThreadOwner from "./thread/ThreadOwner.ts"
import { Threads } from "./thread/Threads.ts"

/**
 * Handles what Discord tells until the scope ends: messages one after the other, so that their order is kept,
 * commands and buttons at once, since Discord gives them three seconds.
 * Returns a wait for the moment when the first guild has the bot's commands.
 */
export const run = Effect.gen(function* () {
  const { events } = yield* DiscordClient
  const inOrder = yield* Queue.unbounded<{ readonly _tag: "Ready" } | { readonly message: IncomingMessage }>()
  const registered = yield* Deferred.make<void>()
  const atOnce = yield* FiberSet.make()

  const handle = Effect.fnUntraced(function* (event: DiscordEvent) {
    switch (event._tag) {
      case "Ready":
        return yield* Queue.offer(inOrder, event)
      case "Message":
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
      case "Pressed":
        return yield* FiberSet.run(atOnce, guarded("button", Press.handle(event)))
      case "ThreadGone":
        return yield* FiberSet.run(atOnce, guarded("thread gone", threadGone(event.threadId)))
    }
  })

  yield* CatchUp.stored
  yield* Queue.take(events).pipe(Effect.flatMap(handle), Effect.forever, Effect.forkScoped)
  yield* Queue.take(inOrder).pipe(
    Effect.flatMap((next) =>
      "message" in next
        ? Effect.flatMap(receive(next.message), (aside) => FiberSet.run(atOnce, guarded("aside", aside)))
        : CatchUp.missed
    ),
    (one) => guarded("message", one),
    Effect.forever,
    Effect.forkScoped
  )
  return { commandsRegistered: Deferred.await(registered) }
})

const threadGone = Effect.fnUntraced(function* (threadId: string) {
  const threads = yield* Threads
  yield* threads.close(threadId, Date.now())
  yield* ThreadOwner.stop(threadId)
})

/** One event that cannot be handled does not end the handling of events. */
const guarded = <A, E, R>(what: string, effect: Effect.Effect<A, E, R>): Effect.Effect<void, never, R> =>
  effect.pipe(
    Effect.asVoid,
    Effect.catchAllCause((cause) =>
      Cause.isInterruptedOnly(cause) ? Effect.interrupt : Effect.logError(`Handling a ${what} failed`, cause)
    )
  )
