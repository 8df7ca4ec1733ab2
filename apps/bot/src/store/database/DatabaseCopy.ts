import * as FileSystem from "@effect/platform/FileSystem"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { refuseOtherVersion } from "./Database.ts"
import * as ReadOnly from "./ReadOnly.ts"

/**
 * Writes a copy of a database to a new file of its user alone, by {@link ReadOnly.use}; returns its size in bytes. A
 * database of a newer version fails as at a start.
 */
export const write = Effect.fn("DatabaseCopy.write")(function* (database: string, copy: string) {
  const fs = yield* FileSystem.FileSystem
  // SQLite fills the empty file and keeps its mode.
  yield* Effect.scoped(fs.open(copy, { flag: "wx", mode: 0o600 }))
  yield* ReadOnly.use(
    database,
    Effect.zipRight(
      refuseOtherVersion,
      Effect.flatMap(SqlClient.SqlClient, (sql) => sql`VACUUM INTO ${copy}`)
    )
  )
  return yield* Effect.scoped(
    Effect.gen(function* () {
      const file = yield* fs.open(copy, { flag: "r+" })
      yield* file.sync
      return Number((yield* file.stat).size)
    })
  )
})
