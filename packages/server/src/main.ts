import * as CliConfig from "@effect/cli/CliConfig"
import * as Command from "@effect/cli/Command"
import * as HelpDoc from "@effect/cli/HelpDoc"
import * as ValidationError from "@effect/cli/ValidationError"
import * as NodeContext from "@effect/platform-node/NodeContext"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Cause from "effect/Cause"
import * as Config from "effect/Config"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as Option from "effect/Option"
import * as Fs from "node:fs"
import { stripVTControlCharacters } from "node:util"
import * as AppCommand from "./cli/AppCommand.ts"
import * as AuditCommand from "./cli/AuditCommand.ts"
import * as GrantCommand from "./cli/GrantCommand.ts"
import * as ServeCommand from "./cli/ServeCommand.ts"
import * as UserCommand from "./cli/UserCommand.ts"

// Whatever this process and its agents write is their owner's alone.
process.umask(0o077)

const { version } = JSON.parse(Fs.readFileSync(new URL("../package.json", import.meta.url), "utf8"))

const run = Command.make("heddle-server").pipe(
  Command.withDescription("The Open API as a runnable service"),
  Command.withSubcommands([
    ServeCommand.command,
    AppCommand.command,
    UserCommand.command,
    GrantCommand.command,
    AuditCommand.command
  ]),
  Command.run({ name: "heddle-server", version: String(version) })
)

const logLevel = Config.logLevel("HEDDLE_LOG_LEVEL").pipe(Config.withDefault(LogLevel.Info))

// Standard output belongs to results.
const logs = Logger.replace(Logger.defaultLogger, Logger.withConsoleError(Logger.logfmtLogger))

/** What a failure says to the person at the terminal, in one line, and the status that the process ends with. */
const explain = (cause: Cause.Cause<unknown>): readonly [line: string, status: number] => {
  const error = Cause.squash(cause)
  if (ValidationError.isValidationError(error)) return [`${oneLine(error.error)}. See heddle-server --help.`, 2]
  if (error instanceof Error && "_tag" in error && Option.isSome(Cause.failureOption(cause))) return [error.message, 2]
  return [`heddle-server failed unexpectedly: ${error instanceof Error ? error.message : String(error)}`, 1]
}

const oneLine = (doc: HelpDoc.HelpDoc): string =>
  stripVTControlCharacters(HelpDoc.toAnsiText(doc))
    .replace(/\s+/g, " ")
    .replace(/\.?\s*$/, "")
    .trim()

// The command line library prints its complaints in several coloured lines; ours follows in one.
const withoutComplaints = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Console.consoleWith((console) =>
    Console.withConsole(effect, {
      ...console,
      error: () => Effect.void,
      log: (...lines) =>
        console.log(...lines.map((line) => (process.stdout.isTTY ? line : stripVTControlCharacters(String(line)))))
    })
  )

Effect.flatMap(logLevel, (level) => run(process.argv).pipe(withoutComplaints, Logger.withMinimumLogLevel(level))).pipe(
  Effect.catchAllCause((cause) =>
    Cause.isInterruptedOnly(cause)
      ? Effect.interrupt
      : Effect.gen(function* () {
          const [line, status] = explain(cause)
          yield* Effect.logDebug("the command failed", cause)
          process.stderr.write(`${line}\n`)
          process.exitCode = status
        })
  ),
  Effect.provide([NodeContext.layer, CliConfig.layer({ showBuiltIns: false }), logs]),
  NodeRuntime.runMain({ disableErrorReporting: true, disablePrettyLogger: true })
)
