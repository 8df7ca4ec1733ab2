import Sqlite from "better-sqlite3"
import * as Effect from "effect/Effect"
import { ServerStartError } from "../config/ServerStartError.ts"
import * as Database from "./Database.ts"
import * as SqliteError from "./SqliteError.ts"

/**
 * Writes one consistent state of a data folder's database to a new file, also while a service writes. It reads every
 * page, so a damaged database fails. For a process of its own: it blocks until it is done.
 */
export const write = (dataDir: string, file: string): Effect.Effect<void, ServerStartError> =>
  Effect.acquireUseRelease(
    attempt(dataDir, () => new Sqlite(Database.path(dataDir), { readonly: true, fileMustExist: true })),
    (database) => attempt(dataDir, () => void database.prepare("VACUUM INTO ?").run(file)),
    (database) => Effect.sync(() => database.close())
  )

const attempt = <A>(dataDir: string, run: () => A): Effect.Effect<A, ServerStartError> =>
  Effect.try({
    try: run,
    catch: (error) =>
      new ServerStartError({
        setting: "--data",
        problem: `the database ${Database.path(dataDir)} cannot be copied (${String(SqliteError.rootOf(error))})`,
        fix: "Nothing was copied. Choose the folder that heddle-server serve has as --data, and a disk with enough space."
      })
  })
