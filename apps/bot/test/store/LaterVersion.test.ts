import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodePath from "@effect/platform-node/NodePath"
import { assert, describe, it } from "@effect/vitest"
import * as Database from "@heddle/bot/store/database/Database"
import { folder } from "@heddle/test-support/Folder"
import * as LaterVersion from "@heddle/test-support/LaterVersion"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { join } from "node:path"

describe("a database of another version", () => {
  it.scopedLive("is refused in one line with the fix, and stays unchanged", () =>
    Effect.gen(function* () {
      const dataDir = yield* folder("heddle-version-")
      const { error, isUnchanged } = yield* LaterVersion.open({
        layer: Database.layer(dataDir).pipe(Layer.provide(Layer.merge(NodeFileSystem.layer, NodePath.layer))),
        file: join(dataDir, Database.fileName),
        migrationsTable: "bot_migrations",
        tables: ["oauth_grants", "oauth_authorization_requests"]
      })
      assert.strictEqual(error.setting, "HEDDLE_DATA")
      assert.match(error.problem, /another version of this program has written it/)
      assert.match(error.fix, /another folder/)
      assert.isTrue(isUnchanged)
    })
  )

  it.scopedLive("is refused where the same migrations once made other tables", () =>
    Effect.gen(function* () {
      const dataDir = yield* folder("heddle-version-")
      const layer = Database.layer(dataDir).pipe(Layer.provide(Layer.merge(NodeFileSystem.layer, NodePath.layer)))
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`ALTER TABLE permissions ADD COLUMN of_another_version TEXT`
      }).pipe(Effect.provide(layer))
      const error = yield* Effect.flip(Effect.provide(Effect.void, layer))
      assert.match(error.problem, /another version of this program has written it/)
    })
  )
})
