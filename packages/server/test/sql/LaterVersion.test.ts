import { assert, describe, it } from "@effect/vitest"
import * as Database from "@heddle/server/sql/Database"
import * as LaterVersion from "@heddle/test-support/LaterVersion"
import * as Effect from "effect/Effect"
import * as TestServer from "../support/TestServer.ts"

describe("a database of a later version", () => {
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
})
