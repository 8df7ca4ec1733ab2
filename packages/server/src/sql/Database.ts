import * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as RetryPolicy from "@heddle/core/RetryPolicy"
import Sqlite from "better-sqlite3"
import * as Cause from "effect/Cause"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import * as Fs from "node:fs"
import * as Path from "node:path"
import * as PrivateFile from "../config/PrivateFile.ts"
import { ServerStartError } from "../config/ServerStartError.ts"
import * as Migrations from "./Migrations.ts"
import * as SqliteClient from "./SqliteClient.ts"
import * as SqliteError from "./SqliteError.ts"

/**
 * The service's SQL: SQLite at `<data>/server.sqlite`, in WAL with full synchronisation, migrated to this version.
 * Several processes may have it open; only one may serve (see `FolderLock.acquire`).
 */
export const layer = (dataDir: string): Layer.Layer<SqlClient.SqlClient, ServerStartError> =>
  open(dataDir, Migrations.run)

/**
 * Like {@link layer}, for the serving process: it reads all of an existing database first, so that a damaged one fails
 * before anything is written. At its end the file has all commits; it is a whole copy without its companions.
 */
export const layerServing = (dataDir: string): Layer.Layer<SqlClient.SqlClient, ServerStartError> =>
  Layer.scopedDiscard(Effect.addFinalizer(() => checkpoint)).pipe(
    Layer.provideMerge(
      open(dataDir, Effect.zipRight(Effect.zipRight(Migrations.refuseOtherVersion, refuseDamage), Migrations.run))
    )
  )

const open = <E>(dataDir: string, prepare: Effect.Effect<void, E, SqlClient.SqlClient>) =>
  Layer.effectDiscard(prepare).pipe(
    Layer.provideMerge(Layer.unwrapEffect(Effect.map(file(dataDir), client))),
    Layer.catchAllCause((cause) => Layer.fail(unusable(dataDir, cause)))
  )

/** Where the database of a data folder is. */
export const path = (dataDir: string): string => Path.join(dataDir, "server.sqlite")

/** Whether the database of a data folder is missing or has no tables. One that cannot be read is not empty. */
export const isEmpty = (dataDir: string): boolean => {
  try {
    const size = Fs.statSync(path(dataDir), { throwIfNoEntry: false })?.size ?? 0
    // SQLite would delete the log of an empty file.
    if (size === 0) return true
    const database = new Sqlite(path(dataDir), { readonly: true, fileMustExist: true })
    try {
      return database.prepare("SELECT 1 FROM sqlite_master").get() === undefined
    } finally {
      database.close()
    }
  } catch {
    return false
  }
}

const file = (dataDir: string) =>
  Effect.sync(() => {
    PrivateFile.ensure(path(dataDir))
    return path(dataDir)
  })

const client = (filename: string) =>
  Layer.effectDiscard(RetryPolicy.retryIf(pragmas, isBusy, busyDatabase)).pipe(
    Layer.provideMerge(SqliteClient.layer({ filename, disableWAL: true }))
  )

/** SQLite does not wait when two processes switch a new file to WAL at once: a hundred tries, 20 ms apart. */
const busyDatabase = Schedule.intersect(Schedule.jittered(Schedule.spaced("20 millis")), Schedule.recurs(100))

const isBusy = (error: SqlError): boolean => SqliteError.codeOf(error).startsWith("SQLITE_BUSY")

// The wait for another process's write comes first: switching to WAL may already have to wait for one.
const pragmas = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`PRAGMA busy_timeout = 5000`
  const [pages] = yield* sql<{ readonly page_count: number }>`PRAGMA page_count`
  // What is deleted later gives its space back; an older file would be written without effect.
  if (pages?.page_count === 0) yield* sql`PRAGMA auto_vacuum = FULL`
  yield* sql`PRAGMA journal_mode = WAL`
  yield* sql`PRAGMA synchronous = FULL`
  yield* sql`PRAGMA foreign_keys = ON`
})

// The driver's `close` does not do it while its statements wait for the garbage collector.
const checkpoint = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.ignoreLogged(sql`PRAGMA wal_checkpoint(TRUNCATE)`)
)

/** For an exit that waits for nothing, on a connection of its own: a transaction may be open on the other. */
export const checkpointNow = (dataDir: string): void => {
  try {
    const database = new Sqlite(path(dataDir))
    database.pragma("busy_timeout = 0")
    database.pragma("wal_checkpoint(TRUNCATE)")
    database.close()
  } catch {
    // The next start reads the commits from the log.
  }
}

/** A page of the database does not hold what it should. */
class Damaged extends Data.TaggedError("Damaged")<{ readonly message: string }> {}

const refuseDamage = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly quick_check: string }>`PRAGMA quick_check(1)`
  const found = row?.quick_check ?? "it cannot be checked"
  if (found !== "ok") return yield* new Damaged({ message: found.split("\n").at(-1) ?? found })
})

/** The refusal of a database that cannot be used, by why it failed. */
export const unusable = (dataDir: string, cause: Cause.Cause<unknown>) => {
  const error = SqliteError.rootOf(Cause.squash(cause))
  const isOfAnotherVersion = error instanceof Migrations.WrittenByAnotherVersion
  const isDamaged = error instanceof Damaged || /^SQLITE_(CORRUPT|NOTADB)/.test(SqliteError.codeOf(error))
  const reason = (error instanceof Error ? error.message : String(error)).slice(0, 200)
  return new ServerStartError({
    setting: "--data",
    problem: `the database ${path(dataDir)} ${isDamaged ? "is damaged" : "cannot be opened"} (${reason})`,
    fix: isOfAnotherVersion
      ? "Nothing was changed. Start the version that wrote it, or choose another folder with --data."
      : isDamaged
        ? "Nothing was changed. Restore the whole folder from a backup, or choose another folder with --data."
        : "Nothing was changed. Free disk space, repair or restore server.sqlite, or choose another folder with --data."
  })
}
