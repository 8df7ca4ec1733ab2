import * as Effect from "effect/Effect"
import { DiscordClient } from "../discord/DiscordClient.ts"
import type { Request } from "../store/Requests.ts"

/**
 * Whether Discord may refuse the thread of a request, because its server is near the cap of 1,000 active threads. Then
 * the thread comes before the task: the contract has no way to remove a task.
 */
export const isNear = Effect.fn("ThreadCap.isNear")(function* ({ guildId, threadId }: Request) {
  const { activeThreads } = yield* DiscordClient
  return threadId === undefined && activeThreads(guildId) >= suspiciousCount
})

/** Private threads may be missing in the cache, and ended ones still in it. */
const suspiciousCount = 900
