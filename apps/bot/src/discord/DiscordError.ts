import { DiscordAPIError, HTTPError } from "discord.js"
import * as Schema from "effect/Schema"

/** Discord refused a call, or could not be reached (`status` 0). `code` is Discord's own error number, 0 without one. */
export class DiscordError extends Schema.TaggedError<DiscordError>()("DiscordError", {
  code: Schema.Number,
  status: Schema.Number,
  route: Schema.String,
  description: Schema.String
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
    const reason = thrown instanceof Error ? (thrown.cause instanceof Error ? thrown.cause : thrown) : undefined
    const word = reason !== undefined && "code" in reason ? String(reason.code) : (reason?.name ?? "unknown")
    return new DiscordError({ code: 0, status: 0, route, description: `Discord could not be reached (${word})` })
  }

/** The message, thread or channel does not exist any more. */
export const isGone = (error: DiscordError): boolean => [10003, 10008].includes(error.code)

/** The bot may not write there any more: locked, removed, or without permission. */
export const isShut = (error: DiscordError): boolean => [10003, 50001, 50013, 160005].includes(error.code)

/** Trying again later may help: Discord failed, was busy, or was not reached. */
export const isPassing = (error: DiscordError): boolean =>
  error.status === 0 || error.status === 429 || error.status >= 500
