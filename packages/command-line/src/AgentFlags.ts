import * as Options from "@effect/cli/Options"
import type * as ValidationError from "@effect/cli/ValidationError"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as AgentCommand from "./AgentCommand.ts"
import * as AgentValues from "./AgentValues.ts"
import * as Setting from "./Setting.ts"

/** What the service gets from the flags of its agents. */
export interface Agents<Limit extends string> {
  /** At least one; the first is the default. */
  readonly agents: ReadonlyArray<Agent<Limit>>
  readonly clientMcpServers?: boolean
  readonly maxAgents?: number
  readonly maxAgentsPerUser?: number
  readonly maxTurnHistory?: number
  readonly maxTaskHistory?: number
  readonly keepArchivedDays?: number
}

/** One agent; without a command it is the service's own default. */
export interface Agent<Limit extends string> {
  readonly name?: string
  readonly command?: ReadonlyArray<string>
  readonly environment: ReadonlyArray<string>
  readonly signIn?: string
  readonly isolation?: (typeof isolations)[number]
  readonly network?: boolean
  readonly namespaces?: boolean
  readonly readable: ReadonlyArray<string>
  readonly limits: Partial<Readonly<Record<Limit, number>>>
}

/** The flags of the agents, for each program that runs the service; `limits` are the defaults of `--agent-limit`. */
export const make = <Limit extends string>(limits: Readonly<Record<Limit, number>>): Options.Options<Agents<Limit>> =>
  Options.all({
    // A command may have commas.
    commands: Options.mapEffect(Setting.texts("agent", descriptions.agent[1], "\n"), Effect.forEach(commandOf)),
    values: Options.all({
      environment: values("agent-env"),
      signIn: values("agent-auth"),
      isolation: values("isolation"),
      network: values("agent-network"),
      namespaces: values("agent-namespaces"),
      readable: values("agent-readable"),
      limits: Setting.texts("agent-limit", `${descriptions["agent-limit"][1]}: ${shownLimits(limits)}`)
    }),
    clientMcpServers: Options.map(
      Setting.choice("client-mcp-servers", ["on", "off"], descriptions["client-mcp-servers"][1]),
      Option.map((value) => value === "on")
    ),
    maxAgents: Setting.integer("max-agents", descriptions["max-agents"][1]),
    maxAgentsPerUser: Setting.integer("max-agents-per-user", descriptions["max-agents-per-user"][1]),
    maxTurnHistory: Setting.integer("max-turn-history", descriptions["max-turn-history"][1]),
    maxTaskHistory: Setting.integer("max-task-history", descriptions["max-task-history"][1]),
    keepArchivedDays: Setting.integer("keep-archived-days", descriptions["keep-archived-days"][1])
  }).pipe(
    Options.mapEffect(({ commands, values, ...ofService }) =>
      Effect.map(agentsOf(commands, values, limits), (agents) => ({ agents, ...Setting.definedOnly(ofService) }))
    )
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
    '[NAME=]"COMMAND …"',
    'An ACP agent to run in sandboxes, like "gemini --acp"; the demo agent when left out in a checkout. Several need names, and the first is the default. The other flags --agent-… and --isolation are for all of them, or with NAME: before the value for one, like --agent-env codex:OPENAI_API_KEY'
  ],
  "agent-env": ["NAME", "An environment variable that the agent gets, such as its API key's"],
  "agent-auth": [
    "METHOD",
    "The agent's sign-in method, such as api-key; the only one that needs no person when left out"
  ],
  isolation: [
    "KIND",
    "How agents are kept to themselves: auto, bubblewrap or none; auto takes bubblewrap where it works, bubblewrap does not start without it"
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
  ],
  "max-agents": ["N", "How many agents run at once; one that rests ends for another; 64 when left out"],
  "max-agents-per-user": ["N", "How many of these work for one account; 8 when left out"],
  "max-turn-history": ["N", "The MiB that an agent may write in one turn; 64 when left out"],
  "max-task-history": ["N", "The MiB of history at which a task takes no more prompts; 512 when left out"],
  "keep-archived-days": ["N", "The days after which an archived task is deleted; never when left out"]
} as const satisfies Readonly<Record<string, readonly [string, string]>>

const repeated: ReadonlySet<string> = new Set(["agent", "agent-env", "agent-readable", "agent-limit"])

const values = (flag: keyof typeof descriptions) => Setting.texts(flag, descriptions[flag][1])

interface Command {
  readonly name?: string
  readonly command: ReadonlyArray<string>
}

