import * as Migrator from "@effect/sql/Migrator"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { create } from "./migrations/0001_initial.ts"
import { addAgents } from "./migrations/0002_agents.ts"
import { addMasterKey } from "./migrations/0003_master_key.ts"
import { addTasksByStatus } from "./migrations/0004_tasks_by_status.ts"
import { addTicketRights } from "./migrations/0005_ticket_rights.ts"
import * as SqliteClient from "./SqliteClient.ts"

/** The database has migrations that this version does not know. */
export class WrittenByAnotherVersion extends Data.TaggedError("WrittenByAnotherVersion") {
  override readonly message = "another version of this program has written it"
}

/** Brings the database to this version of the service, all missing steps in one transaction. */
export const run = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* refuseOtherVersion
  // Several processes may open a new folder at once. A write that changes nothing makes each wait for the others. The
  // migrator alone would read first, and then go on without the tables that another process is still making.
  yield* sql`CREATE TABLE IF NOT EXISTS ${sql(lock)} (holder INTEGER PRIMARY KEY NOT NULL)`
  // Another version may have been among those processes.
  const done = yield* sql.withTransaction(
    Effect.zipRight(Effect.zipRight(sql`DELETE FROM ${sql(lock)}`, refuseOtherVersion), migrate)
  )
  // A database that has had every step just now is new.
  if (done.length < Object.keys(migrations).length) yield* refuseOtherTables
})

/** Comes before the first write, so that a refused database stays as it is. */
export const refuseOtherVersion = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const tables = yield* sql`SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ${table}`
  if (tables.length === 0) return
  const [row] = yield* sql<{ readonly last: number }>`SELECT MAX(migration_id) AS last FROM ${sql(table)}`
  if (Number(row?.last) > Object.keys(migrations).length) return yield* new WrittenByAnotherVersion()
})

const migrations = {
  "0001_initial": create,
  "0002_agents": addAgents,
  "0003_master_key": addMasterKey,
  "0004_tasks_by_status": addTasksByStatus,
  "0005_ticket_rights": addTicketRights
}

const lock = "schema_migration_lock"

/** The table that lists the migrations of a database. */
const table = "schema_migrations"

const migrate = Migrator.make({})({ loader: Migrator.fromRecord(migrations), table })

/** Fails where a table differs from that of a new database: the first migration changed until the first release. */
const refuseOtherTables = Effect.gen(function* () {
  const expected = yield* newTables
  const actual = new Set(yield* tableDefinitions)
  if (!expected.every((definition) => actual.has(definition))) return yield* new WrittenByAnotherVersion()
})

const tableDefinitions = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly sql: string }>`SELECT sql FROM sqlite_master WHERE type = 'table'`
  return rows.map((row) => row.sql)
})

/** The tables of a new database; they are the same for every database of a process. */
const newTables = Effect.zipRight(migrate, tableDefinitions).pipe(
  Effect.provide(SqliteClient.layer({ filename: ":memory:", disableWAL: true })),
  Effect.uninterruptible,
  Effect.cached,
  Effect.runSync
)
