import { assert, describe, it } from "@effect/vitest"
import * as Database from "@heddle/server/sql/Database"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as TestServer from "./support/TestServer.ts"

describe("a database of another version", () => {
  it.scopedLive("is refused in one line, with what to do", () =>
    Effect.gen(function* () {
      const dataDir = yield* TestServer.dataDir
      const later = { migration_id: 2, created_at: "2026-11-22", name: "later" }
      yield* Effect.flatMap(SqlClient.SqlClient, (sql) => sql`INSERT INTO schema_migrations ${sql.insert(later)}`).pipe(
        Effect.provide(Database.layer(dataDir))
      )
      const refused = yield* Effect.flip(Effect.provide(Effect.void, Database.layer(dataDir)))
      assert.strictEqual(refused.setting, "--data")
      assert.match(refused.problem, /another version of this program has written it/)
      assert.match(refused.fix, /another folder/)
    })
  )
})
