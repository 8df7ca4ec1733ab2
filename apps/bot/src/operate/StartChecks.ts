import * as Effect from "effect/Effect"
import { DiscordClient } from "../discord/DiscordClient.ts"
import * as Invite from "../discord/Invite.ts"
import { permissionsFinding } from "./DiscordCheck.ts"
import type { Finding } from "./Finding.ts"
import * as ServiceCheck from "./ServiceCheck.ts"

/** Logs servers in which the bot lacks permissions. */
export const permissions = Effect.fn("StartChecks.permissions")(function* (guildId: string) {
  const { applicationId, guild } = yield* DiscordClient
  const cachedGuild = guild(guildId)
  const missing = cachedGuild?.permissions === undefined ? [] : Invite.missing(cachedGuild.permissions)
  if (cachedGuild === undefined || missing.length === 0) return
  yield* logFinding(permissionsFinding(cachedGuild.name, missing))
  yield* Effect.logWarning(`Invite link: ${Invite.link(applicationId)}`)
})

/** Logs when the service rejects the bot's client id and secret. */
export const application = Effect.fn("StartChecks.application")(function* (client: ServiceCheck.Client) {
  yield* logFinding(yield* ServiceCheck.application(client))
})

const logFinding = ({ check, fix = "", status, text }: Finding): Effect.Effect<void> =>
  status === "ok" ? Effect.void : Effect.logWarning(`${check}: ${text}. ${fix}`)
