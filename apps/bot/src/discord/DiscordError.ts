import { DiscordAPIError, HTTPError, RateLimitError } from "discord.js"
import * as Schema from "effect/Schema"

/** Discord rejected a call or was unreachable (`status` 0). `code` is Discord's error number, 0 without one. */
export class DiscordError extends Schema.TaggedError<DiscordError>()("DiscordError", {
  code: Schema.Number,
  status: Schema.Number,
  route: Schema.String,
  description: Schema.String,
  /** For status 429: the time to wait, in milliseconds. */
  retryAfterMs: Schema.optional(Schema.Number),
  /** For status 429: the limit is global. */
  global: Schema.optional(Schema.Boolean)
}) {
  override get message() {
    return `${this.route} failed with ${this.status}/${this.code}: ${this.description}`
  }
}

/**
 * Converts an error of discord.js into a {@link DiscordError}. `route` is the route's name, never its URL, which may
 * hold a token.
 */
export const fromUnknown =
  (route: string) =>
  (thrown: unknown): DiscordError => {
    if (thrown instanceof DiscordAPIError) {
      return new DiscordError({
        code: typeof thrown.code === "number" ? thrown.code : 0,
        status: thrown.status,
        route,
        description: thrown.message
      })
    }
    if (thrown instanceof HTTPError) {
      return new DiscordError({ code: 0, status: thrown.status, route, description: "the server failed" })
    }
    if (thrown instanceof RateLimitError) {
      const { global, retryAfter, timeToReset } = thrown
      // Both headers name the same end, one in whole seconds. If they differ by more, they belong to different limits.
      const exact = !global && timeToReset > 0 && Math.abs(retryAfter - timeToReset) < 1000
      return new DiscordError({
        code: 0,
        status: 429,
        route,
        description: "too many calls",
        retryAfterMs: exact ? timeToReset : retryAfter,
        global
      })
    }
    // A failed fetch names its cause. Without one the request itself is invalid, and a retry does not help.
    if (thrown instanceof TypeError && thrown.cause === undefined) {
      return new DiscordError({
        code: 0,
        status: 400,
        route,
        description: `the request cannot be made: ${thrown.message}`
      })
    }
    const reason = thrown instanceof Error ? (thrown.cause instanceof Error ? thrown.cause : thrown) : undefined
    const word = reason !== undefined && "code" in reason ? String(reason.code) : (reason?.name ?? "unknown")
    return new DiscordError({ code: 0, status: 0, route, description: `Discord could not be reached (${word})` })
  }

/** The message, thread or channel no longer exists. */
export const isGone = (error: DiscordError): boolean => [10003, 10008].includes(error.code)

/** The member or user does not exist. */
export const isUnknownUser = (error: DiscordError): boolean => [10007, 10013].includes(error.code)

/** The guild has as many active threads as Discord allows. */
export const isOutOfThreads = (error: DiscordError): boolean => error.code === tooManyThreads

const tooManyThreads = 160_006

/** The bot can no longer write there: the thread is locked, the bot was removed, or it lacks permission. */
export const isNotWritable = (error: DiscordError): boolean =>
  isForbidden(error) || [10003, 160005].includes(error.code)

/** The bot lacks a permission, which it may get back. */
export const isForbidden = (error: DiscordError): boolean => [50001, 50013].includes(error.code)

/**
 * Whether a retry may succeed: Discord failed, was overloaded, unreachable or behind a failing proxy, or rejected the
 * bot's token, which says nothing about the request.
 */
export const isPassing = ({ code, status }: DiscordError): boolean =>
  status === 0 || ([401, 403].includes(status) && code === 0) || status === 408 || status === 429 || status >= 500
