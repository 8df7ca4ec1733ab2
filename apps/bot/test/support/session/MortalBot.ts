// The bot as its own program. It ends at a chosen durable write, as if by kill -9, and its clock may be ahead.
import { writeSync } from "node:fs"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Bot from "@heddle/bot/bot/Bot"
import * as BotRuntime from "@heddle/bot/bot/BotRuntime"
import Database from "better-sqlite3"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as Redacted from "effect/Redacted"
import type { MortalOptions } from "./BotProcess.ts"

const options: MortalOptions = JSON.parse(process.env["HEDDLE_TEST_BOT"] ?? "")

const realNow = Date.now
Date.now = () => realNow() + options.clockAheadMs

/** The parent counts these bytes, which a kill does not take back. */
const countWrite = () => writeSync(3, "w")

const die = (statement: string) => {
  writeSync(2, `killed at: ${statement.slice(0, 120)}\n`)
  process.kill(process.pid, "SIGKILL")
}

let writes = 0
/** The writes of the transaction that is open. */
let transaction: ReadonlyArray<string> = []
const prepare = Database.prototype.prepare
// A write is durable when its statement, or the transaction that it is in, is through.
Database.prototype.prepare = function (this: Database.Database, source: string) {
  return counted(this, prepare.call(this, source), source.replaceAll(/\s+/g, " ").trim())
} as typeof prepare

const isAt = (point: MortalOptions["killAfterWrite"], number: number, statements: string): boolean =>
  typeof point === "string" ? statements.includes(point) : point === number

const counted = (database: Database.Database, statement: Database.Statement, source: string) => {
  if (!/^(INSERT|UPDATE|DELETE|REPLACE|COMMIT)/i.test(source)) return statement
  for (const name of ["all", "run"] as const) {
    const original = statement[name].bind(statement) as (...values: ReadonlyArray<unknown>) => unknown
    statement[name] = (...values: ReadonlyArray<unknown>) => {
      const commits = /^COMMIT/i.test(source)
      const alone = commits || !database.inTransaction
      const statements = commits ? transaction.join("; ") : source
      transaction = alone ? [] : [...transaction, source]
      if (alone && isAt(options.killBeforeWrite, writes + 1, statements)) die(`before ${statements}`)
      const result = original(...values) as never
      const changed = commits || (Array.isArray(result) ? (result as []).length > 0 : result["changes"] > 0)
      if (alone && changed) {
        writes++
        countWrite()
        if (isAt(options.killAfterWrite, writes, statements)) die(`after ${statements}`)
      }
      return result
    }
  }
  return statement
}

const main = Effect.gen(function* () {
  const running = yield* Bot.start({
    discordToken: Redacted.make(options.botToken),
    discordApi: options.discordApi,
    baseUrl: options.baseUrl,
    application: () =>
      Effect.succeed({
        clientId: options.application.clientId,
        clientSecret: Redacted.make(options.application.clientSecret)
      }),
    encryptionKey: Redacted.make(Buffer.alloc(32, 7).toString("base64")),
    dataDir: options.dataDir,
    editIntervalMs: 20,
    requestsPerSecond: 1000,
    answerDeadlineMs: 3_600_000,
    rollAfterMs: options.rollAfterMs
  })
  yield* running.commandsRegistered
  process.stdout.write(`${running.callback}\n`)
  yield* Effect.never
})

main.pipe(
  Effect.scoped,
  BotRuntime.provide,
  Effect.provide(Logger.replace(Logger.defaultLogger, Logger.withConsoleError(Logger.logfmtLogger))),
  Logger.withMinimumLogLevel(options.debug ? LogLevel.Debug : LogLevel.Warning),
  NodeRuntime.runMain({ disablePrettyLogger: true })
)
