import * as Migrator from "@effect/sql/Migrator"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { create } from "./migrations/0001_initial.ts"

/** Brings the database to this version of the service, all missing steps in one transaction. */
export const run = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // Several processes may open a new folder at once. A write that changes nothing makes each wait for its turn;
  // the migrator alone would read first and then go on without the tables that another is still making.
  yield* sql`CREATE TABLE IF NOT EXISTS ${sql(turns)} (turn INTEGER PRIMARY KEY NOT NULL)`
  yield* sql.withTransaction(Effect.zipRight(sql`DELETE FROM ${sql(turns)}`, migrate))
})

const turns = "schema_migration_turns"

const migrate = Migrator.make({})({
  loader: Migrator.fromRecord({ "0001_initial": create }),
  table: "schema_migrations"
})
