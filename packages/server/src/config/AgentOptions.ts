import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import { fileURLToPath } from "node:url"
import * as AgentSettings from "./AgentSettings.ts"
import { ServerStartError } from "./ServerStartError.ts"

/** The options of one agent; each has a default. */
export interface AgentOptions {
  /** Lower-case letters, digits and hyphens; needed where there are several agents. */
  readonly name?: string
  /** The ACP agent, program and arguments; by default the demo agent, which only the checkout has. */
  readonly command?: ReadonlyArray<string>
  /** Names of environment variables that the agent gets beside PATH, HOME, LANG and TMPDIR. */
  readonly environment?: ReadonlyArray<string>
  /** A sign-in method of the agent's `authMethods`; by default the only one that needs no person. */
  readonly signIn?: string
  /** How the agent is isolated; by default with bubblewrap where it works. */
  readonly isolation?: AgentSettings.IsolationSettings["mode"]
  /** Whether the agent in bubblewrap has the network; by default all but the demo agent have it. */
  readonly network?: boolean
  /** Whether the agent in bubblewrap can make namespaces, as one with a sandbox of its own must; by default not. */
  readonly namespaces?: boolean
  /** Files and folders that the agent in bubblewrap can read besides those of its command. */
  readonly readable?: ReadonlyArray<string>
  /** Limits of an agent process; the others keep their defaults. */
  readonly limits?: Partial<AgentSettings.AgentLimits>
}

/** Checks the agents and completes them; without any there is one, the demo agent. */
export const settings = Effect.fnUntraced(function* (options: ReadonlyArray<AgentOptions>) {
  const agents = Arr.isNonEmptyReadonlyArray(options) ? options : Arr.of<AgentOptions>({})
  yield* checkNames(agents.map(({ name }) => name))
  const completed = yield* Effect.forEach(agents, complete)
  yield* Effect.forEach(agents, warnOfMissing, { discard: true })
  return completed
})

/** Fails when there is no agent to run tasks: neither a command nor the demo agent. */
export const requireAgent = (options: ReadonlyArray<AgentOptions> = []): Effect.Effect<void, ServerStartError> =>
  (options.length === 0 || options.some(({ command }) => command === undefined)) && demoAgent() === undefined
    ? invalid("--agent", "it is missing", nameAgent)
    : Effect.void

/** The command of the demo agent; undefined outside the checkout, where this package is installed without it. */
export const demoAgent = (): ReadonlyArray<string> | undefined => {
  try {
    const manifest = import.meta.resolve("@heddle/demo-agent/package.json")
    return [process.execPath, fileURLToPath(new URL("dist/bin/main.js", manifest))]
  } catch {
    return undefined
  }
}

const checkNames = (names: ReadonlyArray<string | undefined>): Effect.Effect<void, ServerStartError> => {
  if (names.length > 1 && names.includes(undefined)) {
    return invalid("--agent", "one of several agents has no name", nameAll)
  }
  const given = names.filter((name) => name !== undefined)
  const wrong = given.find((name) => !/^[a-z][a-z0-9-]{0,31}$/.test(name))
  if (wrong !== undefined) {
    return invalid(
      "--agent",
      `${JSON.stringify(wrong)} is no name for an agent`,
      "Take a letter and at most 31 more letters, digits and hyphens, all in lower case."
    )
  }
  if (given.includes(AgentSettings.unnamed)) {
    return invalid("--agent", `${AgentSettings.unnamed} means whichever agent is the first`, "Choose another name.")
  }
  const repeated = given.find((name, n) => given.indexOf(name) < n)
  return repeated === undefined
    ? Effect.void
    : invalid("--agent", `two agents have the name ${repeated}`, "Give each agent a name of its own.")
}

const complete = (options: AgentOptions): Effect.Effect<AgentSettings.Agent, ServerStartError> => {
  const { command = demoAgent() ?? [], limits, name = AgentSettings.unnamed } = options
  if (options.command?.length === 0) return invalid("--agent", `the command${of(options)} is empty`, nameAgent)
  const allLimits = { ...AgentSettings.defaults, ...limits }
  const wrong = Object.entries(allLimits).find(([, value]) => !Number.isSafeInteger(value) || value < 1)
  if (wrong !== undefined) {
    return invalid("--agent-limit", `${wrong.join("=")} is no limit`, "Give a whole number from 1.")
  }
  return Effect.succeed({
    name,
    command,
    environment: ["HEDDLE_AGENT_PACE_MS", ...(options.environment ?? [])],
    signIn: options.signIn,
    isolation: {
      mode: options.isolation ?? "auto",
      network: options.network ?? options.command !== undefined,
      namespaces: options.namespaces ?? false,
      readable: options.readable ?? [],
      limits: allLimits
    }
  })
}

/** An agent without its key starts, and fails when it is at work. */
const warnOfMissing = ({ environment = [], name = AgentSettings.unnamed }: AgentOptions): Effect.Effect<void> =>
  Effect.forEach(
    environment.filter((variable) => (process.env[variable] ?? "") === ""),
    (variable) =>
      Effect.logWarning(`the agent ${name} is to get the environment variable ${variable}, which has no value`),
    { discard: true }
  )

const of = ({ name }: AgentOptions): string => (name === undefined ? "" : ` of ${name}`)

const nameAgent = 'Name an agent that speaks the Agent Client Protocol, like --agent "gemini --acp".'

const nameAll = 'Give each a name, like --agent claude="claude-agent-acp" --agent gemini="gemini --acp".'

const invalid = (setting: string, problem: string, fix: string): Effect.Effect<never, ServerStartError> =>
  Effect.fail(new ServerStartError({ setting, problem, fix }))
