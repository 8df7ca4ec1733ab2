import * as SqliteClient from "@effect/sql-sqlite-node/SqliteClient"
import * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as RetryPolicy from "@heddle/core/RetryPolicy"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import * as Path from "node:path"
import * as PrivateFile from "../config/PrivateFile.ts"
import { ServerStartError } from "../config/ServerStartError.ts"
import * as Migrations from "./Migrations.ts"

/**
 * The service's SQL: SQLite at `<data>/server.sqlite`, in WAL with full synchronisation, migrated to this version.
 * Several processes may have it open; only one may serve (see `FolderLock.acquire`).
 */
export const layer = (dataDir: string): Layer.Layer<SqlClient.SqlClient, ServerStartError> =>
  Layer.effectDiscard(Migrations.run).pipe(
    Layer.provideMerge(Layer.unwrapEffect(Effect.map(file(dataDir), client))),
    Layer.catchAllCause((cause) => Layer.fail(unusable(dataDir, cause)))
  )

/** Where the database of a data folder is. */
export const path = (dataDir: string): string => Path.join(dataDir, "server.sqlite")

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

const isBusy = ({ cause }: SqlError): boolean =>
  cause instanceof Error && "code" in cause && String(cause.code).startsWith("SQLITE_BUSY")

// The wait for another process's write comes first: switching to WAL may already have to wait for one.
const pragmas = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`PRAGMA busy_timeout = 5000`
  yield* sql`PRAGMA journal_mode = WAL`
  yield* sql`PRAGMA synchronous = FULL`
  yield* sql`PRAGMA foreign_keys = ON`
})

const unusable = (dataDir: string, cause: unknown) =>
  new ServerStartError({
    setting: "--data",
    problem: `the database in ${dataDir} cannot be opened (${reason(cause)})`,
    fix: "Nothing was changed. Free disk space, repair or restore server.sqlite, or choose another folder with --data."
  })

const reason = (cause: unknown): string => {
  const text = String(cause)
  const line = text.split("\n").find((part) => part.includes("Error")) ?? text
  return line.replace(/^.*?Error: /, "").slice(0, 200)
}
