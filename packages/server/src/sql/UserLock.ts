import type * as SqlClient from "@effect/sql/SqlClient"

/**
 * Makes the transactions about one user take turns; it has to be the first statement of each. A write that changes
 * nothing is what SQLite and PostgreSQL both wait for: who reads first would decide on what another is changing.
 */
export const take = (sql: SqlClient.SqlClient, userId: string) =>
  sql`UPDATE accounts SET created_at = created_at WHERE user_id = ${userId}`
