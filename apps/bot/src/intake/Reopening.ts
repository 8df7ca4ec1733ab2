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
export const all = Effect.fn("Reopening.all")(function* (guildId?: string) {
  const queues = yield* ChannelQueue
  const writable = yield* isWritable
  for (const thread of yield* (yield* Threads).closed) {
    if ((guildId ?? thread.guildId) === thread.guildId && writable(thread.threadId))
      yield* queues.add(thread.threadId, one(thread.threadId, guildId === undefined))
  }
})

/** Reopens a closed thread that can be written in again, maybe since the bot was `away`. */
export const one = Effect.fn("Reopening.one")(function* (threadId: string, away = false) {
  const thread = yield* (yield* Threads).find(threadId)
  if (Option.isSome(thread) && thread.value.closed && (yield* isWritable)(threadId))
    yield* Backfill.reopened(threadId, away)
})

const isWritable = Effect.map(DiscordClient, ({ thread }) => (threadId: string) => {
  const known = thread(threadId)
  return known !== undefined && !known.locked && known.mayWrite
})
