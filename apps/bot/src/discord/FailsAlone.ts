import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import * as MonotonicClock from "../concurrency/MonotonicClock.ts"
import * as RetrySchedules from "../concurrency/RetrySchedules.ts"
import { BotSettings } from "../model/BotSettings.ts"
import { DiscordApi } from "./DiscordApi.ts"
import { DiscordError } from "./DiscordError.ts"
import { retryBy } from "./RetryPolicy.ts"

/**
 * Repeats a call for a channel as `retryWhileUnavailable`, until Discord has failed it for minutes and takes another call
 * for the channel after each of two failures: an outage may end between the two calls.
 */
export const retryUnlessAlone = Effect.fnUntraced(function* <A, E, R>(channelId: string, call: Effect.Effect<A, E, R>) {
  const { stuckAfterMs } = yield* BotSettings
  let failingSince: number | undefined
  let othersPassed = false
  const goesOn = Effect.fnUntraced(function* (error: unknown) {
    const now = yield* MonotonicClock.now
    failingSince ??= now
    if (!(error instanceof DiscordError) || error.status < 500 || now - failingSince < patience * stuckAfterMs) {
      othersPassed = false
      return true
    }
    const passedBefore = othersPassed
    othersPassed = yield* takesCalls(channelId)
    return !(passedBefore && othersPassed)
  })
  return yield* retryBy(call, Schedule.checkEffect(RetrySchedules.discord, goesOn))
})

/** How often the bot may count as stuck before it gives up a call that Discord fails alone. */
export const patience = 4

/** Whether Discord takes a call for a channel that changes nothing. */
export const takesCalls = Effect.fn("FailsAlone.takesCalls")(function* (channelId: string) {
  const { typing } = yield* DiscordApi
  return yield* typing(channelId).pipe(
    Effect.as(true),
    Effect.timeout("10 seconds"),
    Effect.orElseSucceed(() => false)
  )
})
