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

/** The thread was deleted or locked, or the bot may not write in it any more. */
export class ThreadShut extends Data.TaggedError("ThreadShut")<{
  readonly threadId: string
  /** Whether its row says so already. */
  readonly known: boolean
}> {}

/** What an outbox posts, and where. */
export interface OutboxOptions {
  readonly threadId: string
  readonly turnId: string
  readonly messages: Messages
  /** The posts that should exist; `isThere` tells of a key whether its post is in the thread. */
  readonly wanted: (isThere: (key: string) => boolean) => NextCall.Wanted
  /** Fails when nothing can be posted any more, whoever finds that first. */
  readonly over: Deferred.Deferred<never, ThreadShut>
  /** Whether it answers what was read late: then it lets what is said now go first. */
  readonly late?: boolean
  readonly load: PostBody.Load
  /** The message that a post replies to, by its key, when it is created. */
  readonly replyTo: (key: string) => Effect.Effect<string | undefined>
  /** Called with the key of a post that Discord does not take and that is not there at all. */
  readonly refused: (key: string) => Effect.Effect<void>
}

/** What an outbox knows. Its own fiber alone writes it. */
export interface OutboxState {
  readonly options: OutboxOptions
  /** What is in the thread, by key: the posts of the turn and the cards of the thread. */
  readonly known: Map<string, Posted>
  /** Posts whose row is behind what they say. */
  readonly unsaved: Set<string>
  /** Posts that ask a person: the next change of one of them shows the outcome. */
  readonly asking: Set<string>
  readonly demand: SlotDemand.SlotDemand
  /** Shows the health checks whether posting makes progress. */
  readonly progress: ReturnType<Watchdog["Type"]["watch"]>
  readonly now: () => number
  readonly rollAfterMs: number
  readonly stuckAfterMs: number
  /** When a post of the turn was made or changed last, in epoch milliseconds. */
  changedAt: number | undefined
  /** Since when the bot may not write in the thread, in epoch milliseconds. */
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

/** Under which turn a post is stored; cards belong to their thread. */
export const homeOf = ({ options: { threadId, turnId } }: OutboxState, key: string): string =>
  isCard(key) ? cardsOf(threadId) : turnId

/** The call that is needed next; none when the thread shows what is wanted. */
export const nextCall = (self: OutboxState): NextCall.Call | undefined => NextCall.next(wanted(self), standing(self))

/** What should be in the thread, with a note below each post that Discord refused. */
export const wanted = ({ known, options }: OutboxState): NextCall.Wanted => {
  const isThere = (key: string): boolean => {
    const posted = known.get(key)
    return posted !== undefined && (posted.messageId !== undefined || posted.hash === settled)
  }
  return NextCall.withRefusals(options.wanted(isThere), known, options.messages)
}

/** What is in the thread, and what waits. */
export const standing = ({ asking, demand, known, now, rollAfterMs }: OutboxState): NextCall.Standing => ({
  known,
  asking,
  isOld: (messageId) => now() - timeOf(messageId) > rollAfterMs,
  flushing: demand.isFlushing(),
  hurry: demand.isHurried()
})
