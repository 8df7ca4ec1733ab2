import * as Migrator from "@effect/sql/Migrator"
import { accountsAndTasks } from "./migrations/0001_accounts_and_tasks.ts"

/** Brings the database to this version of the service, all missing steps in one transaction. */
export const run = Migrator.make({})({
  loader: Migrator.fromRecord({
    "0001_accounts_and_tasks": accountsAndTasks
  }),
  table: "schema_migrations"
})
