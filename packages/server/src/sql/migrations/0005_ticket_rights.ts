import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"

/** A ticket has rights of its own. Earlier tickets keep those of their grants. */
export const addTicketRights = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE tickets ADD COLUMN may_invoke INTEGER NOT NULL DEFAULT 0`
  yield* sql`UPDATE tickets SET may_invoke = 1 WHERE grant_id IN (
    SELECT grant_id FROM grants WHERE ' ' || scope || ' ' LIKE '% user.task.invokable %')`
})
