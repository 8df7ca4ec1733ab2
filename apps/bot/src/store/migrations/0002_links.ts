import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"

/** Connection links are kept by the oauth package now; those of the old table were good for ten minutes. */
export const drop = Effect.flatMap(SqlClient.SqlClient, (sql) => sql`DROP TABLE links`)
