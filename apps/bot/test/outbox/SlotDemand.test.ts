import type { RateLimiter } from "@heddle/bot/discord/RateLimiter"
import * as SlotDemand from "@heddle/bot/outbox/SlotDemand"
import { assert, describe, it } from "@effect/vitest"

/** The demand of a thread, and its clock. */
const open = (hasPosts: boolean) => {
  const clock = { now: 0 }
  const limiter = { now: () => clock.now, reconsider: () => undefined } as RateLimiter["Type"]
  return { clock, demand: SlotDemand.make(limiter, "1", { hasPosts }) }
}

describe("SlotDemand", () => {
  it("asks as for a young answer for ten seconds from its first post on", () => {
    const { clock, demand } = open(false)
    const isYoungAt = (now: number) => {
      clock.now = now
      demand.changed(false, () => undefined)
      return demand.request.rank.isYoung
    }
    assert.isFalse(isYoungAt(5000))
    assert.strictEqual(demand.request.rank.priority, "first")
    demand.hasPosts()
    assert.strictEqual(demand.request.rank.priority, "routine")
    assert.isTrue(isYoungAt(14_999))
    demand.hasPosts()
    assert.isFalse(isYoungAt(15_000))
  })

  it("of an answer that goes on after a restart is not young", () => {
    const { demand } = open(true)
    demand.hasPosts()
    assert.strictEqual(demand.request.rank.priority, "routine")
    assert.isFalse(demand.request.rank.isYoung)
  })
})
