import * as Options from "@effect/cli/Options"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as AgentCommand from "./AgentCommand.ts"
import * as Setting from "./Setting.ts"

/** What the service gets from the flags of its agent. */
export interface Agent<Limit extends string> {
  readonly agentCommand?: ReadonlyArray<string>
  readonly agentEnvironment: ReadonlyArray<string>
  readonly agentSignIn?: string
  readonly isolation?: (typeof isolations)[number]
  readonly agentNetwork?: boolean
  readonly agentNamespaces?: boolean
  readonly agentReadable: ReadonlyArray<string>
  readonly agentLimits: Partial<Readonly<Record<Limit, number>>>
  readonly clientMcpServers?: boolean
}

/** The flags of the agent, for each program that runs the service; `limits` are the defaults of `--agent-limit`. */
export const make = <Limit extends string>(limits: Readonly<Record<Limit, number>>): Options.Options<Agent<Limit>> =>
  Options.all({
    agent: Options.mapEffect(optional("agent"), Effect.transposeMapOption(commandOf)),
    agentEnv: Setting.texts("agent-env", descriptions["agent-env"][1]),
    agentAuth: optional("agent-auth"),
    isolation: Setting.choice("isolation", isolations, descriptions.isolation[1]),
    agentNetwork: onOff("agent-network"),
    agentNamespaces: onOff("agent-namespaces"),
    agentReadable: Setting.texts("agent-readable", descriptions["agent-readable"][1]),
    agentLimits: limitFlag(limits),
    clientMcpServers: onOff("client-mcp-servers")
  }).pipe(
    Options.map(({ agent, agentAuth, agentEnv, agentLimits, agentReadable, ...others }) => ({
      agentEnvironment: agentEnv,
      agentReadable,
      agentLimits,
      ...Setting.definedOnly({ ...others, agentCommand: agent, agentSignIn: agentAuth })
    }))
  )

/** The lines of these flags in a help text. */
export const help = <Limit extends string>(limits: Readonly<Record<Limit, number>>): string =>
  Object.entries(descriptions)
    .map(([flag, [value, description]]) => {
      const line = `  --${flag} ${value}`
      const text = flag === "agent-limit" ? `${description}: ${shownLimits(limits)}` : description
      const ending = repeated.has(flag) ? "; repeat for several" : ""
      return `${line.length < 24 ? line.padEnd(24) : `${line}\n${" ".repeat(24)}`} ${text}${ending}\n`
    })
    .join("")

const isolations = ["auto", "bubblewrap", "none"] as const

/** How the value of each flag is written, and what the flag means. */
const descriptions = {
  agent: [
    '"COMMAND …"',
    'The ACP agent to run in sandboxes, like "gemini --acp"; the demo agent when left out in a checkout'
  ],
  "agent-env": ["NAME", "An environment variable that the agent gets, such as its API key's"],
  "agent-auth": [
    "METHOD",
    "The agent's sign-in method, such as api-key; the only one that needs no person when left out"
  ],
  isolation: [
    "KIND",
    "How agents are kept to themselves; auto takes bubblewrap where it works, bubblewrap does not start without it"
  ],
  "agent-network": [
    "on|off",
    "Whether agents in bubblewrap have the network; off for the demo agent, on for one named by --agent"
  ],
  "agent-namespaces": [
    "on|off",
    "Whether agents in bubblewrap can make namespaces, as one with a sandbox of its own must (Codex); off when left out"
  ],
  "agent-readable": [
    "PATH",
    "A file or folder that agents in bubblewrap can read beside what their command is seen to need"
  ],
  "agent-limit": [
    "NAME=N",
    "A limit of each agent process to change, like memory=2048 (memory and fileSize in MiB, cpu in seconds)"
  ],
  "client-mcp-servers": [
    "on|off",
    "Whether clients may name MCP servers for the agent, which start in its sandbox; off when left out"
  ]
} as const satisfies Readonly<Record<string, readonly [string, string]>>

const repeated: ReadonlySet<string> = new Set(["agent-env", "agent-readable", "agent-limit"])

const optional = (flag: keyof typeof descriptions) => Setting.optional(flag, descriptions[flag][1])

const onOff = (flag: keyof typeof descriptions) =>
  Options.map(
    Setting.choice(flag, ["on", "off"], descriptions[flag][1]),
    Option.map((value) => value === "on")
  )

const commandOf = (line: string) =>
  Effect.mapError(AgentCommand.parse(line), (problem) =>
    Setting.invalid(`--agent: ${problem}. Give a command like --agent "gemini --acp".`)
  )

const limitFlag = <Limit extends string>(limits: Readonly<Record<Limit, number>>) => {
  const isLimit = (name: string): name is Limit => Object.hasOwn(limits, name)
  const parse = (given: string) => {
    const [, name = "", value] = /^([A-Za-z]+)=(\d{1,9})$/.exec(given) ?? []
    return isLimit(name)
      ? Effect.succeed([name, Number(value)] as const)
      : Effect.fail(
          Setting.invalid(
            `--agent-limit: ${JSON.stringify(given)} is not like memory=2048, with ${Object.keys(limits).join(", ")}.`
          )
        )
  }
  return Setting.texts("agent-limit", `${descriptions["agent-limit"][1]}: ${shownLimits(limits)}`).pipe(
    Options.mapEffect((given) =>
      Effect.map(
        Effect.forEach(given, parse),
        (pairs) => Object.fromEntries(pairs) as Partial<Readonly<Record<Limit, number>>>
      )
    )
  )
}

const shownLimits = <Limit extends string>(limits: Readonly<Record<Limit, number>>): string =>
  Object.entries(limits)
    .map(([name, value]) => `${name}=${value}`)
    .join(", ")
