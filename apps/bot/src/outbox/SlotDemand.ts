import type * as Deferred from "effect/Deferred"
import { messagesOf } from "../discord/Bucket.ts"
import type { RateLimiter } from "../discord/RateLimiter.ts"
import type { Rank, SlotRequest } from "../discord/RateBudget.ts"
import type { Call } from "./NextCall.ts"
import * as PageRollover from "./PageRollover.ts"

/** The demand of an outbox for rate limiter slots: keeps the rank of its request up to date. */
export interface SlotDemand {
  readonly request: SlotRequest
  /**
   * The desired posts have changed; `isUrgentChange` means that a person waits. `call` is evaluated only if it may change the
   * rank.
   */
  readonly changed: (isUrgentChange: boolean, call: () => Call | undefined) => void
  /** The slot has come: later changes are new. */
  readonly begin: () => void
  /** The call in the slot; none when no call is needed. */
  readonly sent: (call: Call | undefined) => void
  /** The call that is needed now; none when the thread shows the desired posts. */
  readonly observe: (call: Call | undefined) => void
  /** A post of the turn is in the thread. */
  readonly hasPosts: () => void
  /** Whether a person waits for one of the missing posts. */
  readonly setUrgent: (isUrgent: boolean) => void
  readonly isHurried: () => boolean
  /** A flush waits until the thread shows the desired posts. */
  readonly flush: (done: Deferred.Deferred<void>) => void
  readonly isFlushing: () => boolean
  readonly flushes: () => number
  /** Removes and returns the first flushes. */
  readonly flushed: (count: number) => ReadonlyArray<Deferred.Deferred<void>>
}

export const make = (
  limiter: RateLimiter["Type"],
  threadId: string,
  initial: { readonly hasPosts: boolean }
): SlotDemand => {
  const pendingFlushes: Array<Deferred.Deferred<void>> = []
  let state: State = {
    firstPostAt: initial.hasPosts ? Number.NEGATIVE_INFINITY : undefined,
    isUrgent: false,
    changedAt: undefined,
    incompleteSince: limiter.now(),
    rollover: PageRollover.initial
  }
  const request = { bucket: messagesOf(threadId), rank: rankOf(state, false, limiter.now()) }
  const update = (changes: Partial<State> = {}) => {
    state = { ...state, ...changes }
    request.rank = rankOf(state, pendingFlushes.length > 0, limiter.now())
  }
  return {
    request,
    changed: (isUrgentChange, call) => {
      const now = limiter.now()
      const before = state.rollover
      // A due rollover was considered before; one that is not due does not change the rank.
      const needsCheck = !isUrgentChange && !before.isDue && now >= before.growth.nextCheckAt
      const rollover = needsCheck ? PageRollover.observe(before, call(), now) : before
      update({ changedAt: state.changedAt ?? now, isUrgent: state.isUrgent || isUrgentChange, rollover })
      if (isUrgentChange || rollover.isDue !== before.isDue) limiter.reconsider()
    },
    begin: () => update({ incompleteSince: state.changedAt ?? state.incompleteSince, changedAt: undefined }),
    sent: (call) => {
      const now = limiter.now()
      const { overflowingSince } = state.rollover
      update({
        isUrgent: false,
        // Text beyond a full page is not in this call, and has waited longer than later changes.
        ...(PageRollover.isFullPage(call) && { changedAt: overflowingSince ?? now }),
        ...(call !== undefined && { rollover: PageRollover.recordCall(state.rollover, call, now) })
      })
    },
    observe: (call) =>
      update({
        rollover: PageRollover.observe(state.rollover, call, limiter.now()),
        ...(call === undefined && { isUrgent: false, changedAt: undefined })
      }),
    hasPosts: () => update({ firstPostAt: state.firstPostAt ?? limiter.now() }),
    setUrgent: (isUrgent) => update({ isUrgent: state.isUrgent || isUrgent }),
    isHurried: () => state.isUrgent,
    flush: (done) => {
      pendingFlushes.push(done)
      update()
      limiter.reconsider()
    },
    isFlushing: () => pendingFlushes.length > 0,
    flushes: () => pendingFlushes.length,
    flushed: (count) => {
      const done = pendingFlushes.splice(0, count)
      update()
      return done
    }
  }
}

interface State {
  /** When the turn's first post was in the thread; undefined before. */
  readonly firstPostAt: number | undefined
  readonly isUrgent: boolean
  /** The time of the oldest unsent change. */
  readonly changedAt: number | undefined
  /** The time of the oldest change that may be incomplete. */
  readonly incompleteSince: number
  readonly rollover: PageRollover.PageRollover
}

const rankOf = (state: State, isFlushing: boolean, now: number): Rank => ({
  priority: isFlushing || state.isUrgent ? "urgent" : state.firstPostAt === undefined ? "first" : "routine",
  since: state.changedAt ?? state.incompleteSince,
  skipsSpacing: state.rollover.isDue,
  worthMoreAt: state.rollover.growth.fullAt,
  isYoung: state.firstPostAt !== undefined && now - state.firstPostAt < youngMs
})

/** How long an answer counts as young after its first post. */
const youngMs = 10_000
