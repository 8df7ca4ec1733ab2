import * as Reactivity from "@effect/experimental/Reactivity"
import * as FileSystem from "@effect/platform/FileSystem"
import * as SqliteClient from "@effect/sql-sqlite-node/SqliteClient"
import { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"

/**
 * Writes a copy of a database to a new file of its user alone, also while a bot uses it; returns its size in bytes. Runs in
 * a process without a bot: a closed handle of the file would drop the bot's locks.
 */
export const write = Effect.fn("DatabaseCopy.write")(function* (database: string, copy: string) {
  const fs = yield* FileSystem.FileSystem
  // SQLite fills the empty file and keeps its mode.
  yield* Effect.scoped(fs.open(copy, { flag: "wx", mode: 0o600 }))
  yield* Effect.scoped(
    Effect.gen(function* () {
      const sql = yield* SqliteClient.make({ filename: database, readonly: true, disableWAL: true })
      yield* sql`VACUUM INTO ${copy}`
    })
  ).pipe(
    Effect.provide(Reactivity.layer),
    Effect.catchAllDefect((cause) => Effect.fail({ cause })),
    Effect.mapError(({ cause }) => new SqlError({ cause, message: cause instanceof Error ? cause.message : "unknown" }))
  )
  return yield* Effect.scoped(
    Effect.gen(function* () {
      const file = yield* fs.open(copy, { flag: "r+" })
      yield* file.sync
      return Number((yield* file.stat).size)
    })
  )
})
