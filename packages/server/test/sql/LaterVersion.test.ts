import { assert, describe, it } from "@effect/vitest"
import * as Database from "@heddle/server/sql/Database"
import * as LaterVersion from "@heddle/test-support/LaterVersion"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as TestServer from "../support/TestServer.ts"

describe("a database of another version", () => {
  it.scopedLive("is refused in one line with the fix, and stays unchanged", () =>
    Effect.gen(function* () {
      const dataDir = yield* TestServer.dataDir
      const { error, isUnchanged } = yield* LaterVersion.open({
        layer: Database.layer(dataDir),
        file: Database.path(dataDir),
        migrationsTable: "schema_migrations",
        tables: ["schema_migration_lock"]
      })
      assert.strictEqual(error.setting, "--data")
      assert.match(error.problem, /another version of this program has written it/)
      assert.match(error.fix, /another folder/)
      assert.isTrue(isUnchanged)
    })
  )

  it.scopedLive("is refused where the same migrations once made other tables", () =>
    Effect.gen(function* () {
      const dataDir = yield* TestServer.dataDir
      const layer = Database.layer(dataDir)
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`ALTER TABLE tasks ADD COLUMN of_another_version TEXT`
      }).pipe(Effect.provide(layer))
      const error = yield* Effect.flip(Effect.provide(Effect.void, layer))
      assert.match(error.problem, /another version of this program has written it/)
    })
  )
})
