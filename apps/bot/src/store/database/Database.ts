import * as Path from "@effect/platform/Path"
import * as Migrator from "@effect/sql/Migrator"
import * as SqlClient from "@effect/sql/SqlClient"
import * as AuthorizationRequests from "@heddle/oauth/AuthorizationRequests"
import * as TokenStore from "@heddle/oauth/TokenStore"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { BotStartError } from "../../model/BotStartError.ts"
import * as GroupCommit from "./GroupCommit.ts"
import * as LockFile from "./LockFile.ts"
import { migrations } from "../migrations/index.ts"

/** The table of applied migrations. */
const table = "bot_migrations"

/** The database in the data folder. */
export const fileName = "bot.sqlite"

/**
 * The bot's store: `bot.sqlite` in the data folder. It survives a power loss, is migrated at the start, and belongs to
 * one process.
 */
export const layer = (folder: string) =>
  Layer.unwrapScoped(
    Effect.gen(function* () {
      yield* LockFile.acquire(folder)
      const path = yield* Path.Path
      return GroupCommit.layer(path.join(folder, fileName)).pipe(
        Layer.tap((context) => Effect.provide(migrate, context)),
        Layer.mapError(
          (error) =>
            new BotStartError({
              setting: "HEDDLE_DATA",
              problem: `the database in ${folder} cannot be used (${error.message})`,
              fix: `Give another folder, or restore the file ${fileName} from a backup.`
            })
        )
      )
    })
  )

const migrate = Effect.gen(function* () {
  yield* refuseOtherVersion
  yield* TokenStore.migrate
  yield* AuthorizationRequests.migrate
  yield* Migrator.make({})({ loader: Migrator.fromRecord(migrations), table })
})

/** Comes before the first write, so that a refused database stays as it is. */
const refuseOtherVersion = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const tables = yield* sql`SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ${table}`
  if (tables.length === 0) return
  const [row] = yield* sql<{ readonly last: number }>`SELECT MAX(migration_id) AS last FROM ${sql(table)}`
  if (Number(row?.last) > Object.keys(migrations).length) {
    return yield* Effect.fail({ message: "another version of this program has written it" })
  }
})
