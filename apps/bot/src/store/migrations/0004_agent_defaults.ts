import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"

/** Defaults may be of one agent, and of options. The agent of a task is known where it is the only one, too. */
export const extendAgentDefaults = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE agent_defaults RENAME TO agent_defaults_before`
  yield* sql`CREATE TABLE agent_defaults (
    guild_id TEXT NOT NULL, channel_id TEXT NOT NULL, for_agent TEXT NOT NULL,
    agent TEXT, mode TEXT, model TEXT, options TEXT NOT NULL, PRIMARY KEY (guild_id, channel_id, for_agent)
  )`
  yield* sql`INSERT INTO agent_defaults (guild_id, channel_id, for_agent, agent, mode, model, options)
    SELECT guild_id, channel_id, '', agent, mode, model, '{}' FROM agent_defaults_before
    WHERE agent IS NOT NULL OR mode IS NOT NULL OR model IS NOT NULL`
  yield* sql`DROP TABLE agent_defaults_before`
  yield* sql`ALTER TABLE task_agents ADD COLUMN of_several INTEGER NOT NULL DEFAULT 1`
})
