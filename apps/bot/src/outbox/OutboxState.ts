import * as Data from "effect/Data"
import type * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { Watchdog } from "../concurrency/Watchdog.ts"
import { RateLimiter } from "../discord/RateLimiter.ts"
import { timeOf } from "../discord/Snowflake.ts"
import type { Messages } from "../messages/Messages.ts"
import { BotSettings } from "../model/BotSettings.ts"
import { isCard } from "../model/Post.ts"
import { cardsOf, type Posted, Posts, settled } from "../store/Posts.ts"
import * as NextCall from "./NextCall.ts"
import type * as PostBody from "./PostBody.ts"
import * as SlotDemand from "./SlotDemand.ts"

/** The thread was deleted or locked, or the bot can no longer write in it. */
export class ThreadShut extends Data.TaggedError("ThreadShut")<{
  readonly threadId: string
  /** Whether the thread's row is already closed. */
  readonly known: boolean
}> {}

/** The options of an outbox. */
export interface OutboxOptions {
  readonly threadId: string
  readonly turnId: string
  readonly messages: Messages
  /** The wanted posts; `isThere` returns for a key whether its post is in the thread. */
  readonly wanted: (isThere: (key: string) => boolean) => NextCall.Wanted
  /** Fails when the thread no longer accepts posts; the outbox or another part may detect it. */
  readonly over: Deferred.Deferred<never, ThreadShut>
  /** Whether the turn answers a message from before the start; newer ones then go first. */
  readonly late?: boolean
  readonly load: PostBody.Load
  /** The message that a new post replies to, by its key. */
  readonly replyTo: (key: string) => Effect.Effect<string | undefined>
  /** Called with the key of a rejected post that does not exist in the thread. */
  readonly refused: (key: string) => Effect.Effect<void>
}

/** The state of an outbox; only its own fiber writes it. */
export interface OutboxState {
  readonly options: OutboxOptions
  /** The existing posts by key: those of the turn and the cards of the thread. */
  readonly known: Map<string, Posted>
  /** Posts whose rows are older than their messages. */
  readonly unsaved: Set<string>
  /** Posts with an open request: their next change shows the outcome. */
  readonly asking: Set<string>
  readonly demand: SlotDemand.SlotDemand
  /** Reports progress to the watchdog. */
  readonly progress: ReturnType<Watchdog["Type"]["watch"]>
  readonly now: () => number
  readonly rollAfterMs: number
  readonly stuckAfterMs: number
  /** The time of the turn's last created or edited post, in epoch milliseconds. */
  changedAt: number | undefined
  /** Since when the bot cannot write in the thread, in epoch milliseconds. */
  forbiddenSince: number | undefined
}

export const make = Effect.fnUntraced(function* (
  options: OutboxOptions
): Effect.fn.Return<OutboxState, never, BotSettings | Posts | RateLimiter | Scope.Scope | Watchdog> {
  const posts = yield* Posts
  const clock = yield* Effect.clock
  const limiter = yield* RateLimiter
  const { rollAfterMs, stuckAfterMs } = yield* BotSettings
  const own = yield* posts.ofTurn(options.turnId)
  const cards = yield* posts.ofTurn(cardsOf(options.threadId))
  const progress = (yield* Watchdog).watch(`A post in thread ${options.threadId}`)
  yield* Effect.addFinalizer(() => Effect.sync(progress.rests))
  const now = () => clock.unsafeCurrentTimeMillis()
  return {
    options,
    known: new Map([...cards, ...own].map((posted) => [posted.key, posted])),
    unsaved: new Set(),
    asking: new Set(),
    demand: SlotDemand.make(limiter, options.threadId, { shown: own.length > 0 || options.late === true }),
    progress,
    now,
    rollAfterMs,
    stuckAfterMs,
    changedAt: own.length > 0 ? now() : undefined,
    forbiddenSince: undefined
  }
})

/** The row key of a post's turn; cards belong to their thread. */
export const homeOf = ({ options: { threadId, turnId } }: OutboxState, key: string): string =>
  isCard(key) ? cardsOf(threadId) : turnId

/** The next call; none when the thread shows the wanted posts. */
export const nextCall = (self: OutboxState): NextCall.Call | undefined => NextCall.next(wanted(self), standing(self))

/** The wanted posts, with a note below each rejected post. */
export const wanted = ({ known, options }: OutboxState): NextCall.Wanted => {
  const isThere = (key: string): boolean => {
    const posted = known.get(key)
    return posted !== undefined && (posted.messageId !== undefined || posted.hash === settled)
  }
  return NextCall.withRefusals(options.wanted(isThere), known, options.messages)
}

/** The existing posts and the waiting requests. */
export const standing = ({ asking, demand, known, now, rollAfterMs }: OutboxState): NextCall.ThreadState => ({
  known,
  asking,
  isOld: (messageId) => now() - timeOf(messageId) > rollAfterMs,
  flushing: demand.isFlushing(),
  hurry: demand.isHurried()
})
