import * as Effect from "effect/Effect"
import * as ApplicationInfo from "../discord/ApplicationInfo.ts"
import * as Invite from "../discord/Invite.ts"
import { failed, type Finding, note, ok, quote } from "./Finding.ts"

/** Checks the token, the application's intents, and the bot's permissions in each server. */
export const check = Effect.fn("DiscordCheck.check")(function* (options: ApplicationInfo.Options) {
  return yield* ApplicationInfo.read(options).pipe(
    Effect.map((info) => ({
      invite: Invite.link(info.id),
      findings: [
        ok("Discord", `Discord knows the bot as ${quote(info.username)}`),
        intentFinding(info),
        ...serverFindings(info.guilds)
      ]
    })),
    Effect.catchAll((error) =>
      Effect.succeed({
        invite: undefined,
        findings: [
          error.status === 401
            ? failed(
                "DISCORD_TOKEN",
                "Discord does not know this bot token",
                "Copy the bot token again from Discord's developer portal (Bot > Reset Token)."
              )
            : failed("Discord", error.description, "Look at the network of this machine, then try again.")
        ]
      })
    )
  )
})

const intentFinding = ({ readsMessages }: ApplicationInfo.ApplicationInfo): Finding =>
  !readsMessages
    ? note(
        "Message content",
        "the message content intent is off: in threads the bot sees only messages that mention it or reply to it",
        "Turn on Message Content Intent under Bot > Privileged Gateway Intents in Discord's developer portal, then restart the bot."
      )
    : ok("Message content", "the bot sees what is written in its threads")

const serverFindings = (guilds: ApplicationInfo.ApplicationInfo["guilds"]): ReadonlyArray<Finding> => {
  if (guilds.length === 0) {
    return [note("Servers", "the bot is in no server yet", "Open the invite link below and choose your server.")]
  }
  const missingFindings = guilds.flatMap(({ name, permissions }) => {
    const missing = Invite.missing(permissions)
    return missing.length === 0 ? [] : [permissionsFinding(name, missing)]
  })
  const completeCount = guilds.length - missingFindings.length
  return [
    ...missingFindings,
    ...(completeCount === 0
      ? []
      : [ok("Servers", `in ${completeCount} of ${guilds.length} the bot has the permissions that it needs`)])
  ]
}

/** The text about a server with missing permissions. */
export const permissionsFinding = (server: string, missing: ReadonlyArray<string>): Finding =>
  failed(
    "Permissions",
    `in ${quote(server)} the bot may not: ${missing.join(", ")}`,
    "Open the invite link and choose that server again, or give these permissions to the bot's role (Server Settings > Roles)."
  )
