import {
  type APIApplicationCommand,
  type APIGuildMember,
  ApplicationCommandType,
  Routes,
  type RESTPutAPIApplicationGuildCommandsJSONBody
} from "discord.js"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { type DiscordError, isUnknownUser } from "./DiscordError.ts"
import type { RequestMember } from "./MemberRequests.ts"
import type { RateLimited } from "./RateLimitedCalls.ts"

/** Members and commands of a guild. */
export interface GuildCalls {
  /**
   * The roles of a member; undefined when they are not in the guild. Calls REST only when the gateway does not answer.
   */
  readonly member: (guildId: string, userId: string) => Effect.Effect<ReadonlyArray<string> | undefined, DiscordError>
  /** Replaces the bot's commands in a guild; returns the ids of its slash commands by name. */
  readonly setCommands: (
    guildId: string,
    commands: RESTPutAPIApplicationGuildCommandsJSONBody
  ) => Effect.Effect<Readonly<Record<string, string>>, DiscordError>
}

export const make = (rateLimited: RateLimited, applicationId: string, requestMember: RequestMember): GuildCalls => ({
  member: (guildId, userId) =>
    Effect.flatMap(
      requestMember(guildId, userId),
      Option.match({
        onSome: Effect.succeed,
        onNone: () =>
          rateLimited("readMember", "first", "GET", Routes.guildMember(guildId, userId)).pipe(
            Effect.map((member): ReadonlyArray<string> | undefined => (member as APIGuildMember).roles),
            Effect.catchIf(isUnknownUser, () => Effect.succeed(undefined))
          )
      })
    ),
  setCommands: (guildId, commands) =>
    rateLimited("setCommands", "first", "PUT", Routes.applicationGuildCommands(applicationId, guildId), {
      body: commands
    }).pipe(
      Effect.map((registered) =>
        Object.fromEntries(
          (registered as ReadonlyArray<APIApplicationCommand>)
            .filter(({ type }) => type === ApplicationCommandType.ChatInput)
            .map(({ id, name }) => [name, id])
        )
      )
    )
})
