import * as Data from "effect/Data"
import type * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as MonotonicClock from "../concurrency/MonotonicClock.ts"
import { Watchdog } from "../concurrency/Watchdog.ts"
import { RateLimiter } from "../discord/RateLimiter.ts"
import type { Messages } from "../messages/Messages.ts"
import { BotSettings } from "../model/BotSettings.ts"
import { type FileRef, isArtifactCard } from "../model/Post.ts"
import { artifactCardsOf, type Posted, Posts } from "../store/Posts.ts"
import type * as NextCall from "./NextCall.ts"
import * as SlotDemand from "./SlotDemand.ts"

/** The thread was deleted or locked, or the bot can no longer write in it. */
export class ThreadShut extends Data.TaggedError("ThreadShut")<{
  readonly threadId: string
  /** Whether the thread's row is already closed. */
  readonly isRowClosed: boolean
}> {}

/** The options of an outbox. */
export interface OutboxOptions {
  readonly threadId: string
  readonly turnId: string
  readonly messages: Messages
  /** The desired posts; `isPosted` returns for a key whether its post is in the thread. */
  readonly desiredPosts: (isPosted: (key: string) => boolean) => NextCall.DesiredPosts
  /** Fails when the thread no longer accepts posts; the outbox or another part may detect it. */
  readonly shut: Deferred.Deferred<never, ThreadShut>
  /** Called when the outbox detects that. */
  readonly onShut: (reason: ThreadShut) => void
  /** Whether the turn answers a message from before the start; newer ones then go first. */
  readonly isBackfill?: boolean
  /** Fetches the bytes of a file; undefined when it is unavailable. */
  readonly load: (file: FileRef) => Effect.Effect<Uint8Array | undefined>
  /** The message that a new post replies to, by its key. */
  readonly replyTo: (key: string) => Effect.Effect<string | undefined>
  /** Called with the key of a rejected post that does not exist in the thread. */
  readonly onRefused: (key: string) => Effect.Effect<void>
}

/** The state of an outbox; only its own fiber writes it. */
export interface OutboxState {
  readonly options: OutboxOptions
  /** The existing posts by key: those of the turn and the cards of the thread. */
  readonly existing: Map<string, Posted>
  /** Posts whose rows are older than their messages. */
  readonly unsaved: Set<string>
  /** Posts with an open request: their next change shows the outcome. */
  readonly openRequestKeys: Set<string>
  readonly demand: SlotDemand.SlotDemand
  /** Reports progress to the watchdog. */
  readonly progress: ReturnType<Watchdog["Type"]["watch"]>
  /** Milliseconds of the monotonic clock. */
  readonly now: () => number
  readonly timeOfDay: () => number
  readonly rollAfterMs: number
  readonly stuckAfterMs: number
  /** The time of the turn's last created or edited post, in milliseconds of the monotonic clock. */
  changedAt: number | undefined
  /** The key of the post that the last call changed. */
  lastKey: string | undefined
  /** Since when Discord fails every call of this outbox, in milliseconds of the monotonic clock; a rest ends it. */
  failingSince: number | undefined
  /** By key, since when a creation failed without telling whether the message exists, in milliseconds of the monotonic clock. */
  readonly lostSince: Map<string, number>
  /** Whether Discord took another call for the thread after the last failure. */
  othersPassed: boolean
  /** The posts that were given up and have not passed since. */
  readonly givenUp: Set<string>
  /** Since when the bot cannot write in the thread, in milliseconds of the monotonic clock. */
  forbiddenSince: number | undefined
}

export const make = Effect.fnUntraced(function* (
  options: OutboxOptions
): Effect.fn.Return<OutboxState, never, BotSettings | Posts | RateLimiter | Scope.Scope | Watchdog> {
  const posts = yield* Posts
  const clock = yield* Effect.clock
  const limiter = yield* RateLimiter
  const { rollAfterMs, stuckAfterMs } = yield* BotSettings
  const turnPosts = yield* posts.ofTurn(options.turnId)
  const cards = yield* posts.ofTurn(artifactCardsOf(options.threadId))
  const progress = (yield* Watchdog).watch(`A post in thread ${options.threadId}`)
  yield* Effect.addFinalizer(() => Effect.sync(progress.setIdle))
  const now = () => MonotonicClock.read(clock)
  return {
    options,
    existing: new Map([...cards, ...turnPosts].map((posted) => [posted.key, posted])),
    unsaved: new Set(),
    openRequestKeys: new Set(),
    demand: SlotDemand.make(limiter, options.threadId, {
      hasPosts: turnPosts.length > 0 || options.isBackfill === true
    }),
    progress,
    now,
    timeOfDay: () => clock.unsafeCurrentTimeMillis(),
    rollAfterMs,
    stuckAfterMs,
    changedAt: turnPosts.length > 0 ? now() : undefined,
    lastKey: undefined,
    failingSince: undefined,
    lostSince: new Map(),
    othersPassed: false,
    givenUp: new Set(),
    forbiddenSince: undefined
  }
})

/** The row key of a post's turn; cards belong to their thread. */
export const rowKeyOf = ({ options: { threadId, turnId } }: OutboxState, key: string): string =>
  isArtifactCard(key) ? artifactCardsOf(threadId) : turnId
