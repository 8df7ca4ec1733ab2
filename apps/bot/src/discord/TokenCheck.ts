import { type Client, DiscordAPIError, Events, GatewayCloseCodes, RESTEvents, Routes } from "discord.js"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as RetrySchedules from "../concurrency/RetrySchedules.ts"

/**
 * Keeps the token of a client after a 401, which discord.js forgets. The returned effect waits until Discord confirms
 * that the token is invalid.
 */
export const make = Effect.fn("TokenCheck.make")(function* (
  client: Client
): Effect.fn.Return<Effect.Effect<void>, never, Scope.Scope> {
  const { rest } = client
  const setToken = rest.setToken.bind(rest)
  rest.setToken = (token: string | null) => (token === null ? rest : setToken(token))

  const doubted = yield* Effect.makeLatch(false)
  const rejected = yield* Deferred.make<void>()
  client.on(Events.ShardDisconnect, ({ code }) => {
    if (code === GatewayCloseCodes.AuthenticationFailed) doubted.unsafeOpen()
  })
  rest.on(RESTEvents.Response, ({ data }, { status }) => {
    // Calls without the bot's token have a token of their own.
    if (status === 401 && data.auth === true) doubted.unsafeOpen()
  })
  const isRejected = Effect.promise((signal) => rest.get(Routes.user(), { signal }).then(() => false, isUnauthorized))
  yield* Effect.forkScoped(
    Effect.gen(function* () {
      for (;;) {
        yield* doubted.await
        if (yield* RetrySchedules.repeatWhile(isRejected, Boolean, RetrySchedules.rejectedToken)) break
        yield* doubted.close
      }
      // Discord blocks an address with many rejected calls.
      setToken("")
      yield* Deferred.succeed(rejected, undefined)
    })
  )
  return Deferred.await(rejected)
})

const isUnauthorized = (thrown: unknown): boolean => thrown instanceof DiscordAPIError && thrown.status === 401
