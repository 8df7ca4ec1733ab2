import { homedir } from "node:os"
import { join, resolve } from "node:path"
import { parseArgs } from "node:util"
import * as Either from "effect/Either"
import * as Redacted from "effect/Redacted"
import { StackError } from "./StackError.ts"

/** What `start` was asked to do. Ports: 0 picks a free one. `prompts` empty means: serve a page. */
export interface StackOptions {
  readonly data: string
  readonly agent: ReadonlyArray<string> | undefined
  /** Names of environment variables that the agent gets, such as its API key's. */
  readonly agentEnv: ReadonlyArray<string>
  readonly agentNetwork: boolean | undefined
  readonly isolation: (typeof isolations)[number] | undefined
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

Runs the service, a local Discord with a page, the bot and an ACP agent.

  --data DIR             where everything is kept (default: ${stateFolder({})})
  --agent "COMMAND …"    run another ACP agent, for example "gemini --acp"
  --agent-env NAME       an environment variable that the agent gets, such as its
                         API key's; repeat it for several
  --agent-network on|off whether agents in bubblewrap have the network (default:
                         off for the demo agent, on for another)
  --isolation KIND       auto, bubblewrap or none (default auto: bubblewrap where
                         it works, else a process of this user)
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
    const flags = yield* readFlags(args)
    if (flags.help === true) return "help"
    if (flags.version === true) return "version"
    const headless = flags.prompt !== undefined
    const value = (name: TextFlag): string | undefined => flags[name] ?? env[variable(name)]
    const port = (name: TextFlag, fallback: number) => readPort(name, value(name), headless ? 0 : fallback)
    const approve = value("approve") ?? "allow"
    if (approve !== "allow" && approve !== "deny") {
      return yield* bad(`--approve is "${approve}"; give allow or deny.`)
    }
    const network = value("agent-network")
    if (network !== undefined && network !== "on" && network !== "off") {
      return yield* bad(`--agent-network is "${network}"; give on or off.`)
    }
    const isolation = value("isolation")
    const isolated = isolations.find((kind) => kind === isolation)
    if (isolation !== undefined && isolated === undefined) {
      return yield* bad(`--isolation is "${isolation}"; give ${isolations.join(", ")}.`)
    }
    const agentEnv = flags["agent-env"] ?? env["HEDDLE_AGENT_ENV"]?.split(",") ?? []
    const agent = value("agent")
    const words = agent === undefined ? undefined : splitCommand(agent)
    if (agent !== undefined && /["']/.test(agent.replace(/"[^"]*"|'[^']*'/g, ""))) {
      return yield* bad("--agent has a quote that is not closed.")
    }
    if (words !== undefined && words.length === 0)
      return yield* bad('--agent is empty; give a command, like --agent "gemini --acp".')
    const token = env["DISCORD_TOKEN"]
    if (headless && token !== undefined && token !== "") {
      return yield* bad("--prompt runs on the local Discord, but DISCORD_TOKEN is set; unset it for this command.")
    }
    if (!headless && (value("file") !== undefined || flags.json === true)) {
      return yield* bad('--file and --json go with --prompt; add one, like --prompt "What is in this file?".')
    }
    if (flags.prompt?.some((prompt) => prompt.trim() === "") === true) {
      return yield* bad("--prompt is empty; say what the task is about.")
    }
    const file = value("file")
    return {
      data: resolve(value("data") ?? stateFolder(env)),
      agent: words,
      agentEnv,
      agentNetwork: network === undefined ? undefined : network === "on",
      isolation: isolated,
      port: yield* port("port", 4320),
      servicePort: yield* port("service-port", 4310),
      callbackPort: yield* port("callback-port", 4330),
      prompts: flags.prompt ?? [],
      file: file === undefined ? undefined : resolve(file),
      approve,
      json: flags.json ?? false,
      discordToken: token === undefined || token === "" ? undefined : Redacted.make(token)
    }
  })

/** Splits a command line into words as a shell does for quotes, without expanding anything. */
export const splitCommand = (line: string): ReadonlyArray<string> =>
  [...line.matchAll(/(?:[^\s"']|"[^"]*"|'[^']*')+/g)].map(([word]) => word.replace(/"([^"]*)"|'([^']*)'/g, "$1$2"))

const isolations = ["auto", "bubblewrap", "none"] as const

const flagTypes = {
  prompt: { type: "string", multiple: true },
  file: { type: "string" },
  approve: { type: "string" },
  json: { type: "boolean" },
  data: { type: "string" },
  agent: { type: "string" },
  "agent-env": { type: "string", multiple: true },
  "agent-network": { type: "string" },
  isolation: { type: "string" },
  port: { type: "string" },
  "service-port": { type: "string" },
  "callback-port": { type: "string" },
  help: { type: "boolean", short: "h" },
  version: { type: "boolean" }
} as const

type TextFlag =
  | "file"
  | "approve"
  | "data"
  | "agent"
  | "agent-network"
  | "isolation"
  | "port"
  | "service-port"
  | "callback-port"

const readFlags = (args: ReadonlyArray<string>) =>
  Either.try({
    try: () => parseArgs({ args: [...args], options: flagTypes, strict: true }).values,
    catch: (cause) =>
      new StackError({
        message: `${cause instanceof Error ? cause.message.split(/[.\n]/)[0] : String(cause)}. See --help.`,
        status: 2
      })
  })

const readPort = (name: string, text: string | undefined, fallback: number): Either.Either<number, StackError> => {
  if (text === undefined) return Either.right(fallback)
  return /^\d{1,5}$/.test(text) && Number(text) <= 65535
    ? Either.right(Number(text))
    : bad(`--${name} is "${text}"; give a port from 0 to 65535.`)
}

const bad = (message: string): Either.Either<never, StackError> => Either.left(new StackError({ message, status: 2 }))

const variable = (flag: string) => `HEDDLE_${flag.toUpperCase().replaceAll("-", "_")}`

function stateFolder(env: Readonly<Record<string, string | undefined>>): string {
  if (process.platform === "win32") return join(env["LOCALAPPDATA"] ?? join(homedir(), "AppData", "Local"), "heddle")
  if (process.platform === "darwin") return join(homedir(), "Library", "Application Support", "heddle")
  return join(env["XDG_STATE_HOME"] ?? join(homedir(), ".local", "state"), "heddle")
}
