import * as RetryPolicy from "@heddle/core/RetryPolicy"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"

/** Calls to Discord while it is away: waits from 0.5 s to 10 s, without end. */
export const discord = RetryPolicy.cappedExponential("500 millis", "10 seconds")

/** The wait before a post is tried again while Discord is away, as {@link discord}. */
export const postDelay = (failures: number) => RetryPolicy.exponentialDelay(failures, "500 millis", "10 seconds")

/** The wait before a post is tried again in a thread without permissions: 0.5 s to 5 s. */
export const permissionDelay = (failures: number) => RetryPolicy.exponentialDelay(failures, "500 millis", "5 seconds")

/** The wait before a chat with an assistant is tried again: 1 s to a minute. */
export const chatDelay = (failures: number) => RetryPolicy.exponentialDelay(failures, "1 second", "1 minute")

/** The wait before a redemption without an outcome is requested again: 2 s to 15 min. */
export const redemptionDelay = (attempts: number) =>
  RetryPolicy.exponentialDelay(attempts, "2 seconds", maxRedemptionDelay)

/** The wait from now until a stored time, in milliseconds; the time of day may have been set back since. */
export const redemptionWait = (dueAt: number, now: number): number =>
  Math.min(Math.max(0, dueAt - now), Duration.toMillis(maxRedemptionDelay))

/** The longest wait before a redemption is requested again. */
export const maxRedemptionDelay = "15 minutes"

/** The policy's decision on a prompt while Discord is away: five times more, after 2 s each. */
export const policyDecision = Schedule.intersect(Schedule.spaced("2 seconds"), Schedule.recurs(5))

/** The roles of an author whose message was missed, while Discord is away: 30 times more, after 1 s each. */
export const missedAuthor = Schedule.intersect(Schedule.spaced("1 second"), Schedule.recurs(30))

/** The post of a turn's end whose answer a request to stop awaits: every 50 ms, for 5 s. */
export const endOnItsWay = Schedule.intersect(Schedule.spaced("50 millis"), Schedule.recurs(100))

/** Calls that wait for a slot of the rate limiter after a 429: at once, without end. */
export const rateLimited = Schedule.forever

/** The first answers of Discord and of the service, as {@link discord}; bots that start together spread out. */
export const atStart = Schedule.jittered(discord)

/** A bot token that Discord rejects: twice more, after 1 and 2 s, before it counts as invalid. */
export const rejectedToken = Schedule.intersect(Schedule.exponential("1 second"), Schedule.recurs(2))

/** A member's lookup, for which a person waits: once more after 0.5 s. */
export const memberLookup = Schedule.intersect(Schedule.spaced("500 millis"), Schedule.recurs(1))

/** A choice for an agent whose session is being opened: every 0.25 s, for 20 s. */
export const agentChoice = Schedule.intersect(Schedule.spaced("250 millis"), Schedule.recurs(80))

/** The download of a message's attachment: twice more, after 0.5 s each. */
export const attachment = Schedule.intersect(Schedule.spaced("500 millis"), Schedule.recurs(2))

/** The download of an artifact whose sandbox is away: after 1, 2, 4, 4 … s or `Retry-After`, without end. */
export const artifactFile = RetryPolicy.steadyBackoff

/** Statements while another program has locked the database: every 25 ms, without end. */
export const lockedDatabase = Schedule.spaced("25 millis")

/** The wait before work is tried again while the store fails: 0.25 s to 2 s. */
export const storeDelay = (failures: number) => RetryPolicy.exponentialDelay(failures, "250 millis", "2 seconds")

/** The delivery of a message to its owner: waits from 0.1 s to 5 s, without end. */
export const delivery = RetryPolicy.cappedExponential("100 millis", "5 seconds")

/** The handling of an event that fails unexpectedly: five times more, after 0.25 s growing to 4 s. */
export const event = Schedule.intersect(Schedule.exponential("250 millis"), Schedule.recurs(5))

/** A task or a message whose answer was lost, and that may appear late: three more looks, after 1, 2 and 4 s. */
export const lostAnswer = Schedule.intersect(Schedule.exponential("1 second"), Schedule.recurs(3))

/** The request to stop a task: every 10 s within this time, or as late as the service asks. */
export const stopTask = (within: Duration.DurationInput): Schedule.Schedule<unknown, object> =>
  RetryPolicy.upTo(within)(RetryPolicy.asRequested<number, object, never>(Schedule.spaced("10 seconds")))

/** Repeats an effect by a schedule while its result fits a predicate; succeeds with the last result. */
export const repeatWhile = <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  isOpen: (result: A) => boolean,
  schedule: Schedule.Schedule<unknown>
): Effect.Effect<A, E, R> =>
  Effect.repeat(effect, { schedule: Schedule.zipRight(schedule, Schedule.identity<A>()), while: isOpen })
