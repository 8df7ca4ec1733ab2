import { execFile } from "node:child_process"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodePath from "@effect/platform-node/NodePath"
import * as SqlClient from "@effect/sql/SqlClient"
import { assert, describe, it } from "@effect/vitest"
import { BotSettings } from "@heddle/bot/model/BotSettings"
import * as Database from "@heddle/bot/store/database/Database"
import * as StoreCheck from "@heddle/bot/store/database/StoreCheck"
import { folder } from "@heddle/test-support/Folder"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

const run = promisify(execFile)

/** Opens the database in a program of its own, as people do who look into it, and closes it again. */
const countElsewhere = (file: string) =>
  Effect.promise(async () => {
    const program = `
      const Database = require("better-sqlite3")
      const database = new Database(${JSON.stringify(file)})
      process.stdout.write(String(database.prepare("SELECT writes FROM store_check").get().writes))
      database.close()
      globalThis.gc()`
    const { stdout } = await run(process.execPath, ["--expose-gc", "-e", program], {
      cwd: fileURLToPath(new URL("../..", import.meta.url))
    })
    return Number(stdout)
  })

describe("StoreCheck", () => {
  it.scopedLive("leaves the locks of the database alone, so that another program takes no writes with it", () =>
    Effect.gen(function* () {
      const dataDir = yield* folder("heddle-check-")
      const platform = Layer.merge(NodeFileSystem.layer, NodePath.layer)
      const layer = StoreCheck.layer(dataDir).pipe(
        Layer.provideMerge(Database.layer(dataDir)),
        Layer.provide(platform),
        Layer.provide(Layer.succeed(BotSettings, { stuckAfterMs: 60_000 } as BotSettings["Type"]))
      )
      yield* Effect.gen(function* () {
        const { check } = yield* StoreCheck.StoreCheck
        const sql = yield* SqlClient.SqlClient
        yield* check
        yield* sql`UPDATE store_check SET writes = 41`
        assert.strictEqual(yield* countElsewhere(join(dataDir, Database.fileName)), 41)
        yield* sql`UPDATE store_check SET writes = 42`
        assert.strictEqual(yield* countElsewhere(join(dataDir, Database.fileName)), 42)
      }).pipe(Effect.provide(layer))
    })
  )
})
