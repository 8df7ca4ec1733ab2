import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { DiscordClient } from "../discord/DiscordClient.ts"
import { ChannelQueue } from "../concurrency/ChannelQueue.ts"
import * as Backfill from "./Backfill.ts"
import { Threads } from "../store/Threads.ts"

/**
 * Has threads go on that were closed and can be written in again: they were unlocked, or the bot has its permissions
 * back. Nobody tells the bot of that while it is away, so every closed thread is looked at.
 */
export const all = Effect.fn("Reopening.all")(function* (guildId?: string) {
  const lanes = yield* ChannelQueue
  const writable = yield* isWritable
  for (const thread of yield* (yield* Threads).closed) {
    if ((guildId ?? thread.guildId) === thread.guildId && writable(thread.threadId))
      yield* lanes.add(thread.threadId, one(thread.threadId, guildId === undefined))
  }
})

/** Has a thread go on, with what was written meanwhile, if it was closed, maybe while the bot was `away`, and can be written in again. */
export const one = Effect.fn("Reopening.one")(function* (threadId: string, away = false) {
  const thread = yield* (yield* Threads).find(threadId)
  if (Option.isSome(thread) && thread.value.closed && (yield* isWritable)(threadId))
    yield* Backfill.reopened(threadId, away)
})

const isWritable = Effect.map(DiscordClient, ({ thread }) => (threadId: string) => {
  const known = thread(threadId)
  return known !== undefined && !known.locked && known.mayWrite
})
