import * as Path from "@effect/platform/Path"
import * as SqliteClient from "@effect/sql-sqlite-node/SqliteClient"
import * as Migrator from "@effect/sql/Migrator"
import * as SqlClient from "@effect/sql/SqlClient"
import * as AuthorizationRequests from "@heddle/oauth/AuthorizationRequests"
import * as TokenStore from "@heddle/oauth/TokenStore"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { BotStartError } from "../BotStartError.ts"
import * as LockFile from "./LockFile.ts"
import { migrations } from "./migrations/index.ts"

/** The bot's own store: `bot.sqlite` in the data folder, durable against power loss, migrated, held by one process. */
export const layer = (folder: string) =>
  Layer.unwrapScoped(
    Effect.gen(function* () {
      yield* LockFile.acquire(folder)
      const path = yield* Path.Path
      // Its configuration is this literal, so it cannot be wrong.
      return Layer.orDie(SqliteClient.layer({ filename: path.join(folder, "bot.sqlite") }))
    })
  ).pipe(
    Layer.tap((context) =>
      prepare.pipe(
        Effect.provide(context),
        Effect.mapError(
          (error) =>
            new BotStartError({
              setting: "HEDDLE_DATA",
              problem: `the database in ${folder} cannot be used (${error.message})`,
              fix: "Give another folder, or restore the file bot.sqlite from a backup."
            })
        )
      )
    )
  )

const prepare = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`PRAGMA synchronous=FULL`
  yield* sql`PRAGMA busy_timeout=5000`
  yield* TokenStore.migrate
  yield* AuthorizationRequests.migrate
  yield* Migrator.make({})({ loader: Migrator.fromRecord(migrations), table: "bot_migrations" })
})
