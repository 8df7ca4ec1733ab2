import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"

/** What a turn has shown in the end, so that words that come after it are told apart. */
export const shown = Effect.flatMap(SqlClient.SqlClient, (sql) => sql`ALTER TABLE turns ADD COLUMN shown TEXT`)
