import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { DiscordClient } from "../discord/DiscordClient.ts"
import { ChannelQueue } from "../concurrency/ChannelQueue.ts"
import * as Backfill from "./Backfill.ts"
import { Threads } from "../store/Threads.ts"

/**
 * Reopens closed threads that can be written in again: they were unlocked, or the bot has its permissions back. Discord
 * does not report that to a bot that was away, so every closed thread is checked.
 */
export const reopenAll = Effect.fn("Reopening.reopenAll")(function* (guildId?: string) {
  const queues = yield* ChannelQueue
  const writable = yield* isWritable
  for (const thread of yield* (yield* Threads).closed) {
    if ((guildId ?? thread.guildId) === thread.guildId && writable(thread.threadId))
      yield* queues.add(thread.threadId, reopenIfWritable(thread.threadId, guildId === undefined))
  }
})

/** Reopens a closed thread that can be written in again, maybe since the bot was `away`. */
export const reopenIfWritable = Effect.fn("Reopening.reopenIfWritable")(function* (threadId: string, wasAway = false) {
  const thread = yield* (yield* Threads).find(threadId)
  if (Option.isSome(thread) && thread.value.closed && (yield* isWritable)(threadId))
    yield* Backfill.reopenThread(threadId, wasAway)
})

const isWritable = Effect.map(DiscordClient, ({ thread }) => (threadId: string) => {
  const cached = thread(threadId)
  return cached !== undefined && !cached.locked && cached.mayWrite
})
