import * as Migrator from "@effect/sql/Migrator"
import { accountsAndTasks } from "./migrations/0001_accounts_and_tasks.ts"
import { sandbox } from "./migrations/0002_sandbox.ts"

/** Brings the database to this version of the service, all missing steps in one transaction. */
export const run = Migrator.make({})({
  loader: Migrator.fromRecord({
    "0001_accounts_and_tasks": accountsAndTasks,
    "0002_sandbox": sandbox
  }),
  table: "schema_migrations"
})
