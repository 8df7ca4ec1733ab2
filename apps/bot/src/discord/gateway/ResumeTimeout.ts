import { type Client, Events, Status } from "discord.js"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

/** Begins a new gateway session when a RESUME gets no answer, for which discord.js waits without end. */
export const watch = Effect.fn("ResumeTimeout.watch")(function* (
  client: Client,
  identifyAgain: () => Promise<void>,
  timeoutMs: number
): Effect.fn.Return<void, never, Scope.Scope> {
  const clock = yield* Effect.clock
  const now = () => Number(clock.unsafeCurrentTimeNanos()) / 1e6
  let waitingSince: number | undefined
  // Replayed events are an answer.
  client.on(Events.Raw, () => {
    waitingSince = undefined
  })
  const check = Effect.suspend(() => {
    const isResuming = client.ws.shards.some(({ status }) => status === Status.Resuming)
    waitingSince = isResuming ? (waitingSince ?? now()) : undefined
    if (waitingSince === undefined || now() - waitingSince < timeoutMs) return Effect.void
    waitingSince = undefined
    return Effect.zipRight(
      Effect.logWarning("Discord's gateway does not resume the session; the bot begins a new one."),
      Effect.ignoreLogged(Effect.tryPromise(identifyAgain))
    )
  })
  yield* Effect.forkScoped(Effect.forever(Effect.zipRight(Effect.sleep(timeoutMs / 10), check)))
})
