import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"

const isShown = process.env["HEDDLE_TEST_LOG"] !== undefined

/** The log of a bot. A reporter cannot tell which of the tests that run side by side a line belongs to. */
export const make = () => {
  const lines: Array<string> = []
  const kept = Logger.map(Logger.logfmtLogger, (line) => void lines.push(line))
  const logger = isShown ? Logger.zip(Logger.defaultLogger, kept) : kept
  return {
    /** What was logged so far. */
    lines: lines as ReadonlyArray<string>,
    keep: <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
      effect.pipe(
        Effect.provide(Logger.replace(Logger.defaultLogger, logger)),
        Logger.withMinimumLogLevel(isShown ? LogLevel.Debug : LogLevel.Warning)
      ),
    /** Runs a test, and adds the last lines of the log to its failure. */
    addToFailure: async (test: () => Promise<void>) => {
      try {
        await test()
      } catch (error) {
        if (error instanceof Error) error.message += `\n\nThe log of the bot:\n${lines.slice(-30).join("\n")}`
        throw error
      }
    }
  }
}
