import { assert, describe, it } from "@effect/vitest"
import * as Database from "@heddle/server/sql/Database"
import * as SqliteClient from "@effect/sql-sqlite-node/SqliteClient"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { readFileSync } from "node:fs"
import * as TestServer from "../support/TestServer.ts"

/** The bytes of a database, those of its write-ahead log included. */
const bytesOf = (filename: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`PRAGMA wal_checkpoint(TRUNCATE)`
    return readFileSync(filename)
  }).pipe(Effect.provide(SqliteClient.layer({ filename })))

describe("a database of another version", () => {
  it.scopedLive("is refused in one line with the fix, and stays unchanged", () =>
    Effect.gen(function* () {
      const dataDir = yield* TestServer.dataDir
      const later = { migration_id: 2, created_at: "2026-11-22", name: "later" }
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`INSERT INTO schema_migrations ${sql.insert(later)}`
        // A table that this version would create, and the other one does not have.
        yield* sql`DROP TABLE schema_migration_lock`
      }).pipe(Effect.provide(Database.layer(dataDir)))
      const before = yield* bytesOf(Database.path(dataDir))
      const refused = yield* Effect.flip(Effect.provide(Effect.void, Database.layer(dataDir)))
      assert.strictEqual(refused.setting, "--data")
      assert.match(refused.problem, /another version of this program has written it/)
      assert.match(refused.fix, /another folder/)
      assert.isTrue((yield* bytesOf(Database.path(dataDir))).equals(before))
    })
  )
})
