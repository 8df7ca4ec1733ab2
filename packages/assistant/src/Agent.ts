import { type AgentNotFound, UnsupportedVersion } from "@heddle/acp/AcpError"
import * as Connection from "@heddle/acp/Connection"
import * as StdioTransport from "@heddle/acp/node/StdioTransport"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Fs from "node:fs"
import * as Path from "node:path"
import * as AgentFailure from "./AgentFailure.ts"
import type { AgentError } from "./AgentFailure.ts"
import { AssistantError } from "./AssistantError.ts"

/** The agent program of this computer. */
export interface Agent {
  readonly command: ReadonlyArray<string>
  /** The folder in which it works. */
  readonly folder: string
}

/** How long the agent may take for `initialize` and to open its session. */
export const startTimeout = Duration.seconds(30)

/** The name of this program for agents. */
export const clientInfo = { name: "heddle-assistant", title: "Heddle", version: "1" }

/** Starts the agent's process; it ends with the scope. It gets this user's environment without the credential. */
export const start = ({
  command: [program = "", ...args],
  folder
}: Agent): Effect.Effect<StdioTransport.StdioTransport, AgentNotFound, Scope.Scope> =>
  StdioTransport.make({
    command: program,
    args,
    cwd: folder,
    closeGrace: "1 second",
    env: Object.fromEntries(
      Object.entries(process.env).flatMap(([name, value]) =>
        value === undefined || name === "HEDDLE_ASSISTANT_TOKEN" ? [] : [[name, value]]
      )
    )
  })

/** Replaces the error of a lost connection by the exit of the process, which explains more. */
export const preferExit =
  (transport: StdioTransport.StdioTransport) =>
  <A, E extends AgentError, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, AgentError, R> =>
    Effect.catchAll(effect, (error): Effect.Effect<never, AgentError> =>
      error._tag === "ConnectionLost" || error._tag === "Detached"
        ? Effect.raceFirst(Effect.flip(transport.exited), Effect.delay(Effect.fail(error), "1 second"))
        : Effect.fail(error)
    )

/** Starts the agent, initializes it and ends it; fails with the setting to correct when that does not work. */
export const check = Effect.fn("Agent.check")(function* (agent: Agent) {
  if (!Fs.statSync(agent.folder, { throwIfNoEntry: false })?.isDirectory()) {
    return yield* new AssistantError({
      setting: "--cwd",
      problem: `there is no folder ${agent.folder}`,
      fix: "Name the folder in which the agent works."
    })
  }
  yield* initialize(agent).pipe(
    Effect.timeoutFail({ duration: startTimeout, onTimeout: () => "it does not answer initialize in time" }),
    Effect.mapError(
      (error) =>
        new AssistantError({
          setting: "--agent",
          problem: typeof error === "string" ? error : AgentFailure.describe(error, nameOf(agent)),
          fix: "Name a program that speaks the Agent Client Protocol over its standard input and output."
        })
    )
  )
}, Effect.scoped)

/** The display name of the agent: its program without the path. */
export const nameOf = ({ command: [program = ""] }: Agent): string => Path.basename(program)

const initialize = (agent: Agent) =>
  Effect.gen(function* () {
    const transport = yield* start(agent)
    const connection = yield* Connection.make(transport, {})
    const clientCapabilities = { fs: { readTextFile: false, writeTextFile: false }, terminal: false }
    const initializeResult = yield* connection
      .request("initialize", { protocolVersion, clientCapabilities, clientInfo })
      .pipe(preferExit(transport))
    const version =
      typeof initializeResult === "object" && initializeResult !== null
        ? Reflect.get(initializeResult, "protocolVersion")
        : undefined
    if (version !== protocolVersion)
      return yield* new UnsupportedVersion({ offered: protocolVersion, answered: version })
  })

const protocolVersion = 1
