import * as SqlClient from "@effect/sql/SqlClient"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import { ServerStartError } from "../config/ServerStartError.ts"
import * as Database from "./Database.ts"
import * as Migrations from "./Migrations.ts"
import * as SqliteClient from "./SqliteClient.ts"
import * as SqliteError from "./SqliteError.ts"

/**
 * Writes one consistent state of a data folder's database to a new file, also while a service writes. It reads every
 * page, so a damaged database fails; one of a newer version fails as at a start. For a process of its own: it blocks
 * until it is done.
 */
export const write = (dataDir: string, file: string): Effect.Effect<void, ServerStartError> =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* Migrations.refuseOtherVersion
    yield* sql`VACUUM INTO ${file}`
  }).pipe(
    Effect.provide(SqliteClient.layer({ filename: Database.path(dataDir), readonly: true, disableWAL: true })),
    Effect.catchAllCause((cause) => Effect.fail(failure(dataDir, cause)))
  )

const failure = (dataDir: string, cause: Cause.Cause<unknown>) => {
  const error = SqliteError.rootOf(Cause.squash(cause))
  if (error instanceof Migrations.WrittenByAnotherVersion) return Database.unusable(dataDir, cause)
  return new ServerStartError({
    setting: "--data",
    problem: `the database ${Database.path(dataDir)} cannot be copied (${String(error)})`,
    fix: "Nothing was copied. Choose the folder that heddle-server serve has as --data, and a disk with enough space."
  })
}
