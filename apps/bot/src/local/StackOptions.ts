import { homedir } from "node:os"
import { join, resolve } from "node:path"
import * as Options from "@effect/cli/Options"
import * as AgentFlags from "@heddle/command-line/AgentFlags"
import * as CommandLine from "@heddle/command-line/CommandLine"
import * as Setting from "@heddle/command-line/Setting"
import * as Server from "@heddle/server/Server"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as BotConfig from "../operate/BotConfig.ts"
import { StackError } from "./StackError.ts"

/** The options of `start`. Port 0 means a free port. Without `prompts` it serves a page. */
export interface StackOptions {
  readonly data: string
  /** What the service gets from the flags of its agents. */
  readonly agents: AgentFlags.Agents<keyof typeof Server.agentLimits>
  readonly idempotencyKeys: "auto" | boolean
  readonly port: number
  readonly servicePort: number
  readonly callbackPort: number
  readonly prompts: ReadonlyArray<string>
  readonly file: string | undefined
  readonly approve: "allow" | "deny"
  readonly json: boolean
  readonly discordToken: Redacted.Redacted | undefined
}

export const help = `Usage: npx --yes pnpm@10 start [options]

Runs the service, a local Discord with a page, the bot and ACP agents.

  --data DIR             where everything is kept (default: ${stateFolder({})})
${AgentFlags.help(Server.agentLimits)}  --idempotency-keys auto|true|false
                         whether the bot takes it that the service keeps
                         idempotency keys (default auto: as its answers say)
  --port N               port of the page (default 4320, 0 picks a free one)
  --service-port N       port of the service (default 4310)
  --callback-port N      port of the bot's OAuth callback (default 4330)

Without a page:
  --prompt TEXT          send this message and print the thread; repeat it to go on in the same thread
  --file PATH            attach this file to the first prompt
  --approve allow|deny   how permission requests are answered (default allow)
  --json                 one JSON object per Discord message or edit

  --help, --version

For scripts, npx --yes pnpm@10 --silent start … keeps pnpm's own lines off standard output.

Every flag except --prompt and --json can also be set as an environment variable: --data is HEDDLE_DATA.
DISCORD_TOKEN runs the bot on Discord instead of the local page.
`

/** Reads flags and environment; a flag wins over its variable. */
export const parse = (
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string | undefined>>
): Either.Either<StackOptions | "help" | "version", StackError> =>
  Either.gen(function* () {
    // An empty variable counts as absent, as programs that start others may set all of them.
    const set = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ""))
    const line = yield* Effect.runSync(Effect.either(CommandLine.read(options, args, set))).pipe(
      Either.mapLeft(
        ({ message }) => new StackError({ message: `${message.replace(/\.$/, "")}. See --help.`, status: 2 })
      )
    )
    if (line._tag !== "Values") return line._tag === "Help" ? "help" : "version"
    const [operand] = line.operands
    if (operand !== undefined) return yield* bad(`${operand} is not known here. See --help.`)
    const flags = line.options
    const headless = flags.prompts.length > 0
    const port = (name: string, text: string | undefined, fallback: number) =>
      readPort(name, text, headless ? 0 : fallback)
    const { approve = "allow" } = flags
    if (approve !== "allow" && approve !== "deny") {
      return yield* bad(`--approve is "${approve}"; give allow or deny.`)
    }
    const token = env["DISCORD_TOKEN"]
    if (headless && token !== undefined && token !== "") {
      return yield* bad("--prompt runs on the local Discord, but DISCORD_TOKEN is set; unset it for this command.")
    }
    if (!headless && (flags.file !== undefined || flags.json)) {
      return yield* bad('--file and --json go with --prompt; add one, like --prompt "What is in this file?".')
    }
    if (flags.prompts.some((prompt) => prompt.trim() === "")) {
      return yield* bad("--prompt is empty; say what the task is about.")
    }
    return {
      data: resolve(flags.data ?? stateFolder(env)),
      agents: flags.agents,
      idempotencyKeys: Option.getOrElse(flags.idempotencyKeys, () => "auto" as const),
      port: yield* port("port", flags.port, 4320),
      servicePort: yield* port("service-port", flags.servicePort, 4310),
      callbackPort: yield* port("callback-port", flags.callbackPort, 4330),
      prompts: flags.prompts,
      file: flags.file === undefined ? undefined : resolve(flags.file),
      approve,
      json: flags.json,
      discordToken: token === undefined || token === "" ? undefined : Redacted.make(token)
    }
  })

const options = Options.all({
  prompts: Options.repeated(Options.text("prompt")),
  file: Setting.text("file"),
  approve: Setting.text("approve"),
  json: Options.boolean("json"),
  data: Setting.text("data"),
  agents: AgentFlags.make(Server.agentLimits),
  idempotencyKeys: BotConfig.idempotencyKeys,
  port: Setting.text("port"),
  servicePort: Setting.text("service-port"),
  callbackPort: Setting.text("callback-port")
})

const readPort = (name: string, text: string | undefined, fallback: number): Either.Either<number, StackError> => {
  if (text === undefined) return Either.right(fallback)
  return /^\d{1,5}$/.test(text) && Number(text) <= 65535
    ? Either.right(Number(text))
    : bad(`--${name} is "${text}"; give a port from 0 to 65535.`)
}

const bad = (message: string): Either.Either<never, StackError> => Either.left(new StackError({ message, status: 2 }))

function stateFolder(env: Readonly<Record<string, string | undefined>>): string {
  if (process.platform === "win32") return join(env["LOCALAPPDATA"] ?? join(homedir(), "AppData", "Local"), "heddle")
  if (process.platform === "darwin") return join(homedir(), "Library", "Application Support", "heddle")
  return join(env["XDG_STATE_HOME"] ?? join(homedir(), ".local", "state"), "heddle")
}
