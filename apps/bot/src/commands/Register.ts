import { createHash } from "node:crypto"
import * as Effect from "effect/Effect"
import { retryWhileUnavailable } from "../discord/RetryPolicy.ts"
import { DiscordApi } from "../discord/DiscordApi.ts"
import { Languages } from "../store/Languages.ts"
import { commands, menu } from "./Commands.ts"
import { definitions } from "./Definitions.ts"

/** Registers the bot's commands in a guild when they have changed. */
export const register = Effect.fn("Register.register")(function* (guildId: string) {
  const languages = yield* Languages
  const api = yield* DiscordApi
  const body = definitions(commands, menu)
  const hash = createHash("sha256").update(JSON.stringify(body)).digest("base64url")
  if ((yield* languages.hashOf(guildId)) === hash) return
  yield* languages.saveCommandIds(guildId, hash, yield* retryWhileUnavailable(api.setCommands(guildId, body)))
})
