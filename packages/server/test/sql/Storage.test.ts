import { assert, describe, it } from "@effect/vitest"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Administration from "@heddle/server/Administration"
import * as MasterKey from "@heddle/server/config/MasterKey"
import * as Database from "@heddle/server/sql/Database"
import * as Storage from "@heddle/server/sql/Storage"
import Sqlite from "better-sqlite3"
import * as Effect from "effect/Effect"
import * as Crypto from "node:crypto"
import * as Fs from "node:fs"
import * as Path from "node:path"
import * as TestServer from "../support/TestServer.ts"

/** A data folder that a service has used and left. */
const usedFolder = Effect.gen(function* () {
  const dataDir = yield* TestServer.dataDir
  yield* Effect.scoped(TestServer.make({ dataDir }))
  return dataDir
})

/** Why neither the service nor an administration command starts on a folder. */
const refusal = (dataDir: string) =>
  Effect.gen(function* () {
    const before = contents(dataDir)
    const ofCommand = yield* Effect.flip(Effect.provide(Effect.void, Administration.layer(dataDir)))
    const ofService = yield* Effect.flip(Effect.scoped(TestServer.make({ dataDir })))
    assert.strictEqual(ofService.message, ofCommand.message)
    assert.deepStrictEqual(contents(dataDir), before)
    return ofService
  })

/** Hashes of the key and the database; the rest of a folder is locks. */
const contents = (dataDir: string) =>
  ["master.key", "server.sqlite"].map((name) => {
    const file = Path.join(dataDir, name)
    return Fs.existsSync(file) ? Crypto.hash("sha256", Fs.readFileSync(file)) : undefined
  })

const overwrite = (file: string, at: number, length: number) => {
  const handle = Fs.openSync(file, "r+")
  Fs.writeSync(handle, Buffer.alloc(length), 0, length, at)
  Fs.closeSync(handle)
}

/** Leaves a database as a process that was killed before its first table. */
const withoutTables = (dataDir: string) => {
  Fs.rmSync(Database.path(dataDir), { force: true })
  const database = new Sqlite(Database.path(dataDir))
  database.pragma("auto_vacuum = FULL")
  database.pragma("journal_mode = WAL")
  database.close()
}

