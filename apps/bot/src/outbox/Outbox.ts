import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type * as Scope from "effect/Scope"
import type { Watchdog } from "../concurrency/Watchdog.ts"
import { DiscordApi } from "../discord/DiscordApi.ts"
import type { Calls } from "../discord/PacedCalls.ts"
import type { RateLimiter } from "../discord/RateLimiter.ts"
import type { BotSettings } from "../model/BotSettings.ts"
import type { Posts } from "../store/Posts.ts"
import { recoverCreate } from "./CreateRecovery.ts"
import * as NextCall from "./NextCall.ts"
import * as OutboxState from "./OutboxState.ts"
import * as PostCalls from "./PostCalls.ts"
import { recover } from "./PostRecovery.ts"

export { ThreadShut } from "./OutboxState.ts"

/** Makes a thread equal to what one turn wants to show. */
export interface Outbox {
  /**
   * Says that the wanted posts have changed. They are read when the slot of this thread comes, so old states are never
   * sent. With `hurry`, a person waits for the change: it goes ahead of other threads' text.
   */
  readonly changed: (how?: { readonly hurry: boolean }) => void
  /** Waits until the thread shows what is wanted, ahead of other threads' text. */
  readonly flush: Effect.Effect<void, OutboxState.ThreadShut>
  /** When a post of the turn was made or changed last, in epoch milliseconds; undefined before there is any. */
  readonly changedAt: () => number | undefined
}

/** Starts posting for one turn; the scope ends it. One call to Discord is in flight at a time. */
export const open = Effect.fnUntraced(function* (
  options: OutboxState.OutboxOptions
): Effect.fn.Return<Outbox, never, BotSettings | DiscordApi | RateLimiter | Posts | Watchdog | Scope.Scope> {
  const self = yield* OutboxState.make(options)
  const latch = yield* Effect.makeLatch(true)
  yield* Effect.forkScoped(
    Effect.onExit(Effect.zipRight(recoverCreate(options, self.known), run(self, latch)), (exit) =>
      Deferred.done(options.over, exit)
    )
  )
  return {
    changed: (how) => {
      self.progress.due()
      latch.unsafeOpen()
      self.demand.changed(how?.hurry === true, () => OutboxState.nextCall(self))
    },
    changedAt: () => self.changedAt,
    flush: Effect.gen(function* () {
      const shown = yield* Deferred.make<void>()
      self.progress.due()
      yield* latch.open
      self.demand.flush(shown)
      yield* Effect.raceFirst(Deferred.await(shown), Deferred.await(options.over))
    })
  }
})

/** Brings the thread nearer to what is wanted, call by call, whenever something has changed. */
const run = Effect.fnUntraced(function* (self: OutboxState.OutboxState, latch: Effect.Latch) {
  const api = yield* DiscordApi
  let failures = 0
  for (;;) {
    yield* latch.await
    yield* latch.close
    const flushes = self.demand.flushes()
    const due = OutboxState.nextCall(self)
    self.demand.observe(due)
    if (due === undefined) {
      self.progress.rests()
      if (flushes > 0) yield* PostCalls.storeUnsaved(self)
      for (const each of self.demand.flushed(flushes)) yield* Deferred.succeed(each, undefined)
      continue
    }
    const used = yield* api.withSlot(self.demand.request, (calls, unused) => callOnce(self, calls, unused))
    yield* latch.open
    if (used === undefined) continue
    if (Either.isLeft(used.outcome)) yield* recover(self, used.call, used.outcome.left, failures++)
    else {
      failures = 0
      self.forbiddenSince = undefined
      yield* used.outcome.right
      sent(self, used.call, used.wanted)
    }
  }
})

/** Makes the call that is needed when the slot comes. */
const callOnce = Effect.fnUntraced(function* (self: OutboxState.OutboxState, calls: Calls, unused: () => void) {
  self.demand.begin()
  const wanted = OutboxState.wanted(self)
  const call = NextCall.next(wanted, OutboxState.standing(self))
  self.demand.sent(call)
  if (call === undefined) return unused()
  return { call, wanted, outcome: yield* Effect.either(PostCalls.perform(self, calls, call)) }
})

/** The call was made and stored. */
const sent = (self: OutboxState.OutboxState, call: NextCall.Call, { posts }: NextCall.Wanted): void => {
  self.progress.moved()
  self.changedAt = self.now()
  if (call._tag !== "Remove") {
    self.demand.shown()
    if (NextCall.isAsking(call.post)) self.asking.add(call.post.key)
    else self.asking.delete(call.post.key)
  }
  self.demand.hurry(posts.some((post) => NextCall.isPressing(post, self)))
}
