import * as Connection from "@heddle/acp/Connection"
import * as StdioTransport from "@heddle/acp/node/StdioTransport"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fs from "node:fs"
import * as Path from "node:path"
import * as AgentFailure from "./AgentFailure.ts"
import type { Times } from "./AgentHost.ts"
import { AssistantError } from "./AssistantError.ts"

/** The agent program of this computer. */
export interface Agent {
  readonly command: ReadonlyArray<string>
  /** Where it works. */
  readonly folder: string
  /** The whole environment that it gets. */
  readonly environment: Readonly<Record<string, string>>
  readonly options: Times
}

/** Describes the agent: it works for the person who started this program, so it gets their environment, secrets of ours aside. */
export const make = (command: ReadonlyArray<string>, folder: string): Agent => ({
  command,
  folder: Path.resolve(folder),
  environment: Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) =>
      value === undefined || name === "HEDDLE_ASSISTANT_TOKEN" ? [] : [[name, value]]
    )
  ),
  options: {
    agentStart: Duration.seconds(30),
    agentRubbish: Duration.seconds(5),
    agentClose: Duration.seconds(1),
    agentIdle: Duration.minutes(10)
  }
})

/** Starts the agent, has it introduce itself, and ends it: fails with the setting to correct when it is no agent. */
export const check = Effect.fn("Agent.check")(
  function* ({ command, environment, folder, options }: Agent) {
    if (!Fs.statSync(folder, { throwIfNoEntry: false })?.isDirectory()) {
      return yield* new AssistantError({
        setting: "--cwd",
        problem: `there is no folder ${folder}`,
        fix: "Name the folder in which the agent works."
      })
    }
    const [program = "", ...args] = command
    const transport = yield* StdioTransport.make({
      command: program,
      args,
      cwd: folder,
      env: environment,
      closeGrace: options.agentClose
    })
    const connection = yield* Connection.make(transport, {})
    yield* connection
      .request("initialize", {
        protocolVersion: 1,
        clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
        clientInfo: { name: "heddle-assistant", title: "Heddle", version: "1" }
      })
      .pipe(
        // The program's end says more than the broken connection that it left.
        Effect.catchTag("ConnectionLost", (lost) =>
          Effect.raceFirst(
            Effect.flatMap(transport.exited, (exited) => Effect.fail(exited)),
            Effect.delay(Effect.fail(lost), "1 second")
          )
        ),
        Effect.timeoutFail({
          duration: options.agentStart,
          onTimeout: () => AgentFailure.silent(program, Duration.toSeconds(options.agentStart), "initialize", undefined)
        })
      )
  },
  Effect.scoped,
  (checked, { command }) =>
    Effect.catchAll(checked, (error) =>
      error._tag === "AssistantError"
        ? error
        : new AssistantError({
            setting: "--agent",
            problem: (error._tag === "AgentFailure"
              ? error
              : AgentFailure.fromError(error, Path.basename(command[0] ?? ""), "starting")
            ).message
              .replace(/ Nothing was done.*$/, "")
              .replace(/\.$/, ""),
            fix: "Name a program that speaks the Agent Client Protocol over its standard input and output."
          })
    )
)