describe("Storage", () => {
  it.scopedLive("after a stop the database file is whole by itself", () =>
    Effect.gen(function* () {
      const dataDir = yield* usedFolder
      const copy = yield* TestServer.dataDir
      Fs.copyFileSync(Database.path(dataDir), Database.path(copy))
      Fs.copyFileSync(MasterKey.path(dataDir), MasterKey.path(copy))
      const names = Effect.flatMap(SqlClient.SqlClient, (sql) => sql`SELECT nickname FROM accounts`)
      assert.deepStrictEqual(yield* Effect.provide(names, Storage.layer(copy)), [{ nickname: "Ada" }])
    })
  )

  it.scopedLive("a database without its key is refused, and no other key is made", () =>
    Effect.gen(function* () {
      const dataDir = yield* usedFolder
      Fs.rmSync(MasterKey.path(dataDir))
      const error = yield* refusal(dataDir)
      assert.match(error.message, /master\.key is missing beside its database/)
      assert.match(error.message, /Nothing was changed.*from the same backup/)
      assert.isFalse(Fs.existsSync(MasterKey.path(dataDir)))
    })
  )

  it.scopedLive("a key whose database is missing, empty or without tables is refused until it is moved away", () =>
    Effect.gen(function* () {
      const dataDir = yield* usedFolder
      Fs.rmSync(Database.path(dataDir))
      const log = `${Database.path(dataDir)}-wal`
      Fs.writeFileSync(log, "newest writes")
      const refusals = [yield* refusal(dataDir)]
      assert.isFalse(Fs.existsSync(Database.path(dataDir)))
      Fs.writeFileSync(Database.path(dataDir), "")
      refusals.push(yield* refusal(dataDir))
      assert.strictEqual(Fs.readFileSync(log, "utf8"), "newest writes")
      Fs.rmSync(log)
      withoutTables(dataDir)
      refusals.push(yield* refusal(dataDir))
      for (const { message } of refusals) {
        assert.match(message, /the database of the key .*master\.key was lost: server\.sqlite is missing or empty/)
        assert.match(message, /Nothing was changed.*from a backup that has this key, or move master\.key away/)
      }
      Fs.rmSync(MasterKey.path(dataDir))
      yield* TestServer.make({ dataDir })
    })
  )

  it.scopedLive("a first start that was killed before its key or its fingerprint is finished by the next one", () =>
    Effect.gen(function* () {
      const empty = yield* TestServer.dataDir
      Fs.writeFileSync(Database.path(empty), "")
      const unmigrated = yield* TestServer.dataDir
      withoutTables(unmigrated)
      const unused = yield* TestServer.dataDir
      yield* Effect.provide(Effect.void, Database.layer(unused))
      const unmarked = yield* TestServer.dataDir
      yield* Effect.provide(Effect.void, Database.layer(unmarked))
      yield* MasterKey.create(unmarked)
      for (const dataDir of [empty, unmigrated, unused, unmarked]) {
        yield* Effect.scoped(TestServer.make({ dataDir }))
        const key = Fs.readFileSync(MasterKey.path(dataDir), "utf8")
        yield* Effect.scoped(TestServer.make({ dataDir }))
        assert.strictEqual(Fs.readFileSync(MasterKey.path(dataDir), "utf8"), key)
      }
    })
  )

  it.scopedLive("the key of another folder, or half a key, is refused", () =>
    Effect.gen(function* () {
      const [dataDir, other] = [yield* usedFolder, yield* usedFolder]
      Fs.copyFileSync(MasterKey.path(other), MasterKey.path(dataDir))
      assert.match((yield* refusal(dataDir)).message, /master\.key belongs to another database/)
      Fs.truncateSync(MasterKey.path(dataDir), 20)
      assert.match((yield* refusal(dataDir)).message, /master\.key is damaged: it does not hold 32 bytes/)
    })
  )

  it.scopedLive("a database of a newer version says so, whatever else is wrong with the folder", () =>
    Effect.gen(function* () {
      const dataDir = yield* usedFolder
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`INSERT INTO schema_migrations (migration_id, created_at, name) VALUES (1000, '2026-11-22', 'later')`
      }).pipe(Effect.provide(Database.layer(dataDir)))
      Fs.rmSync(MasterKey.path(dataDir))
      assert.match((yield* refusal(dataDir)).message, /another version of this program has written it/)
    })
  )

  it.scopedLive("a file that is no database any more is called damaged", () =>
    Effect.gen(function* () {
      const dataDir = yield* usedFolder
      overwrite(Database.path(dataDir), 0, 4096)
      const error = yield* refusal(dataDir)
      assert.match(error.message, /server\.sqlite is damaged \(.*not a database\)/)
      assert.match(error.message, /Nothing was changed.*backup/)
    })
  )

  it.scopedLive("twenty zeroed pages are found before anything is served", () =>
    Effect.gen(function* () {
      const dataDir = yield* usedFolder
      // Between the pages that every start reads.
      overwrite(Database.path(dataDir), 40 * 4096, 20 * 4096)
      const before = contents(dataDir)
      const error = yield* Effect.flip(Effect.scoped(TestServer.make({ dataDir })))
      assert.match(error.message, /server\.sqlite is damaged \(.*page \d+.*\)/)
      assert.deepStrictEqual(contents(dataDir), before)
    })
  )

  it.scopedLive("a damaged lock is not taken for another process", () =>
    Effect.gen(function* () {
      const dataDir = yield* usedFolder
      Fs.writeFileSync(Path.join(dataDir, "server.lock"), "x".repeat(4096))
      const error = yield* Effect.flip(Effect.scoped(TestServer.make({ dataDir })))
      assert.match(error.message, /server\.lock cannot be used \(.*not a database\)/)
      Fs.rmSync(Path.join(dataDir, "server.lock"))
      yield* TestServer.make({ dataDir })
    })
  )

  it.scopedLive("a database from before keys were compared keeps the key it has", () =>
    Effect.gen(function* () {
      const dataDir = yield* usedFolder
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`DROP TABLE master_key`
        yield* sql`DROP INDEX tasks_status`
        yield* sql`ALTER TABLE tickets DROP COLUMN may_invoke`
        yield* sql`DELETE FROM schema_migrations WHERE migration_id >= 3`
      }).pipe(Effect.provide(Database.layer(dataDir)))
      const key = Fs.readFileSync(MasterKey.path(dataDir))
      Fs.rmSync(MasterKey.path(dataDir))
      const keyless = yield* Effect.flip(Effect.provide(Effect.void, Storage.layer(dataDir)))
      assert.match(keyless.message, /master\.key is missing beside its database/)
      Fs.writeFileSync(MasterKey.path(dataDir), key)
      yield* Effect.provide(Effect.void, Storage.layer(dataDir))
      Fs.copyFileSync(MasterKey.path(yield* usedFolder), MasterKey.path(dataDir))
      const error = yield* Effect.flip(Effect.provide(Effect.void, Storage.layer(dataDir)))
      assert.match(error.message, /belongs to another database/)
    })
  )
})
