import { readFileSync } from "node:fs"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as Option from "effect/Option"
import * as Bot from "./Bot.ts"
import * as BotConfig from "./BotConfig.ts"
import { BotStartError } from "./BotStartError.ts"

const run = Effect.gen(function* () {
  const asked = yield* BotConfig.read(process.argv.slice(2), process.env)
  if (asked._tag === "Help") return void process.stdout.write(BotConfig.help)
  if (asked._tag === "Version") return void process.stdout.write(`${version()}\n`)
  yield* reachable(asked.options.baseUrl)
  const { callback, health } = yield* Bot.start(asked.options)
  process.stdout.write(`${JSON.stringify({ ready: true, callback, health })}\n`)
  yield* Effect.never
})

/** Any answer will do: a wrong address should be told at the start, not to the first person who asks for a task. */
const reachable = (baseUrl: string) =>
  Effect.tryPromise({
    try: (signal) => fetch(baseUrl, { method: "HEAD", redirect: "manual", signal }),
    catch: (cause) =>
      new BotStartError({
        setting: "HEDDLE_BASE_URL",
        problem: `the service at ${baseUrl} cannot be reached (${reason(cause)})`,
        fix: "Start the service, or correct the address."
      })
  }).pipe(
    Effect.timeoutFail({
      duration: "10 seconds",
      onTimeout: () =>
        new BotStartError({
          setting: "HEDDLE_BASE_URL",
          problem: `the service at ${baseUrl} does not answer`,
          fix: "Start the service, or correct the address."
        })
    })
  )

const reason = (cause: unknown): string => {
  const inner = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause
  if (inner instanceof Error && "code" in inner) return String(inner.code)
  return inner instanceof Error ? inner.message : String(inner)
}

const version = (): string => {
  const { version } = JSON.parse(readFileSync(new URL(import.meta.resolve("@heddle/bot/package.json")), "utf8"))
  return String(version)
}

// What is not finished in five seconds goes on after the next start.
const hurry = () => setTimeout(() => process.exit(0), 4500).unref()
process.once("SIGTERM", hurry).once("SIGINT", hurry)

run.pipe(
  Effect.scoped,
  Effect.catchAllCause((cause) => {
    if (Cause.isInterruptedOnly(cause)) return Effect.interrupt
    const failure = Cause.failureOption(cause)
    process.exitCode = Option.isSome(failure) ? 2 : 1
    process.stderr.write(`heddle-bot: ${Option.isSome(failure) ? failure.value.message : "it failed unexpectedly"}\n`)
    return Option.isSome(failure) ? Effect.void : Effect.logError("The bot cannot go on", cause)
  }),
  // Standard output belongs to the ready line.
  Effect.provide(Logger.replace(Logger.defaultLogger, Logger.withConsoleError(Logger.logfmtLogger))),
  NodeRuntime.runMain({ disableErrorReporting: true, disablePrettyLogger: true })
)