/** Reads `COMMAND …` or `NAME=COMMAND …`. */
const commandOf = (text: string): Effect.Effect<Command, ValidationError.ValidationError> => {
  const [, name, line = text] = /^([^\s=/\\"']*)=(.*)$/s.exec(text) ?? []
  if (name === "") {
    return Effect.fail(Setting.invalid(`--agent: ${JSON.stringify(text)} has no name before its "=". ${example}`))
  }
  return AgentCommand.parse(line).pipe(
    Effect.mapBoth({
      onSuccess: (command) => (name === undefined ? { command } : { name, command }),
      onFailure: (problem) => Setting.invalid(`--agent: ${problem}. ${example}`)
    })
  )
}

const example = 'Give a command like --agent "gemini --acp" or --agent NAME="COMMAND …".'

type Values = Readonly<Record<Exclude<keyof Agent<string>, "name" | "command">, ReadonlyArray<string>>>

/** Gives each agent its values. An agent without a name is meant by `default`. */
const agentsOf = Effect.fnUntraced(function* <Limit extends string>(
  commands: ReadonlyArray<Command>,
  values: Values,
  limits: Readonly<Record<Limit, number>>
) {
  const agents: ReadonlyArray<Partial<Command>> = commands.length === 0 ? [{}] : commands
  const names = agents.map(({ name = "default" }) => name)
  const environment = yield* AgentValues.parse(variables, values.environment, names)
  const signIn = yield* AgentValues.parse(
    { ...text("agent-auth", "a sign-in method"), subject: () => "the method" },
    values.signIn,
    names
  )
  const isolation = yield* AgentValues.parse(oneOf("isolation", isolations), values.isolation, names)
  const network = yield* AgentValues.parse(oneOf("agent-network", onOff), values.network, names)
  const namespaces = yield* AgentValues.parse(oneOf("agent-namespaces", onOff), values.namespaces, names)
  const readable = yield* AgentValues.parse(text("agent-readable", "a path"), values.readable, names)
  const changedLimits = yield* AgentValues.parse(limitReader(limits), values.limits, names)
  return agents.map((agent): Agent<Limit> => {
    const name = agent.name ?? "default"
    return {
      ...agent,
      environment: AgentValues.listFor(environment, name),
      readable: AgentValues.listFor(readable, name),
      limits: Object.fromEntries(AgentValues.listFor(changedLimits, name)) as Agent<Limit>["limits"],
      ...Setting.definedOnly({
        signIn: Option.fromNullable(AgentValues.valueFor(signIn, name)),
        isolation: Option.fromNullable(AgentValues.valueFor(isolation, name)),
        network: Option.map(Option.fromNullable(AgentValues.valueFor(network, name)), isOn),
        namespaces: Option.map(Option.fromNullable(AgentValues.valueFor(namespaces, name)), isOn)
      })
    }
  })
})

const onOff = ["on", "off"] as const

const isOn = (value: (typeof onOff)[number]): boolean => value === "on"

const text = (flag: string, expected: string): AgentValues.Reader<string> => ({
  flag,
  expected,
  read: (given) => given.trim() || undefined
})

const variables: AgentValues.Reader<string> = {
  flag: "agent-env",
  expected: "the name of a variable",
  read: (given) => (/^[^\s=:]+$/.test(given.trim()) ? given.trim() : undefined)
}

const oneOf = <const A extends string>(flag: string, choices: ReadonlyArray<A>): AgentValues.Reader<A> => ({
  flag,
  expected: `one of ${choices.join(", ")}`,
  read: (text) => choices.find((choice) => choice === text),
  subject: () => "the choice"
})

const limitReader = <Limit extends string>(
  limits: Readonly<Record<Limit, number>>
): AgentValues.Reader<readonly [Limit, number]> => {
  const isLimit = (name: string): name is Limit => Object.hasOwn(limits, name)
  return {
    flag: "agent-limit",
    expected: `like memory=2048, with ${Object.keys(limits).join(", ")}`,
    read: (text) => {
      const [, name = "", value] = /^([A-Za-z]+)=(\d{1,9})$/.exec(text) ?? []
      return isLimit(name) ? [name, Number(value)] : undefined
    },
    subject: ([name]) => name
  }
}

const shownLimits = <Limit extends string>(limits: Readonly<Record<Limit, number>>): string =>
  Object.entries(limits)
    .map(([name, value]) => `${name}=${value}`)
    .join(", ")
