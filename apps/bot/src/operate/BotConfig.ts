import * as Options from "@effect/cli/Options"
import * as CommandLine from "@heddle/command-line/CommandLine"
import * as Setting from "@heddle/command-line/Setting"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import type { BotOptions } from "../model/BotOptions.ts"
import { BotStartError } from "../model/BotStartError.ts"

/** The help text of `heddle-bot`. */
export const help = `heddle-bot: cloud tasks in Discord threads

Usage: heddle-bot [options]           runs the bot
       heddle-bot doctor [options]    checks token, intents, permissions, service, callback and storage, says what
                                      to do about each, and names the invite link; with --json as one JSON object
       heddle-bot backup DIR [--data DIR] [--json]
                                      copies the database to the new folder DIR, also while the bot runs, and says
                                      how to restore it; HEDDLE_ENCRYPTION_KEY is not in the copy

  --data DIR          folder that keeps everything (HEDDLE_DATA)
  --base-url URL      address of the service (HEDDLE_BASE_URL)
  --client-id ID      the bot as an application of the service (HEDDLE_CLIENT_ID)
  --revocation-path PATH
                      where under that address the service takes tokens back, such as /openapi/v2/revoke; without it
                      /disconnect only forgets them (HEDDLE_REVOCATION_PATH)
  --initial-prompt auto|send
                      what to do about a new task's prompt that the service neither runs nor confirms to hold: ask the
                      person, or send it (HEDDLE_INITIAL_PROMPT)
  --idempotency-keys auto|true|false
                      whether the service keeps idempotency keys, so that the bot may send again what got no answer;
                      auto, as without it: as the service's answers say (HEDDLE_IDEMPOTENCY_KEYS)
  --public-url URL    where browsers reach the bot; its callback is URL/oauth/callback (HEDDLE_PUBLIC_URL)
  --host ADDRESS      address to listen on, 127.0.0.1 without it (HEDDLE_HOST)
  --port N            port to listen on, 0 for a free one, 4330 without it (HEDDLE_PORT)
  --answer-deadline SECONDS
                      how long people have to answer the agent of a task where the service does not say it, 1 to
                      86400; 290 without it. Not for local assistants' questions: one that names no time stays
                      open (HEDDLE_ANSWER_DEADLINE)
  --channel-silence SECONDS
                      how long a task's channel that has shown heartbeats may be silent before the bot connects
                      again, 1 to 86400; 45 without it (HEDDLE_CHANNEL_SILENCE)
  --discord-api URL   another server that speaks Discord's protocol (DISCORD_API)
  --help, --version

Secrets come from the environment only:
  DISCORD_TOKEN           the bot token from Discord's developer portal
  HEDDLE_CLIENT_SECRET    the secret of the application
  HEDDLE_ENCRYPTION_KEY   32 random bytes in base64 or hex: openssl rand -base64 32
                          for a new key, put it before the old one, with a comma

When it is ready it prints one line of JSON on standard output; logs go to standard error.
`

/** The command on the command line. */
export type CliCommand =
  | { readonly _tag: "Help" }
  | { readonly _tag: "Version" }
  | { readonly _tag: "Run"; readonly options: BotOptions }
  | { readonly _tag: "Backup"; readonly json: boolean; readonly dataDir: string; readonly target: string }
  | {
      readonly _tag: "Doctor"
      readonly json: boolean
      readonly settings: Settings
      readonly problems: ReadonlyArray<BotStartError>
    }

/** The given settings; missing or invalid ones are undefined. */
export interface Settings {
  readonly discordToken: Redacted.Redacted | undefined
  readonly discordApi: string | undefined
  readonly baseUrl: string | undefined
  readonly clientId: string | undefined
  readonly clientSecret: Redacted.Redacted | undefined
  readonly encryptionKey: Redacted.Redacted | undefined
  readonly dataDir: string | undefined
  readonly revocationPath: string | undefined
  readonly initialPrompt: BotOptions["initialPrompt"]
  readonly idempotencyKeys: BotOptions["idempotencyKeys"]
  readonly publicUrl: string | undefined
  readonly host: string | undefined
  readonly port: number
  /** In seconds. */
  readonly answerDeadline: number | undefined
  /** In seconds. */
  readonly channelSilence: number | undefined
}

