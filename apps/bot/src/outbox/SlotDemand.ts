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
  readonly setUrgent: (isPressing: boolean) => void
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
  const rollover = PageRollover.make()
  const pendingFlushes: Array<Deferred.Deferred<void>> = []
  let { hasPosts } = initial
  let isUrgent = false
  /** The times of the oldest unsent change, and of the oldest one that may be incomplete. */
  let changedAt: number | undefined
  let incompleteSince = limiter.now()
  const rank = (): Rank => ({
    priority: pendingFlushes.length > 0 || isUrgent ? "urgent" : hasPosts ? "routine" : "first",
    since: changedAt ?? incompleteSince,
    skipsSpacing: rollover.isDue(),
    worthMoreAt: rollover.predictedFullAt()
  })
  const request = { bucket: messagesOf(threadId), rank: rank() }
  const update = () => void (request.rank = rank())
  return {
    request,
    changed: (isUrgentChange, call) => {
      changedAt ??= limiter.now()
      if (isUrgentChange) isUrgent = true
      else {
        // A due rollover was considered before; one that is not due does not change the rank.
        const due = rollover.isDue()
        if (!due && limiter.now() >= rollover.nextCheckAt()) rollover.observe(call(), limiter.now())
        if (due || !rollover.isDue()) return update()
      }
      update()
      limiter.reconsider()
    },
    begin: () => {
      incompleteSince = changedAt ?? incompleteSince
      changedAt = undefined
    },
    sent: (call) => {
      isUrgent = false
      // Text beyond a full page is not in this call, and has waited longer than later changes.
      if (call?._tag === "Edit" && call.isPageFull === true) changedAt = rollover.overflowingSince() ?? limiter.now()
      if (call !== undefined) rollover.recordCall(call, limiter.now())
      update()
    },
    observe: (call) => {
      rollover.observe(call, limiter.now())
      if (call === undefined) {
        isUrgent = false
        changedAt = undefined
      }
      update()
    },
    hasPosts: () => {
      hasPosts = true
      update()
    },
    setUrgent: (isPressing) => {
      isUrgent ||= isPressing
      update()
    },
    isHurried: () => isUrgent,
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
