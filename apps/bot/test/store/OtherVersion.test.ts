import { readFileSync } from "node:fs"
import { join } from "node:path"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodePath from "@effect/platform-node/NodePath"
import * as SqliteClient from "@effect/sql-sqlite-node/SqliteClient"
import * as SqlClient from "@effect/sql/SqlClient"
import { assert, describe, it } from "@effect/vitest"
import * as Database from "@heddle/bot/store/database/Database"
import { folder } from "@heddle/test-support/Folder"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/** The bytes of a database, those of its write-ahead log included. */
const bytesOf = (filename: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`PRAGMA wal_checkpoint(TRUNCATE)`
    return readFileSync(filename)
  }).pipe(Effect.provide(SqliteClient.layer({ filename })))

describe("a database of another version", () => {
  it.scopedLive("is refused in one line with the fix, and stays as it is", () =>
    Effect.gen(function* () {
      const dataDir = yield* folder("heddle-version-")
      const layer = Database.layer(dataDir).pipe(Layer.provide(Layer.merge(NodeFileSystem.layer, NodePath.layer)))
      const later = { migration_id: 2, created_at: "2026-11-22", name: "later" }
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`INSERT INTO bot_migrations ${sql.insert(later)}`
        // Tables that this version would create, and the other one does not have.
        for (const table of ["oauth_grants", "oauth_authorization_requests"]) yield* sql`DROP TABLE ${sql(table)}`
      }).pipe(Effect.provide(layer))
      const file = join(dataDir, Database.fileName)
      const before = yield* bytesOf(file)
      const refused = yield* Effect.flip(Effect.provide(Effect.void, layer))
      assert.strictEqual(refused.setting, "HEDDLE_DATA")
      assert.match(refused.problem, /another version of this program has written it/)
      assert.match(refused.fix, /another folder/)
      assert.isTrue((yield* bytesOf(file)).equals(before))
    })
  )
})