/** Reads arguments and environment; fails with the missing or invalid setting. */
export const read = (
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string | undefined>>
): Effect.Effect<CliCommand, BotStartError> =>
  Effect.gen(function* () {
    const line = yield* Effect.mapError(CommandLine.read(options, args, env), ({ message }) =>
      wrongArguments(message.replace(/\.$/, ""))
    )
    if (line._tag !== "Values") return { _tag: line._tag }
    const { operands, options: flags } = line
    const [command, ...more] = operands
    if (command === "backup") return yield* backup(more, flags)
    const unknown = command === "doctor" ? more[0] : (command ?? (flags.json ? "--json" : undefined))
    if (unknown !== undefined) return yield* wrongArguments(`${unknown} is not known here`)

    const { problems, settings } = settingsFrom(flags, env)
    if (command === "doctor") return { _tag: "Doctor", json: flags.json, settings, problems }
    const [problem] = problems
    if (problem !== undefined) return yield* problem
    return { _tag: "Run", options: yield* complete(settings) }
  })

const backup = (
  [target, ...more]: ReadonlyArray<string>,
  { data, json }: Flags
): Effect.Effect<CliCommand, BotStartError> => {
  const [unknown] = more
  if (unknown !== undefined) return wrongArguments(`${unknown} is not known here`)
  const missing = (setting: string, fix: string) => new BotStartError({ setting, problem: "it is not given", fix })
  if (target === undefined) return missing("DIR", "Name a new folder for the copy: heddle-bot backup DIR.")
  if (data === undefined) return missing("HEDDLE_DATA", "Give the data folder of the bot.")
  return Effect.succeed({ _tag: "Backup", json, dataDir: data, target })
}

const settingsFrom = (
  flags: Flags,
  env: Readonly<Record<string, string | undefined>>
): { readonly settings: Settings; readonly problems: ReadonlyArray<BotStartError> } => {
  const problems: Array<BotStartError> = []
  const refuse = (setting: string, problem: string, fix: string) =>
    void problems.push(new BotStartError({ setting, problem, fix }))
  const required = (name: string, value: string | undefined, fix: string): string | undefined => {
    if (value === undefined) refuse(name, "it is not set", fix)
    return value
  }
  const secret = (name: string, fix: string): Redacted.Redacted | undefined => {
    const value = required(name, env[name]?.trim() || undefined, fix)
    return value === undefined ? undefined : Redacted.make(value)
  }
  const url = (name: string, value: string | undefined): string | undefined => {
    if (value === undefined || (URL.canParse(value) && /^https?:/.test(value))) return value
    refuse(name, `${value} is not an http address`, "Give a full address, such as https://bot.example.")
    return undefined
  }
  const path = (name: string, value: string | undefined): string | undefined => {
    // This address receives secrets, so it is strict.
    if (value === undefined || /^\/(?!\/)[\w./~-]*$/.test(value)) return value
    refuse(name, `${value} is not a path`, "Give a path under the service's address, such as /openapi/v2/revoke.")
    return undefined
  }

  if ((env["HEDDLE_DATABASE"]?.trim() ?? "") !== "") {
    refuse("HEDDLE_DATABASE", "this version keeps its data in a folder only", "Unset it and give HEDDLE_DATA.")
  }
  const { port = "4330" } = flags
  const isPort = /^\d+$/.test(port) && Number(port) <= 65_535
  if (!isPort) refuse("HEDDLE_PORT", `${port} is not a port`, "Give a whole number from 0 to 65535.")
  const seconds = (name: string, value: string | undefined): number | undefined => {
    if (value === undefined) return undefined
    if (/^\d{1,5}$/.test(value) && Number(value) >= 1 && Number(value) <= 86_400) return Number(value)
    refuse(name, `${value} is not a number of seconds`, "Give a number from 1 to 86400.")
    return undefined
  }
  const settings: Settings = {
    answerDeadline: seconds("HEDDLE_ANSWER_DEADLINE", flags.answerDeadline),
    channelSilence: seconds("HEDDLE_CHANNEL_SILENCE", flags.channelSilence),
    port: isPort ? Number(port) : 4330,
    discordToken: secret("DISCORD_TOKEN", "Copy the bot token from Discord's developer portal (Bot > Reset Token)."),
    baseUrl: url("HEDDLE_BASE_URL", required("HEDDLE_BASE_URL", flags.baseUrl, "Give the address of the service.")),
    clientId: required("HEDDLE_CLIENT_ID", flags.clientId, "Register the bot as an application at the service."),
    clientSecret: secret("HEDDLE_CLIENT_SECRET", "It was shown when the application was registered."),
    encryptionKey: secret("HEDDLE_ENCRYPTION_KEY", "Make one: openssl rand -base64 32"),
    dataDir: required("HEDDLE_DATA", flags.data, "Give a folder that outlives the process."),
    revocationPath: path("HEDDLE_REVOCATION_PATH", flags.revocationPath),
    initialPrompt: Option.getOrUndefined(flags.initialPrompt),
    idempotencyKeys: Option.getOrUndefined(flags.idempotencyKeys),
    publicUrl: url("HEDDLE_PUBLIC_URL", flags.publicUrl),
    discordApi: url("DISCORD_API", flags.discordApi),
    host: flags.host
  }
  return { settings, problems }
}

