import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type * as Scope from "effect/Scope"
import * as Trigger from "../concurrency/Trigger.ts"
import type { Watchdog } from "../concurrency/Watchdog.ts"
import { DiscordApi } from "../discord/DiscordApi.ts"
import type { Calls } from "../discord/RateLimitedCalls.ts"
import type { RateLimiter } from "../discord/RateLimiter.ts"
import { timeOf } from "../discord/Snowflake.ts"
import type { BotSettings } from "../model/BotSettings.ts"
import { isBegun, type Posts, settled } from "../store/Posts.ts"
import { recoverCreate } from "./CreateRecovery.ts"
import * as NextCall from "./NextCall.ts"
import * as OutboxState from "./OutboxState.ts"
import * as PostCalls from "./PostCalls.ts"
import { recover } from "./PostRecovery.ts"
import * as Sent from "./Sent.ts"

export { ThreadShut } from "./OutboxState.ts"

/** Makes a thread equal to the desired posts of one turn. */
export interface Outbox {
  /**
   * The desired posts have changed. They are read when the thread's slot comes, so old states are never sent. With
   * `isUrgent`, a person waits, and the change precedes other threads' text.
   */
  readonly changed: (options?: { readonly isUrgent: boolean }) => void
  /** Waits until the thread shows the desired posts, ahead of other threads' text. */
  readonly flush: Effect.Effect<void, OutboxState.ThreadShut>
  /** The time of the turn's last created or edited post, in milliseconds of the monotonic clock; undefined without any. */
  readonly changedAt: () => number | undefined
}

/** Starts posting for one turn until the scope ends, with one call in flight at a time. */
export const open = Effect.fnUntraced(function* (
  options: OutboxState.OutboxOptions
): Effect.fn.Return<Outbox, never, BotSettings | DiscordApi | RateLimiter | Posts | Watchdog | Scope.Scope> {
  const self = yield* OutboxState.make(options)
  let isRecovered = false
  const recovered = Effect.suspend(() => {
    if (isRecovered) return Effect.void
    isRecovered = true
    const begun = [...self.existing.values()].filter(({ hash }) => isBegun(hash))
    return recoverCreate(options, self.existing, begun, Sent.ownMessagesAfter)
  })
  const calls = Effect.zipRight(recovered, run(self)).pipe(
    Effect.catchTag("ThreadShut", (reason) => Effect.sync(() => options.onShut(reason))),
    Effect.onError((cause) => Deferred.failCause(options.shut, cause))
  )
  const makeCalls = yield* Trigger.make(
    Effect.flatMap(Deferred.isDone(options.shut), (isShut) => (isShut ? Effect.void : calls))
  )
  makeCalls()
  return {
    changed: (options) => {
      self.progress.setDue()
      makeCalls()
      self.demand.changed(options?.isUrgent === true, () => nextCall(self))
    },
    changedAt: () => self.changedAt,
    flush: Effect.gen(function* () {
      const flushed = yield* Deferred.make<void>()
      self.progress.setDue()
      self.demand.flush(flushed)
      makeCalls()
      yield* Effect.raceFirst(Deferred.await(flushed), Deferred.await(options.shut))
    })
  }
})

/** Makes calls until the thread shows the desired posts. */
const run = Effect.fnUntraced(function* (self: OutboxState.OutboxState) {
  const api = yield* DiscordApi
  let failures = 0
  for (;;) {
    const flushes = self.demand.flushes()
    const neededCall = nextCall(self)
    self.demand.observe(neededCall)
    if (neededCall === undefined) {
      self.progress.setIdle()
      self.failingSince = undefined
      self.othersPassed = false
      if (flushes > 0) yield* PostCalls.storeUnsaved(self)
      for (const flush of self.demand.flushed(flushes)) yield* Deferred.succeed(flush, undefined)
      return
    }
    const performed = yield* neededCall._tag === "Search"
      ? searchOnce(self, neededCall)
      : api.withSlot(self.demand.request, (calls, markUnused) => callOnce(self, calls, markUnused))
    if (performed === undefined) continue
    const { call, outcome } = performed
    if (Either.isLeft(outcome)) yield* recover(self, call, outcome.left, failures++)
    else {
      yield* outcome.right
      if (call._tag === "Search") continue
      failures = 0
      self.forbiddenSince = undefined
      self.failingSince = undefined
      self.othersPassed = false
      self.givenUp.delete(NextCall.keyOf(call))
      self.lostSince.delete(NextCall.keyOf(call))
      updateAfterCall(self, call, performed.desired)
    }
  }
})

/** Makes the needed call in a granted slot. */
const callOnce = Effect.fnUntraced(function* (self: OutboxState.OutboxState, calls: Calls, markUnused: () => void) {
  self.demand.begin()
  const desired = desiredPosts(self)
  const call = NextCall.next(desired, threadStateOf(self))
  // A read takes a slot of its own.
  if (call?._tag === "Search") return markUnused()
  self.demand.sent(call)
  if (call === undefined) return markUnused()
  return { call, desired, outcome: yield* Effect.either(PostCalls.perform(self, calls, call)) }
})

/** Searches for a message once. */
const searchOnce = Effect.fnUntraced(function* (self: OutboxState.OutboxState, call: NextCall.Search) {
  const outcome = yield* Effect.either(PostCalls.search(self, call))
  return { call, desired: desiredPosts(self), outcome }
})

/** Updates the state after a stored call. */
const updateAfterCall = (
  self: OutboxState.OutboxState,
  call: NextCall.Call,
  { posts }: NextCall.DesiredPosts
): void => {
  self.progress.progressed()
  self.changedAt = self.now()
  self.lastKey = NextCall.keyOf(call)
  if ("post" in call) {
    self.demand.hasPosts()
    if (NextCall.isOpenRequest(call.post)) self.openRequestKeys.add(call.post.key)
    else self.openRequestKeys.delete(call.post.key)
  }
  self.demand.setUrgent(posts.some((post) => NextCall.isUrgent(post, self)))
}

/** The next call; none when the thread shows the desired posts. */
const nextCall = (self: OutboxState.OutboxState): NextCall.Call | undefined =>
  NextCall.next(desiredPosts(self), threadStateOf(self))

/** The desired posts, with a note below each rejected post. */
const desiredPosts = ({ existing, options }: OutboxState.OutboxState): NextCall.DesiredPosts => {
  const isPosted = (key: string): boolean => {
    const posted = existing.get(key)
    return posted !== undefined && (posted.messageId !== undefined || posted.hash === settled)
  }
  return NextCall.withRefusals(options.desiredPosts(isPosted), existing, options.messages)
}

/** The existing posts and the waiting requests. */
const threadStateOf = ({
  openRequestKeys,
  demand,
  existing,
  lastKey,
  lostSince,
  now,
  rollAfterMs,
  timeOfDay
}: OutboxState.OutboxState): NextCall.ThreadState => ({
  existing,
  openRequestKeys,
  isTooOld: (messageId) => timeOfDay() - timeOf(messageId) > rollAfterMs,
  lostCreation: (key) => {
    const since = lostSince.get(key)
    if (since === undefined) return undefined
    return now() - since < Sent.nonceWindowMs ? "Remembered" : "Forgotten"
  },
  isFlushing: demand.isFlushing(),
  isHurried: demand.isHurried(),
  lastKey
})
