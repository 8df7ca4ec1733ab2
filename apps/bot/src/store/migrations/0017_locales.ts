import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"

/** In which language people used the bot last, so that what they are told later is in it, too. */
export const locales = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.zipRight(
    sql`CREATE TABLE locales (user_id TEXT PRIMARY KEY, locale TEXT NOT NULL)`,
    // Of the rows of a person SQLite takes the one with the newest time.
    sql`INSERT INTO locales (user_id, locale) SELECT user_id, locale FROM
      (SELECT user_id, locale, MAX(created_at) FROM requests WHERE locale IS NOT NULL GROUP BY user_id)`
  )
)
