import * as CliConfig from "@effect/cli/CliConfig"
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

/** The version of this package. */
export const version = String(
  JSON.parse(Fs.readFileSync(new URL(import.meta.resolve("@heddle/assistant/package.json")), "utf8")).version
)

/** Runs a command as this process: a failure is one line on standard error and a status; logs go to standard error. */
export const run = <E>(name: string, command: Effect.Effect<void, E, NodeContext.NodeContext>): void =>
  Effect.flatMap(logLevel, (level) => command.pipe(withoutUsage, Logger.withMinimumLogLevel(level))).pipe(
    Effect.catchAllCause((cause) =>
      Cause.isInterruptedOnly(cause)
        ? Effect.interrupt
        : Effect.gen(function* () {
            const [line, status] = explain(name, cause)
            yield* Effect.logDebug("the command failed", cause)
            process.stderr.write(`${line}\n`)
            process.exitCode = status
          })
    ),
    Effect.provide([NodeContext.layer, CliConfig.layer({ showBuiltIns: false }), logs]),
    NodeRuntime.runMain({ disableErrorReporting: true, disablePrettyLogger: true })
  )

/** Ends the process before the five seconds that it promises are over, whatever still hangs. */
export const exitInTime = Effect.sync(() => void setTimeout(() => process.exit(0), 4800).unref())

const logLevel = Config.logLevel("HEDDLE_LOG_LEVEL").pipe(Config.withDefault(LogLevel.Info))

// Standard output belongs to the ready line.
const logs = Logger.replace(Logger.defaultLogger, Logger.withConsoleError(Logger.logfmtLogger))

/** The one line for the person at the terminal, and the exit status. */
const explain = (name: string, cause: Cause.Cause<unknown>): readonly [line: string, status: number] => {
  const error = Cause.squash(cause)
  if (ValidationError.isValidationError(error))
    return [`${oneLine(HelpDoc.toAnsiText(error.error))}. See ${name} --help.`, 2]
  const message = error instanceof Error ? error.message : String(error)
  return Option.isSome(Cause.failureOption(cause))
    ? [oneLine(message), 2]
    : [`${name} failed unexpectedly: ${oneLine(message)}`, 1]
}

const oneLine = (text: string): string => stripVTControlCharacters(text).replace(/\s+/g, " ").trim()

/** Keeps the library's own coloured error text away: `explain` says the same in one line. */
const withoutUsage = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Console.consoleWith((console) => Console.withConsole(effect, { ...console, error: () => Effect.void }))
