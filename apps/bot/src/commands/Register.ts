import { createHash } from "node:crypto"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { DiscordApi } from "../discord/DiscordApi.ts"
import { commands, menu } from "./Commands.ts"
import { definitions } from "./Definitions.ts"

/** Registers the commands in a guild, if they are not the ones that it has. */
export const register = Effect.fn("Register.register")(function* (guildId: string) {
  const sql = yield* SqlClient.SqlClient
  const api = yield* DiscordApi
  const body = definitions(commands, menu)
  const hash = createHash("sha256").update(JSON.stringify(body)).digest("base64url")
  const [known] = yield* Effect.orDie(
    sql<{ hash: string }>`SELECT hash FROM guild_commands WHERE guild_id = ${guildId}`
  )
  if (known?.hash === hash) return
  yield* api.setCommands(guildId, body)
  yield* Effect.orDie(
    sql`INSERT INTO guild_commands ${sql.insert({ guild_id: guildId, hash })}
      ON CONFLICT (guild_id) DO UPDATE SET hash = excluded.hash`
  )
})
