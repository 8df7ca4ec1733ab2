import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"

/** Requests of every form, with questions, drafts and a deadline; what was answered before keeps its answer. */
export const extend = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE permissions ADD COLUMN fingerprint TEXT NOT NULL DEFAULT ''`
  yield* sql`ALTER TABLE permissions ADD COLUMN form TEXT NOT NULL DEFAULT 'permission'`
  yield* sql`ALTER TABLE permissions ADD COLUMN questions TEXT NOT NULL DEFAULT '[]'`
  yield* sql`ALTER TABLE permissions ADD COLUMN draft TEXT NOT NULL DEFAULT '{}'`
  yield* sql`ALTER TABLE permissions ADD COLUMN step INTEGER NOT NULL DEFAULT 0`
  yield* sql`ALTER TABLE permissions ADD COLUMN page INTEGER NOT NULL DEFAULT 0`
  yield* sql`ALTER TABLE permissions ADD COLUMN deadline_at BIGINT NOT NULL DEFAULT 0`
  yield* sql`ALTER TABLE permissions ADD COLUMN answer TEXT`
  yield* sql`ALTER TABLE permissions ADD COLUMN after_entries INTEGER NOT NULL DEFAULT 1000000`
  yield* sql`ALTER TABLE permissions ADD COLUMN after_chars INTEGER NOT NULL DEFAULT 0`
  yield* sql`UPDATE permissions SET fingerprint = tool_call_id, deadline_at = asked_at + 290000`
  yield* sql`UPDATE permissions SET answer = json_object('_tag', 'Selected', 'optionId',
    json_extract(options, '$[' || option_index || '].optionId')) WHERE option_index IS NOT NULL`
  yield* sql`ALTER TABLE permissions DROP COLUMN option_index`
})
