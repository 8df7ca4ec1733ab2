import type * as Deferred from "effect/Deferred"
import { messagesOf } from "../discord/Bucket.ts"
import type { RateLimiter } from "../discord/RateLimiter.ts"
import type { Rank, SlotRequest } from "../discord/RateBudget.ts"
import type { Call } from "./NextCall.ts"
import * as PageRollover from "./PageRollover.ts"

/** How much an outbox wants a slot of the rate limiter: it keeps the rank of the outbox's request up to date. */
export interface SlotDemand {
  readonly request: SlotRequest
  /** What is wanted has changed; with `hurry` a person waits for it. `call` is looked at only where it may change the rank. */
  readonly changed: (hurry: boolean, call: () => Call | undefined) => void
  /** The slot came: changes from now on are new. */
  readonly begin: () => void
  /** The call that is made in the slot; none when there was nothing to send. */
  readonly sent: (call: Call | undefined) => void
  /** The call that is needed now; none when the thread shows what is wanted. */
  readonly observe: (call: Call | undefined) => void
  /** A post of the turn is in the thread. */
  readonly shown: () => void
  /** A person waits for one of the posts that are still wanted. */
  readonly hurry: (isPressing: boolean) => void
  readonly isHurried: () => boolean
  /** Somebody waits until the thread shows what is wanted. */
  readonly flush: (done: Deferred.Deferred<void>) => void
  readonly isFlushing: () => boolean
  readonly flushes: () => number
  /** Takes out the first of those who wait. */
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
  /** When the oldest change came that was not looked at; and the oldest that may not be shown in full. */
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
        // A rollover that is due was considered before; one that is not due changes no rank.
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
      // A text that has no room in a full page is not shown by this call, and has waited longer than what comes now.
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
