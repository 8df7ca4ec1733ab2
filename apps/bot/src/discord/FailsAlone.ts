import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import * as MonotonicClock from "../concurrency/MonotonicClock.ts"
import * as RetrySchedules from "../concurrency/RetrySchedules.ts"
import { BotSettings } from "../model/BotSettings.ts"
import { DiscordApi } from "./DiscordApi.ts"
import { DiscordError } from "./DiscordError.ts"
import { retryBy } from "./RetryPolicy.ts"

/**
 * Repeats a call for a channel as `retryWhileUnavailable`, until Discord has failed it for minutes while it takes
 * another call for the channel; see {@link othersPassTwice}.
 */
export const retryUnlessAlone = Effect.fnUntraced(function* <A, E, R>(channelId: string, call: Effect.Effect<A, E, R>) {
  const { stuckAfterMs } = yield* BotSettings
  let failingSince: number | undefined
  const memory = { othersPassed: false }
  const goesOn = Effect.fnUntraced(function* (error: unknown) {
    const now = yield* MonotonicClock.now
    failingSince ??= now
    if (!(error instanceof DiscordError) || error.status < 500 || now - failingSince < patience * stuckAfterMs) {
      memory.othersPassed = false
      return true
    }
    return !(yield* othersPassTwice(channelId, memory))
  })
  return yield* retryBy(call, Schedule.checkEffect(RetrySchedules.discord, goesOn))
})

/** How often the bot may count as stuck before it gives up a call that Discord fails alone. */
export const patience = 4

/**
 * Whether Discord takes another call for a channel after this failure and after the one before, of which `memory` tells. An
 * outage may end between the failed call and the other one.
 */
export const othersPassTwice = (channelId: string, memory: { othersPassed: boolean }) =>
  Effect.map(takesCalls(channelId), (passes) => {
    const isTwice = passes && memory.othersPassed
    memory.othersPassed = passes
    return isTwice
  })

/** Whether Discord takes a call for a channel that changes nothing. */
const takesCalls = Effect.fn("FailsAlone.takesCalls")(function* (channelId: string) {
  const { typing } = yield* DiscordApi
  return yield* typing(channelId).pipe(
    Effect.as(true),
    Effect.timeout("10 seconds"),
    Effect.orElseSucceed(() => false)
  )
})
