import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Fs from "node:fs"
import * as MasterKey from "../config/MasterKey.ts"
import type { ServerStartError } from "../config/ServerStartError.ts"
import * as Database from "./Database.ts"

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
    Layer.provideMerge(serving ? Database.layerServing(dataDir) : Database.layer(dataDir)),
    (both) => Layer.unwrapEffect(Effect.as(createKey(dataDir), both))
  )

/** The key comes before the database: a database without a key has lost it, even while several processes start. */
const createKey = (dataDir: string): Effect.Effect<void, ServerStartError> =>
  Effect.suspend(() => {
    const size = Fs.statSync(Database.path(dataDir), { throwIfNoEntry: false })?.size ?? 0
    return size === 0 ? MasterKey.create(dataDir) : Effect.void
  })

/** Fails where the database was used with another key; the first key of a database is kept as its own. */
const refuseOtherKey = (dataDir: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const fingerprint = Buffer.from((yield* MasterKey.MasterKey).derive("fingerprint")).toString("hex")
    const rows = sql<{ readonly fingerprint: string }>`SELECT fingerprint FROM master_key`
    if ((yield* Effect.orDie(rows)).length === 0) {
      yield* Effect.orDie(sql`INSERT INTO master_key SELECT ${fingerprint} WHERE NOT EXISTS (SELECT 1 FROM master_key)`)
    }
    const [row] = yield* Effect.orDie(rows)
    if (row?.fingerprint !== fingerprint) return yield* MasterKey.unusable(dataDir, "belongs to another database")
  })
