import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { DiscordError, isPassing } from "./DiscordError.ts"

/**
 * Makes calls until Discord answers them, however long it fails, is busy or cannot be reached: what could not be read is
 * not nothing. Fails with what Discord refuses for good. They are made again after half a second, and after ten at most.
 */
export const untilAnswered = <A, E, R>(call: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  call.pipe(
    Effect.tapError((error) => (mayPass(error) ? Effect.logInfo("Tried again", error.message) : Effect.void)),
    Effect.retry({ while: mayPass, schedule })
  )

const mayPass = (error: unknown): error is DiscordError => error instanceof DiscordError && isPassing(error)

/** The waits between tries, which grow from half a second to ten. */
const schedule = Schedule.exponential("500 millis").pipe(
  Schedule.modifyDelay((_, delay) => Duration.min(delay, "10 seconds"))
)
