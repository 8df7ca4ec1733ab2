import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as ShardingConfig from "@effect/cluster/ShardingConfig"
import * as SqlMessageStorage from "@effect/cluster/SqlMessageStorage"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodePath from "@effect/platform-node/NodePath"
import * as Database from "@heddle/bot/store/database/Database"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/** A database with the tables of a first start. All tests of a process copy one: making the tables is a third of a start. */
let made: Promise<Uint8Array> | undefined

/** Creates a data folder with a new database. */
export const makeDataFolder = async (folder: string): Promise<string> => {
  const database = await (made ??= newDatabase())
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  writeFileSync(join(folder, Database.fileName), database)
  return folder
}

const newDatabase = async () => {
  const folder = mkdtempSync(join(tmpdir(), "heddle-database-"))
  try {
    await SqlMessageStorage.layer.pipe(
      Layer.provide([Database.layer(folder), ShardingConfig.layer()]),
      Layer.provide([NodeFileSystem.layer, NodePath.layer]),
      Layer.build,
      Effect.scoped,
      Effect.runPromise
    )
    return readFileSync(join(folder, Database.fileName))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
