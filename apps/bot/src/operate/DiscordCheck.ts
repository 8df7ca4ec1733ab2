import {
  type APIApplication,
  type APIUser,
  ApplicationFlags,
  REST,
  type RESTGetAPICurrentUserGuildsResult,
  type RouteLike,
  Routes
} from "discord.js"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { fromUnknown } from "../discord/DiscordError.ts"
import * as Invite from "../discord/Invite.ts"
import { failed, type Finding, note, ok, quoted } from "./Finding.ts"

/** How to reach Discord. */
export interface Options {
  readonly token: Redacted.Redacted
  readonly api: string | undefined
}

/** Asks Discord whether it knows the token, what the application may see, and what the bot may do in each server. */
export const check = Effect.fn("DiscordCheck.check")(function* ({ api, token }: Options) {
  const rest = new REST({ version: "10", timeout: 10_000, retries: 1, ...(api === undefined ? {} : { api }) })
  rest.setToken(Redacted.value(token))
  const get = <A>(name: string, route: RouteLike, query = new URLSearchParams()) =>
    Effect.tryPromise({ try: (signal) => rest.get(route, { query, signal }) as Promise<A>, catch: fromUnknown(name) })

  const allGuilds = Effect.gen(function* () {
    const guilds: Array<RESTGetAPICurrentUserGuildsResult[number]> = []
    for (;;) {
      const query = new URLSearchParams({ limit: "200", after: guilds.at(-1)?.id ?? "0" })
      const page = yield* get<RESTGetAPICurrentUserGuildsResult>("getGuilds", Routes.userGuilds(), query)
      guilds.push(...page)
      if (page.length < 200) return guilds
    }
  })

  return yield* Effect.gen(function* () {
    const bot = yield* get<APIUser>("getCurrentUser", Routes.user())
    const application = yield* get<APIApplication>("getApplication", Routes.currentApplication())
    const guilds = yield* allGuilds
    const invite = Invite.link(application.id)
    return {
      invite,
      findings: [
        ok("Discord", `Discord knows the bot as ${quoted(bot.username)}`),
        intent(application),
        ...servers(guilds)
      ]
    }
  }).pipe(
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

const intent = ({ flags }: APIApplication): Finding =>
  ((flags ?? 0) & (ApplicationFlags.GatewayMessageContent | ApplicationFlags.GatewayMessageContentLimited)) === 0
    ? note(
        "Message content",
        "the message content intent is off: in threads the bot sees only messages that mention it or reply to it",
        "Turn on Message Content Intent under Bot > Privileged Gateway Intents in Discord's developer portal, then restart the bot."
      )
    : ok("Message content", "the bot sees what is written in its threads")

const servers = (guilds: RESTGetAPICurrentUserGuildsResult): ReadonlyArray<Finding> => {
  if (guilds.length === 0) {
    return [note("Servers", "the bot is in no server yet", "Open the invite link below and choose your server.")]
  }
  const lacking = guilds.flatMap(({ name, permissions }) => {
    const missing = Invite.missing(BigInt(permissions))
    return missing.length === 0 ? [] : [lacks(name, missing)]
  })
  const fine = guilds.length - lacking.length
  return [
    ...lacking,
    ...(fine === 0 ? [] : [ok("Servers", `in ${fine} of ${guilds.length} the bot has the permissions that it needs`)])
  ]
}

/** What is said of a server that gives the bot too little. */
export const lacks = (server: string, missing: ReadonlyArray<string>): Finding =>
  failed(
    "Permissions",
    `in ${quoted(server)} the bot may not: ${missing.join(", ")}`,
    "Open the invite link and choose that server again, or give these permissions to the bot's role (Server Settings > Roles)."
  )
