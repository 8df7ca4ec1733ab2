import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodePath from "@effect/platform-node/NodePath"
import * as SqlClient from "@effect/sql/SqlClient"
import { assert, describe, it } from "@effect/vitest"
import * as Database from "@heddle/bot/store/database/Database"
import { folder } from "@heddle/test-support/Folder"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { closeSync, openSync, readFileSync, writeFileSync, writeSync } from "node:fs"
import { join } from "node:path"

const page = 4096

const layerOf = (dataDir: string) =>
  Database.layer(dataDir).pipe(Layer.provide(Layer.merge(NodeFileSystem.layer, NodePath.layer)))

/** Why a start on this database fails. */
const refusal = (layer: ReturnType<typeof layerOf>) => Effect.flip(Effect.provide(Effect.void, layer))

describe("a damaged database", () => {
  it.scopedLive("is refused before anything is written, also where twenty pages are zeroed", () =>
    Effect.gen(function* () {
      const dataDir = yield* folder("heddle-damage-")
      const layer = layerOf(dataDir)
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`CREATE TABLE pages (content BLOB)`
        for (let row = 0; row < 100; row++) yield* sql`INSERT INTO pages VALUES (zeroblob(3000))`
      }).pipe(Effect.provide(layer))
      const file = join(dataDir, Database.fileName)
      const descriptor = openSync(file, "r+")
      // The last pages: no start reads them.
      writeSync(descriptor, Buffer.alloc(20 * page), 0, 20 * page, readFileSync(file).length - 30 * page)
      closeSync(descriptor)
      const before = readFileSync(file)
      const error = yield* refusal(layer)
      assert.strictEqual(error.setting, "HEDDLE_DATA")
      assert.match(error.problem, /damaged.*page \d+/)
      assert.match(error.fix, /from a backup/)
      assert.isTrue(readFileSync(file).equals(before))
    })
  )

  it.scopedLive("is named as that where its first tables are zeroed", () =>
    Effect.gen(function* () {
      const dataDir = yield* folder("heddle-damage-")
      const layer = layerOf(dataDir)
      yield* Effect.provide(Effect.void, layer)
      const descriptor = openSync(join(dataDir, Database.fileName), "r+")
      writeSync(descriptor, Buffer.alloc(20 * page), 0, 20 * page, 2 * page)
      closeSync(descriptor)
      const error = yield* refusal(layer)
      assert.match(error.problem, /it is damaged: database disk image is malformed/)
    })
  )

  it.scopedLive("is refused where it is no database any more", () =>
    Effect.gen(function* () {
      const dataDir = yield* folder("heddle-damage-")
      const file = join(dataDir, Database.fileName)
      writeFileSync(file, "no database, but a file that is long enough to be one".repeat(100))
      const before = readFileSync(file)
      const error = yield* refusal(layerOf(dataDir))
      assert.strictEqual(error.setting, "HEDDLE_DATA")
      assert.match(error.problem, /it is damaged: file is not a database/)
      assert.isTrue(readFileSync(file).equals(before))
    })
  )
})
