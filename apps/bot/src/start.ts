import * as Manifest from "@heddle/command-line/Manifest"
import * as ProcessExit from "@heddle/command-line/ProcessExit"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Effect from "effect/Effect"
import * as HashMap from "effect/HashMap"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Conversation from "./local/Conversation.ts"
import * as LocalStack from "./local/LocalStack.ts"
import { StackError } from "./local/StackError.ts"
import * as StackOptions from "./local/StackOptions.ts"
import * as Terminal from "./local/Terminal.ts"

/**
 * The process ends after this time even with hanging work, so that a stop takes less than five seconds. Agents are
 * killed on exit.
 */
const drainLimit = 3500

// Only this user may read the program's files.
process.umask(0o077)

const main = Effect.gen(function* () {
  const options = yield* StackOptions.parse(process.argv.slice(2), process.env)
  if (options === "help") return yield* say(StackOptions.help)
  if (options === "version") return yield* say(`${version()}\n`)
  const file = yield* Conversation.attach(options)
  const stack = yield* LocalStack.start(options)
  if (options.prompts.length > 0 && stack.discord !== undefined) {
    const terminal = options.json
      ? Terminal.json(write(process.stdout), write(process.stderr))
      : Terminal.text(write(process.stdout), write(process.stderr), stack.discord.users)
    return yield* Conversation.runConversation(stack, stack.discord, options, file, terminal)
  }
  yield* say(
    `${JSON.stringify({ ready: true, page: stack.discord?.page ?? null, service: stack.service, discordApi: stack.discordApi })}\n`
  )
  write(process.stderr)(banner(stack))
  return yield* Effect.never
})

const banner = (stack: LocalStack.LocalStack): string =>
  stack.discord === undefined
    ? `\n  Heddle is on Discord. In your server, type /task new\n  The service: ${stack.service}\n\n  Stop with Ctrl+C.\n\n`
    : `\n  Open ${stack.discord.page} and type /task new\n\n  When you are asked to sign in: ${stack.account.name} / ${Redacted.value(stack.account.password)}\n  Stop with Ctrl+C; everything is kept for the next start.\n\n`

/** Logs to standard error, without the cluster's messages about its only runner. */
const logger = Logger.make<unknown, void>((options) => {
  const library = Option.getOrUndefined(HashMap.get(options.annotations, "package"))
  if (library === "@effect/cluster" && LogLevel.lessThan(options.logLevel, LogLevel.Error)) return
  process.stderr.write(`${Logger.logfmtLogger.log(options)}\n`)
})

const write = (stream: NodeJS.WriteStream) => (text: string) => {
  stream.write(text)
}
const say = (text: string) => Effect.sync(() => write(process.stdout)(text))

const version = () => Manifest.version(import.meta.resolve("@heddle/bot/package.json"))

ProcessExit.limitStop(drainLimit)

main.pipe(
  Effect.scoped,
  Effect.catchAll((error) =>
    Effect.sync(() => {
      write(process.stderr)(`heddle: ${error.message}\n`)
      process.exitCode = error instanceof StackError ? error.status : 1
    })
  ),
  Effect.provide(Logger.replace(Logger.defaultLogger, logger)),
  Logger.withMinimumLogLevel(LogLevel.Warning),
  NodeRuntime.runMain({ disablePrettyLogger: true, disableErrorReporting: true })
)
