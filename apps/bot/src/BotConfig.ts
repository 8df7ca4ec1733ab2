import { parseArgs } from "node:util"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { BotOptions } from "./Bot.ts"
import { BotStartError } from "./BotStartError.ts"

/** What `heddle-bot --help` says. */
export const help = `heddle-bot: cloud tasks in Discord threads

Usage: heddle-bot [options]

  --data DIR          folder that keeps everything (HEDDLE_DATA)
  --base-url URL      address of the service (HEDDLE_BASE_URL)
  --client-id ID      the bot as an application of the service (HEDDLE_CLIENT_ID)
  --public-url URL    where browsers reach the bot; its callback is URL/oauth/callback (HEDDLE_PUBLIC_URL)
  --host ADDRESS      address to listen on, 127.0.0.1 without it (HEDDLE_HOST)
  --port N            port to listen on, 0 for a free one, 4330 without it (HEDDLE_PORT)
  --discord-api URL   another server that speaks Discord's protocol (DISCORD_API)
  --help, --version

Secrets come from the environment only:
  DISCORD_TOKEN           the bot token from Discord's developer portal
  HEDDLE_CLIENT_SECRET    the secret of the application
  HEDDLE_ENCRYPTION_KEY   32 random bytes in base64 or hex: openssl rand -base64 32

When it is ready it prints one line of JSON on standard output; logs go to standard error.
`

/** What the command line asks for. */
export type Asked =
  | { readonly _tag: "Help" }
  | { readonly _tag: "Version" }
  | { readonly _tag: "Run"; readonly options: BotOptions }

/** Reads arguments and environment; fails with the setting that is missing or wrong. */
export const read = (
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string | undefined>>
): Effect.Effect<Asked, BotStartError> =>
  Effect.gen(function* () {
    const flags = yield* Effect.try({ try: () => parse(args), catch: wrongArguments })
    if (flags.help === true) return { _tag: "Help" }
    if (flags.version === true) return { _tag: "Version" }

    const given = (name: string, flag: string | undefined): string | undefined => {
      const value = (flag ?? env[name])?.trim()
      return value === "" ? undefined : value
    }
    const required = (name: string, flag: string | undefined, fix: string) => {
      const value = given(name, flag)
      return value === undefined
        ? Effect.fail(new BotStartError({ setting: name, problem: "it is not set", fix }))
        : Effect.succeed(value)
    }
    const url = (name: string, value: string | undefined) =>
      value === undefined || (URL.canParse(value) && /^https?:/.test(value))
        ? Effect.succeed(value)
        : Effect.fail(
            new BotStartError({
              setting: name,
              problem: `${value} is not an http address`,
              fix: "Give a full address, such as https://bot.example."
            })
          )

    if (given("HEDDLE_DATABASE", undefined) !== undefined) {
      return yield* new BotStartError({
        setting: "HEDDLE_DATABASE",
        problem: "this version keeps its data in a folder only",
        fix: "Unset it and give HEDDLE_DATA."
      })
    }
    const port = given("HEDDLE_PORT", flags.port) ?? "4330"
    if (!/^\d+$/.test(port) || Number(port) > 65_535) {
      return yield* new BotStartError({
        setting: "HEDDLE_PORT",
        problem: `${port} is not a port`,
        fix: "Give a whole number from 0 to 65535."
      })
    }
    const discordToken = yield* required(
      "DISCORD_TOKEN",
      undefined,
      "Copy the bot token from Discord's developer portal (Bot > Reset Token)."
    )
    const baseUrl = yield* required("HEDDLE_BASE_URL", flags["base-url"], "Give the address of the service.")
    yield* url("HEDDLE_BASE_URL", baseUrl)
    const clientId = yield* required(
      "HEDDLE_CLIENT_ID",
      flags["client-id"],
      "Register the bot as an application at the service."
    )
    const clientSecret = yield* required(
      "HEDDLE_CLIENT_SECRET",
      undefined,
      "It was shown when the application was registered."
    )
    const encryptionKey = yield* required("HEDDLE_ENCRYPTION_KEY", undefined, "Make one: openssl rand -base64 32")
    const dataDir = yield* required("HEDDLE_DATA", flags.data, "Give a folder that outlives the process.")
    const publicUrl = yield* url("HEDDLE_PUBLIC_URL", given("HEDDLE_PUBLIC_URL", flags["public-url"]))
    const discordApi = yield* url("DISCORD_API", given("DISCORD_API", flags["discord-api"]))
    const host = given("HEDDLE_HOST", flags.host)
    return {
      _tag: "Run",
      options: {
        discordToken: Redacted.make(discordToken),
        baseUrl,
        application: () => Effect.succeed({ clientId, clientSecret: Redacted.make(clientSecret) }),
        encryptionKey: Redacted.make(encryptionKey),
        dataDir,
        port: Number(port),
        ...(discordApi === undefined ? {} : { discordApi }),
        ...(publicUrl === undefined ? {} : { publicUrl }),
        ...(host === undefined ? {} : { host })
      }
    }
  })

const parse = (args: ReadonlyArray<string>) =>
  parseArgs({
    args: [...args],
    options: {
      data: { type: "string" },
      "base-url": { type: "string" },
      "client-id": { type: "string" },
      "public-url": { type: "string" },
      host: { type: "string" },
      port: { type: "string" },
      "discord-api": { type: "string" },
      help: { type: "boolean" },
      version: { type: "boolean" }
    }
  }).values

const wrongArguments = (cause: unknown) => {
  const [reason = "they cannot be read"] = (cause instanceof Error ? cause.message : String(cause)).split("\n")
  return new BotStartError({
    setting: "arguments",
    problem: reason.replace(/\. To specify.*$/, ""),
    fix: "heddle-bot --help lists them."
  })
}
