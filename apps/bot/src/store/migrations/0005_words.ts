import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"

/** The language of who asked for a task, and the ids under which a guild knows the commands. */
export const words = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE requests ADD COLUMN locale TEXT`
  yield* sql`ALTER TABLE guild_commands ADD COLUMN ids TEXT NOT NULL DEFAULT '{}'`
})
