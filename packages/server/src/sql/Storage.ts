import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Fs from "node:fs"
import * as MasterKey from "../config/MasterKey.ts"
import type { ServerStartError } from "../config/ServerStartError.ts"
import * as Database from "./Database.ts"
import * as SqliteClient from "./SqliteClient.ts"

/**
 * The database and the master key of a data folder. A new folder gets both; afterwards each is refused without the
 * other. `serving` also reads the whole database for damage, which takes about a second per GiB.
 */
export const layer = (
  dataDir: string,
  { serving = false } = {}
): Layer.Layer<SqlClient.SqlClient | MasterKey.MasterKey, ServerStartError> =>
  Layer.effectDiscard(refuseOtherKey(dataDir)).pipe(
    Layer.provideMerge(MasterKey.layer(dataDir)),
    (withKey) => Layer.unwrapEffect(Effect.as(createKey(dataDir), withKey)),
    Layer.provideMerge(serving ? Database.layerServing(dataDir) : Database.layer(dataDir)),
    (both) => Layer.unwrapEffect(Effect.as(refuseLostDatabase(dataDir), both))
  )

/** A key comes only after the tables of its database, so a key without them has lost its database. */
const refuseLostDatabase = (dataDir: string): Effect.Effect<void, ServerStartError> =>
  Effect.suspend(() =>
    // The key is looked for first: another process may be making both.
    Fs.existsSync(MasterKey.path(dataDir)) && Database.isEmpty(dataDir)
      ? MasterKey.withoutDatabase(dataDir)
      : Effect.void
  )

/** Creates the key of an unused database: it has no fingerprint, nor accounts from before there were fingerprints. */
const createKey = (dataDir: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const used = yield* Effect.orDie(sql`SELECT 1 FROM master_key UNION ALL SELECT 1 FROM accounts LIMIT 1`)
    if (used.length === 0) yield* MasterKey.create(dataDir)
  })

/** Fails where the database was used with another key; the first key of a database is kept as its own. */
const refuseOtherKey = (dataDir: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    if ((yield* storedFingerprints).length === 0) {
      const fingerprint = yield* fingerprintOfKey
      yield* Effect.orDie(sql`INSERT INTO master_key SELECT ${fingerprint} WHERE NOT EXISTS (SELECT 1 FROM master_key)`)
    }
    yield* compareKey(dataDir)
  })

/** Fails in the words of a start where the written copy of a database was used with another key than the folder has. */
export const refuseOtherKeyOfCopy = (
  dataDir: string,
  copy: string
): Effect.Effect<void, ServerStartError, MasterKey.MasterKey> =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    // A database from before keys were compared has no such table.
    const tables = yield* Effect.orDie(sql`SELECT 1 FROM sqlite_master WHERE name = 'master_key'`)
    if (tables.length > 0) yield* compareKey(dataDir)
  }).pipe(Effect.provide(Layer.orDie(SqliteClient.layer({ filename: copy, readonly: true, disableWAL: true }))))

const compareKey = (dataDir: string) =>
  Effect.gen(function* () {
    const [row] = yield* storedFingerprints
    if (row !== undefined && row.fingerprint !== (yield* fingerprintOfKey)) {
      return yield* MasterKey.unusable(dataDir, "belongs to another database")
    }
  })

const fingerprintOfKey = Effect.map(MasterKey.MasterKey, (key) =>
  Buffer.from(key.derive("fingerprint")).toString("hex")
)

const storedFingerprints = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.orDie(sql<{ readonly fingerprint: string }>`SELECT fingerprint FROM master_key`)
)
