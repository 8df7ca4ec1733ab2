import { readFileSync } from "node:fs"
import { setFlagsFromString } from "node:v8"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as NodePath from "@effect/platform-node/NodePath"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as ProcessExit from "@heddle/command-line/ProcessExit"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Option from "effect/Option"
import * as Bot from "./bot/Bot.ts"
import * as BotRuntime from "./bot/BotRuntime.ts"
import * as Backup from "./operate/Backup.ts"
import * as BotConfig from "./operate/BotConfig.ts"
import * as AtStart from "./operate/StartChecks.ts"
import * as Doctor from "./operate/Doctor.ts"
import * as ServiceCheck from "./operate/ServiceCheck.ts"

// Only this user may read the program's files.
process.umask(0o077)

// Limits heap growth between collections. With a thousand running turns this saves a third of the memory, for about a
// quarter more CPU time while they begin.
setFlagsFromString("--heap-growing-percent=20")

const platform = Layer.mergeAll(NodeFileSystem.layer, NodeHttpClient.layerUndici, NodePath.layer)

const run = Effect.gen(function* () {
  const command = yield* BotConfig.read(process.argv.slice(2), process.env)
  if (command._tag === "Help") return void process.stdout.write(BotConfig.help)
  if (command._tag === "Version") return void process.stdout.write(`${version()}\n`)
  if (command._tag === "Doctor") return yield* doctor(command)
  if (command._tag === "Backup") return yield* Effect.provide(Backup.run(command), platform)
  yield* ServiceCheck.awaitReachable(command.options.baseUrl)
  const { callback, health, tokenRejected } = yield* Bot.start(command.options)
  process.stdout.write(`${JSON.stringify({ ready: true, callback, health })}\n`)
  const { baseUrl } = command.options
  yield* command.options.application(callback).pipe(
    Effect.flatMap((client) => AtStart.application({ ...client, baseUrl })),
    Effect.provide(platform)
  )
  const { message } = yield* Effect.flip(tokenRejected)
  report(message, 2)
  setTimeout(() => process.exit(), stopMs).unref()
})

/** Work that takes longer than five seconds continues after the next start. */
const stopMs = 4500

const doctor = Effect.fnUntraced(function* ({
  json,
  problems,
  settings
}: Extract<BotConfig.CliCommand, { _tag: "Doctor" }>) {
  const report = yield* Doctor.examine(settings, problems)
  process.stdout.write(json ? `${JSON.stringify(report)}\n` : Doctor.text(report))
  process.exitCode = report.ok ? 0 : 1
}, Effect.provide(platform))

const version = (): string => {
  const { version } = JSON.parse(readFileSync(new URL(import.meta.resolve("@heddle/bot/package.json")), "utf8"))
  return String(version)
}

const report = (problem: string, exitCode: number): void => {
  process.exitCode = exitCode
  process.stderr.write(`heddle-bot: ${problem}\n`)
}

ProcessExit.limitStop(stopMs)

run.pipe(
  Effect.scoped,
  Effect.catchAllCause((cause) => {
    if (Cause.isInterruptedOnly(cause)) return Effect.interrupt
    const failure = Cause.failureOption(cause)
    if (Option.isSome(failure)) return Effect.sync(() => report(failure.value.message, 2))
    report("it failed unexpectedly", 1)
    return Effect.logError("The bot cannot go on", cause)
  }),
  BotRuntime.provide,
  // Standard output is reserved for the ready line.
  Effect.provide(Logger.replace(Logger.defaultLogger, Logger.withConsoleError(Logger.logfmtLogger))),
  NodeRuntime.runMain({ disableErrorReporting: true, disablePrettyLogger: true })
)
