import * as RetryPolicy from "@heddle/core/RetryPolicy"
import type * as Duration from "effect/Duration"
import * as Schedule from "effect/Schedule"

/** Calls to Discord while it is away: waits from 0.5 s to 10 s, without end. */
export const discord = RetryPolicy.cappedExponential("500 millis", "10 seconds")

/** Calls that wait for a slot of the rate limiter after a 429: at once, without end. */
export const rateLimited = Schedule.forever

/** The login at Discord, as {@link discord}; bots that start together spread out. */
export const discordLogin = Schedule.jittered(discord)

/** A member's lookup, for which a person waits: once more after 0.5 s. */
export const memberLookup = Schedule.intersect(Schedule.spaced("500 millis"), Schedule.recurs(1))

/** The download of a message's attachment: twice more, after 0.5 s each. */
export const attachment = Schedule.intersect(Schedule.spaced("500 millis"), Schedule.recurs(2))

/** The download of an artifact whose sandbox is away: every 2 s, without end. */
export const artifactFile = Schedule.spaced("2 seconds")

/** Statements while another program has locked the database: every 25 ms, without end. */
export const lockedDatabase = Schedule.spaced("25 millis")

/** Work while the store fails: waits from 0.25 s to 2 s, without end. */
export const store = RetryPolicy.cappedExponential("250 millis", "2 seconds")

/** The delivery of a message to its owner: waits from 0.1 s to 5 s, without end. */
export const delivery = RetryPolicy.cappedExponential("100 millis", "5 seconds")

/** The handling of an event that fails unexpectedly: five times more, after 0.25 s growing to 4 s. */
export const event = Schedule.intersect(Schedule.exponential("250 millis"), Schedule.recurs(5))

/** The request to stop a task: every 10 s within this time. */
export const stopTask = (within: Duration.DurationInput) => Schedule.upTo(Schedule.spaced("10 seconds"), within)
