import { DiscordAPIError, HTTPError, RateLimitError } from "discord.js"
import * as Schema from "effect/Schema"

/** Discord refused a call, or could not be reached (`status` 0). `code` is Discord's own error number, 0 without one. */
export class DiscordError extends Schema.TaggedError<DiscordError>()("DiscordError", {
  code: Schema.Number,
  status: Schema.Number,
  route: Schema.String,
  description: Schema.String,
  /** With status 429: how long to rest, in milliseconds. */
  retryAfterMs: Schema.optional(Schema.Number),
  /** With status 429: everything has to rest, and not these calls alone. */
  global: Schema.optional(Schema.Boolean)
}) {
  override get message() {
    return `${this.route} failed with ${this.status}/${this.code}: ${this.description}`
  }
}

/** Turns what discord.js throws into a {@link DiscordError}; `route` is the route's name, never its URL, which may hold a token. */
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
      // Both name the same end, one of them in whole seconds; further apart, the former is another limit's.
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
    // A failed fetch names its cause; without one the request itself is wrong, and sending it again does not help.
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

/** The message, thread or channel does not exist any more. */
export const isGone = (error: DiscordError): boolean => [10003, 10008].includes(error.code)

/** There is no such member, or no such person at all. */
export const isNobody = (error: DiscordError): boolean => [10007, 10013].includes(error.code)

/** The bot may not write there any more: locked, removed, or without permission. */
export const isShut = (error: DiscordError): boolean => isForbidden(error) || [10003, 160005].includes(error.code)

/** The bot lacks a permission, which it may get back. */
export const isForbidden = (error: DiscordError): boolean => [50001, 50013].includes(error.code)

/**
 * Trying again later may help: Discord failed, was busy, or was not reached, what stands before it let nothing through,
 * or it does not take the bot's token, which says nothing about what was asked for.
 */
export const isPassing = ({ code, status }: DiscordError): boolean =>
  status === 0 || ([401, 403].includes(status) && code === 0) || status === 408 || status === 429 || status >= 500
