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
import { stripVTControlCharacters } from "node:util"
import * as Output from "./Output.ts"
import * as ProcessExit from "./ProcessExit.ts"

/** Runs a command as this process: a failure is one line on standard error and a status; logs go to standard error. */
export const run = <E>(name: string, command: Effect.Effect<void, E, NodeContext.NodeContext>): void => {
  ProcessExit.limitStop(stopMs)
  // The reader of a pipe may stop early, as `grep -m1` does; that is not a failure.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") process.exit(0)
    throw error
  })
  outcome(name, command).pipe(
    Effect.map((failure) => {
      if (failure === undefined) return
      process.stderr.write(`${failure.line}\n`)
      process.exitCode = failure.status
    }),
    NodeRuntime.runMain({ disableErrorReporting: true, disablePrettyLogger: true })
  )
}

/** Why a command failed, in one line, and the status of its process. */
export interface Failure {
  readonly line: string
  readonly status: number
}

/** Runs a command in this process to its end; `undefined` when it succeeded. */
export const outcome = <E>(
  name: string,
  command: Effect.Effect<void, E, NodeContext.NodeContext>
): Effect.Effect<Failure | undefined> =>
  Effect.flatMap(logLevel, (level) => command.pipe(withoutUsage, Logger.withMinimumLogLevel(level))).pipe(
    Effect.as(undefined),
    Effect.catchAllCause((cause) =>
      Cause.isInterruptedOnly(cause)
        ? Effect.interrupt
        : Effect.as(Effect.logDebug("the command failed", cause), toFailure(name, cause))
    ),
    Effect.provide([NodeContext.layer, CliConfig.layer({ showBuiltIns: false }), logs])
  )

/** A stop takes less than five seconds. */
const stopMs = 4800

const logLevel = Config.logLevel("HEDDLE_LOG_LEVEL").pipe(Config.withDefault(LogLevel.Info))

// Standard output belongs to results.
const logs = Logger.replace(Logger.defaultLogger, Logger.withConsoleError(Logger.logfmtLogger))

const toFailure = (name: string, cause: Cause.Cause<unknown>): Failure => {
  const [line, status] = toErrorLine(name, cause)
  return { line: Output.escapeControls(line), status }
}

/** The error line and the exit status of a failed command. */
const toErrorLine = (name: string, cause: Cause.Cause<unknown>): readonly [line: string, status: number] => {
  const error = Cause.squash(cause)
  if (ValidationError.isValidationError(error)) return [`${toOneLine(error.error)}. See ${name} --help.`, 2]
  if (error instanceof Error && "_tag" in error && Option.isSome(Cause.failureOption(cause))) return [error.message, 2]
  return [`${name} failed unexpectedly: ${error instanceof Error ? error.message : String(error)}`, 1]
}

const toOneLine = (doc: HelpDoc.HelpDoc): string =>
  stripVTControlCharacters(HelpDoc.toAnsiText(doc))
    .replace(/\s+/g, " ")
    .replace(/\.?\s*$/, "")
    .trim()

// The library prints errors in several coloured lines; `toErrorLine` says the same in one.
const withoutUsage = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Console.consoleWith((console) =>
    Console.withConsole(effect, {
      ...console,
      error: () => Effect.void,
      log: (...lines) =>
        console.log(
          ...lines.map((line) =>
            withShortRows(process.stdout.isTTY ? String(line) : stripVTControlCharacters(String(line)))
          )
        )
    })
  )

/** Lists the commands without their flags: a row with forty flags is illegible. */
const withShortRows = (help: string): string => {
  const [intro, rows] = help.split(/^(?=.*COMMANDS)/m)
  if (intro === undefined || rows === undefined) return help
  const commands = rows.split("\n").flatMap((row) => {
    const plain = stripVTControlCharacters(row)
    const match = /^ *- ((?:[a-z]+ ?)+?)(?= *(?:[[<-]| {2}|$)).*? {2,}(\S.*)$/.exec(plain)
    return match === null ? [] : [[match[1]?.trim() ?? "", match[2] ?? ""] as const]
  })
  const width = Math.max(...commands.map(([name]) => name.length)) + 2
  const list = commands.map(([name, description]) => `  ${name.padEnd(width)}${description}`).join("\n")
  return `${intro}COMMANDS\n\n${list}\n\nEach command's flags: COMMAND --help\n`
}
