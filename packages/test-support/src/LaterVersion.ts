import * as SqliteClient from "@effect/sql-sqlite-node/SqliteClient"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import { readFileSync } from "node:fs"

/** A program's database. */
export interface Database<E> {
  readonly layer: Layer.Layer<SqlClient.SqlClient, E>
  readonly file: string
  readonly migrationsTable: string
  /** Tables that this version creates and the later version does not have. */
  readonly tables: ReadonlyArray<string>
}

/** Opens a database as a later version left it: returns the error, and whether the file is unchanged. */
export const open = <E>({ file, layer, migrationsTable, tables }: Database<E>) =>
  Effect.gen(function* () {
    yield* Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const later = { migration_id: 1000, created_at: "2026-11-22", name: "later" }
      yield* sql`INSERT INTO ${sql(migrationsTable)} ${sql.insert(later)}`
      for (const table of tables) yield* sql`DROP TABLE ${sql(table)}`
    }).pipe(Effect.provide(layer))
    const before = yield* bytesOf(file)
    const error = yield* Effect.flip(Effect.provide(Effect.void, layer))
    return { error, isUnchanged: (yield* bytesOf(file)).equals(before) }
  })

/** The bytes of a database, those of its write-ahead log included. */
const bytesOf = (filename: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`PRAGMA wal_checkpoint(TRUNCATE)`
    return readFileSync(filename)
  }).pipe(Effect.provide(SqliteClient.layer({ filename })))
