import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type * as Scope from "effect/Scope"
import type { Watchdog } from "../concurrency/Watchdog.ts"
import { DiscordApi } from "../discord/DiscordApi.ts"
import type { Calls } from "../discord/RateLimitedCalls.ts"
import type { RateLimiter } from "../discord/RateLimiter.ts"
import type { BotSettings } from "../model/BotSettings.ts"
import type { Posts } from "../store/Posts.ts"
import { recoverCreate } from "./CreateRecovery.ts"
import * as NextCall from "./NextCall.ts"
import * as OutboxState from "./OutboxState.ts"
import * as PostCalls from "./PostCalls.ts"
import { recover } from "./PostRecovery.ts"

export { ThreadShut } from "./OutboxState.ts"

/** Makes a thread equal to the wanted posts of one turn. */
export interface Outbox {
  /**
   * The wanted posts have changed. They are read when the thread's slot comes, so old states are never sent. With
   * `hurry`, a person waits, and the change precedes other threads' text.
   */
  readonly changed: (how?: { readonly hurry: boolean }) => void
  /** Waits until the thread shows the wanted posts, ahead of other threads' text. */
  readonly flush: Effect.Effect<void, OutboxState.ThreadShut>
  /** The time of the turn's last created or edited post, in epoch milliseconds; undefined without any. */
  readonly changedAt: () => number | undefined
}

/** Starts posting for one turn until the scope ends, with one call in flight at a time. */
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

/** After each change, makes calls until the thread shows the wanted posts. */
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

/** Makes the needed call in a granted slot. */
const callOnce = Effect.fnUntraced(function* (self: OutboxState.OutboxState, calls: Calls, unused: () => void) {
  self.demand.begin()
  const wanted = OutboxState.wanted(self)
  const call = NextCall.next(wanted, OutboxState.standing(self))
  self.demand.sent(call)
  if (call === undefined) return unused()
  return { call, wanted, outcome: yield* Effect.either(PostCalls.perform(self, calls, call)) }
})

/** Updates the state after a stored call. */
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
