import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import * as SqliteClient from "@effect/sql-sqlite-node/SqliteClient"
import * as Migrator from "@effect/sql/Migrator"
import * as SqlClient from "@effect/sql/SqlClient"
import * as AuthorizationRequests from "@heddle/oauth/AuthorizationRequests"
import * as TokenStore from "@heddle/oauth/TokenStore"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { BotStartError } from "../../model/BotStartError.ts"
import * as GroupCommit from "./GroupCommit.ts"
import * as LockFile from "./LockFile.ts"
import * as StoredDeadlines from "./StoredDeadlines.ts"
import { migrations } from "../migrations/index.ts"

/** The table of applied migrations. */
const table = "bot_migrations"

/** The database in the data folder. */
export const fileName = "bot.sqlite"

/**
 * The database's file, open for reading from before SQLite opens it until after SQLite has closed it. Closing any handle
 * of the file releases SQLite's locks on it; another program could then delete the newest writes.
 */
export class DatabaseFile extends Context.Tag("@heddle/bot/DatabaseFile")<DatabaseFile, FileSystem.File>() {}

/**
 * The bot's store: `bot.sqlite` in the data folder. It survives a power loss, is migrated at the start, and belongs to
 * one process. A damaged database fails before anything is written.
 */
export const layer = (folder: string) =>
  Layer.unwrapScoped(
    Effect.gen(function* () {
      yield* LockFile.acquire(folder)
      const fs = yield* FileSystem.FileSystem
      const path = (yield* Path.Path).join(folder, fileName)
      const unusable = (error: { readonly message: string }) => refusal(folder, error)
      yield* Effect.mapError(Effect.scoped(fs.open(path, { flag: "a" })), unusable)
      const file = yield* Effect.mapError(fs.open(path), unusable)
      return GroupCommit.layer(path).pipe(
        Layer.tap((context) => Effect.provide(Effect.zipRight(migrate, StoredDeadlines.bound), context)),
        Layer.mapError(unusable),
        Layer.merge(Layer.succeed(DatabaseFile, file))
      )
    })
  )

/** The refusal of a folder whose database cannot be used, by why it failed. */
export const refusal = (folder: string, error: { readonly message: string }): BotStartError =>
  new BotStartError({
    setting: "HEDDLE_DATA",
    problem: `the database in ${folder} cannot be used (${reasonOf(error)})`,
    fix:
      error instanceof WrittenByAnotherVersion
        ? "Nothing was changed. Start the version that wrote it, or give another folder."
        : `Give another folder, or restore the file ${fileName} from a backup.`
  })

/** The database has migrations or tables that this version does not know. */
export class WrittenByAnotherVersion extends Data.TaggedError("WrittenByAnotherVersion") {
  override readonly message = "another version of this program has written it"
}

/** What SQLite says, without the words of those who called it. */
const reasonOf = (error: { readonly message: string; readonly cause?: unknown }): string => {
  if (error.cause instanceof Error) return reasonOf(error.cause)
  return /malformed|not a database/.test(error.message) ? `it is damaged: ${error.message}` : error.message
}

const migrate = Effect.gen(function* () {
  if ((yield* tableDefinitions).length === 0) return yield* createTables
  yield* refuseOtherVersion
  yield* refuseDamage
  yield* createTables
  yield* refuseOtherTables
})

/** Reads the whole database, about a second per GiB. */
const refuseDamage = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly found: string }>`SELECT quick_check AS found FROM pragma_quick_check(1)`
  if (row?.found !== "ok")
    return yield* Effect.fail({ message: `it is damaged: ${row?.found.split("\n").at(-1) ?? "it cannot be checked"}` })
})

const createTables = Effect.gen(function* () {
  yield* TokenStore.migrate
  yield* AuthorizationRequests.migrate
  yield* Migrator.make({})({ loader: Migrator.fromRecord(migrations), table })
})

/** Fails where a table differs from that of a new database: the first migration changed until the first release. */
const refuseOtherTables = Effect.gen(function* () {
  const expected = yield* newTables
  const actual = new Set(yield* tableDefinitions)
  if (!expected.every((definition) => actual.has(definition))) return yield* new WrittenByAnotherVersion()
})

const tableDefinitions = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly sql: string }>`SELECT sql FROM sqlite_master WHERE type = 'table'`
  return rows.map((row) => row.sql)
})

/** The tables of a new database; they are the same for every database of a process. */
const newTables = Effect.zipRight(createTables, tableDefinitions).pipe(
  Effect.provide(SqliteClient.layer({ filename: ":memory:", disableWAL: true })),
  Effect.uninterruptible,
  Effect.cached,
  Effect.runSync
)

/** Comes before the first write, so that a refused database stays as it is. */
export const refuseOtherVersion = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const tables = yield* sql`SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ${table}`
  if (tables.length === 0) return
  const [row] = yield* sql<{ readonly last: number }>`SELECT MAX(migration_id) AS last FROM ${sql(table)}`
  if (Number(row?.last) > Object.keys(migrations).length) return yield* new WrittenByAnotherVersion()
})
