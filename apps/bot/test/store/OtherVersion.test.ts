import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodePath from "@effect/platform-node/NodePath"
import * as SqlClient from "@effect/sql/SqlClient"
import { assert, describe, it } from "@effect/vitest"
import * as Database from "@heddle/bot/store/database/Database"
import { folder } from "@heddle/test-support/Folder"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

describe("a database of another version", () => {
  it.scopedLive("is refused in one line with the fix", () =>
    Effect.gen(function* () {
      const dataDir = yield* folder("heddle-version-")
      const layer = Database.layer(dataDir).pipe(Layer.provide(Layer.merge(NodeFileSystem.layer, NodePath.layer)))
      const later = { migration_id: 2, created_at: "2026-11-22", name: "later" }
      yield* Effect.flatMap(SqlClient.SqlClient, (sql) => sql`INSERT INTO bot_migrations ${sql.insert(later)}`).pipe(
        Effect.provide(layer)
      )
      const refused = yield* Effect.flip(Effect.provide(Effect.void, layer))
      assert.strictEqual(refused.setting, "HEDDLE_DATA")
      assert.match(refused.problem, /another version of this program has written it/)
      assert.match(refused.fix, /another folder/)
    })
  )
})
