import * as Effect from "effect/Effect"
import * as ApplicationInfo from "../discord/ApplicationInfo.ts"
import * as Invite from "../discord/Invite.ts"
import { failed, type Finding, note, ok, quoted } from "./Finding.ts"

/** Checks the token, the application's intents, and the bot's permissions in each server. */
export const check = Effect.fn("DiscordCheck.check")(function* (options: ApplicationInfo.Options) {
  return yield* ApplicationInfo.read(options).pipe(
    Effect.map((info) => ({
      invite: Invite.link(info.id),
      findings: [
        ok("Discord", `Discord knows the bot as ${quoted(info.username)}`),
        intent(info),
        ...servers(info.guilds)
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

const intent = ({ readsMessages }: ApplicationInfo.ApplicationInfo): Finding =>
  !readsMessages
    ? note(
        "Message content",
        "the message content intent is off: in threads the bot sees only messages that mention it or reply to it",
        "Turn on Message Content Intent under Bot > Privileged Gateway Intents in Discord's developer portal, then restart the bot."
      )
    : ok("Message content", "the bot sees what is written in its threads")

const servers = (guilds: ApplicationInfo.ApplicationInfo["guilds"]): ReadonlyArray<Finding> => {
  if (guilds.length === 0) {
    return [note("Servers", "the bot is in no server yet", "Open the invite link below and choose your server.")]
  }
  const lacking = guilds.flatMap(({ name, permissions }) => {
    const missing = Invite.missing(permissions)
    return missing.length === 0 ? [] : [lacks(name, missing)]
  })
  const fine = guilds.length - lacking.length
  return [
    ...lacking,
    ...(fine === 0 ? [] : [ok("Servers", `in ${fine} of ${guilds.length} the bot has the permissions that it needs`)])
  ]
}

/** The text about a server with missing permissions. */
export const lacks = (server: string, missing: ReadonlyArray<string>): Finding =>
  failed(
    "Permissions",
    `in ${quoted(server)} the bot may not: ${missing.join(", ")}`,
    "Open the invite link and choose that server again, or give these permissions to the bot's role (Server Settings > Roles)."
  )
