import * as Effect from "effect/Effect"
import { DiscordApi } from "../discord/DiscordApi.ts"
import { DiscordClient } from "../discord/DiscordClient.ts"
import { outOfThreads } from "../discord/DiscordError.ts"
import type { Request } from "../store/Requests.ts"

/** Fails in a server at Discord's cap of active threads, so that no task is created that gets no thread. */
export const check = Effect.fn("ThreadCap.check")(function* ({ guildId, threadId }: Request) {
  const { activeThreads } = yield* DiscordClient
  // Private threads may be missing in the cache, and ended ones still in it.
  if (threadId !== undefined || activeThreads(guildId) < suspiciousCount) return
  if ((yield* (yield* DiscordApi).countActiveThreads(guildId)) >= maxActiveThreads) return yield* outOfThreads()
})

/** Discord's cap of active threads in a guild. */
const maxActiveThreads = 1000

const suspiciousCount = 900