/** The options of a bot from valid settings. */
const complete = (settings: Settings): Effect.Effect<BotOptions> => {
  const {
    answerDeadline,
    channelSilence,
    baseUrl,
    clientId,
    clientSecret,
    dataDir,
    discordApi,
    discordToken,
    encryptionKey,
    host,
    idempotencyKeys,
    initialPrompt,
    port,
    publicUrl,
    revocationPath
  } = settings
  if (
    baseUrl === undefined ||
    clientId === undefined ||
    clientSecret === undefined ||
    dataDir === undefined ||
    discordToken === undefined ||
    encryptionKey === undefined
  ) {
    return Effect.dieMessage("a setting is missing that is required")
  }
  return Effect.succeed({
    discordToken,
    baseUrl,
    application: () => Effect.succeed({ clientId, clientSecret }),
    encryptionKey,
    dataDir,
    port,
    ...(answerDeadline === undefined ? {} : { answerDeadlineMs: answerDeadline * 1000 }),
    ...(channelSilence === undefined ? {} : { channelSilenceMs: channelSilence * 1000 }),
    ...(discordApi === undefined ? {} : { discordApi }),
    ...(initialPrompt === undefined ? {} : { initialPrompt }),
    ...(idempotencyKeys === undefined ? {} : { idempotencyKeys }),
    ...(publicUrl === undefined ? {} : { publicUrl }),
    ...(revocationPath === undefined ? {} : { revocationPath }),
    ...(host === undefined ? {} : { host })
  })
}

/** Whether the service keeps idempotency keys. */
export const idempotencyKeys: Options.Options<Option.Option<"auto" | boolean>> = Setting.choice(
  "idempotency-keys",
  ["auto", "true", "false"],
  "Whether the service keeps idempotency keys"
).pipe(Options.map(Option.map((choice) => (choice === "auto" ? choice : choice === "true"))))

const options = Options.all({
  data: Setting.text("data"),
  baseUrl: Setting.text("base-url"),
  clientId: Setting.text("client-id"),
  revocationPath: Setting.text("revocation-path"),
  initialPrompt: Setting.choice(
    "initial-prompt",
    ["auto", "send"],
    "Prompts of new tasks that no service runs or holds"
  ),
  idempotencyKeys,
  publicUrl: Setting.text("public-url"),
  host: Setting.text("host"),
  port: Setting.text("port"),
  answerDeadline: Setting.text("answer-deadline"),
  channelSilence: Setting.text("channel-silence"),
  discordApi: Setting.text("discord-api", "DISCORD_API"),
  json: Options.boolean("json")
})

type Flags = typeof options extends Options.Options<infer A> ? A : never

const wrongArguments = (problem: string) =>
  new BotStartError({ setting: "arguments", problem, fix: "heddle-bot --help lists them." })
