import * as Migrator from "@effect/sql/Migrator"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { accountsAndTasks } from "./migrations/0001_accounts_and_tasks.ts"
import { sandbox } from "./migrations/0002_sandbox.ts"
import { creditsAndRedemptions } from "./migrations/0003_credits_and_redemptions.ts"
import { localAssistant } from "./migrations/0004_local_assistant.ts"
import { accountKinds } from "./migrations/0005_account_kinds.ts"
import { authorization } from "./migrations/0006_authorization.ts"
import { questionsByUser } from "./migrations/0007_questions_by_user.ts"
import { ticketsByGrant } from "./migrations/0008_tickets_by_grant.ts"
import { artifactCounts } from "./migrations/0009_artifact_counts.ts"

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
  loader: Migrator.fromRecord({
    "0001_accounts_and_tasks": accountsAndTasks,
    "0002_sandbox": sandbox,
    "0003_credits_and_redemptions": creditsAndRedemptions,
    "0004_local_assistant": localAssistant,
    "0005_account_kinds": accountKinds,
    "0006_authorization": authorization,
    "0007_questions_by_user": questionsByUser,
    "0008_tickets_by_grant": ticketsByGrant,
    "0009_artifact_counts": artifactCounts
  }),
  table: "schema_migrations"
})
