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
   * The wanted posts have changed; `hurry` means that a person waits. `call` is evaluated only if it may change the
   * rank.
   */
  readonly changed: (hurry: boolean, call: () => Call | undefined) => void
  /** The slot has come: later changes are new. */
  readonly begin: () => void
  /** The call in the slot; none when no call is needed. */
  readonly sent: (call: Call | undefined) => void
  /** The call that is needed now; none when the thread shows the wanted posts. */
  readonly observe: (call: Call | undefined) => void
  /** A post of the turn is in the thread. */
  readonly shown: () => void
  /** Whether a person waits for one of the missing posts. */
  readonly hurry: (isPressing: boolean) => void
  readonly isHurried: () => boolean
  /** A flush waits until the thread shows the wanted posts. */
  readonly flush: (done: Deferred.Deferred<void>) => void
  readonly isFlushing: () => boolean
  readonly flushes: () => number
  /** Removes and returns the first flushes. */
  readonly flushed: (count: number) => ReadonlyArray<Deferred.Deferred<void>>
}

export const make = (
  limiter: RateLimiter["Type"],
  threadId: string,
  begun: { readonly shown: boolean }
): SlotDemand => {
  const rollover = PageRollover.make()
  const waiting: Array<Deferred.Deferred<void>> = []
  let { shown } = begun
  let hurried = false
  /** The times of the oldest unsent change, and of the oldest one that may be incomplete. */
  let changedAt: number | undefined
  let owedSince = limiter.now()
  const rank = (): Rank => ({
    priority: waiting.length > 0 || hurried ? "urgent" : shown ? "routine" : "first",
    since: changedAt ?? owedSince,
    uneven: rollover.isDue(),
    ripeAt: rollover.fullAt()
  })
  const request = { bucket: messagesOf(threadId), rank: rank() }
  const update = () => void (request.rank = rank())
  return {
    request,
    changed: (hurry, call) => {
      changedAt ??= limiter.now()
      if (hurry) hurried = true
      else {
        // A due rollover was considered before; one that is not due does not change the rank.
        const due = rollover.isDue()
        if (!due && limiter.now() >= rollover.lookAt()) rollover.observe(call(), limiter.now())
        if (due || !rollover.isDue()) return update()
      }
      update()
      limiter.reconsider()
    },
    begin: () => {
      owedSince = changedAt ?? owedSince
      changedAt = undefined
    },
    sent: (call) => {
      hurried = false
      // Text beyond a full page is not in this call, and has waited longer than later changes.
      if (call?._tag === "Edit" && call.full === true) changedAt = rollover.fullSince() ?? limiter.now()
      if (call !== undefined) rollover.sent(call, limiter.now())
      update()
    },
    observe: (call) => {
      rollover.observe(call, limiter.now())
      if (call === undefined) {
        hurried = false
        changedAt = undefined
      }
      update()
    },
    shown: () => {
      shown = true
      update()
    },
    hurry: (isPressing) => {
      hurried ||= isPressing
      update()
    },
    isHurried: () => hurried,
    flush: (done) => {
      waiting.push(done)
      update()
      limiter.reconsider()
    },
    isFlushing: () => waiting.length > 0,
    flushes: () => waiting.length,
    flushed: (count) => {
      const done = waiting.splice(0, count)
      update()
      return done
    }
  }
}
