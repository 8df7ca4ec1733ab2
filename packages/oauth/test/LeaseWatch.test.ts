import { assert, describe, it } from "@effect/vitest"
import * as LeaseWatch from "#internal/LeaseWatch"

const { leaseTime } = LeaseWatch

describe("a watched lease", () => {
  it("counts as abandoned once it was not extended for its whole time", () => {
    const watch = LeaseWatch.begin(500, 1000)
    const read = LeaseWatch.step(watch, { _tag: "Read", leaseNumber: 500, now: 1000 + leaseTime })
    assert.isUndefined(LeaseWatch.abandoned(read, 1000 + leaseTime - 1))
    assert.strictEqual(LeaseWatch.abandoned(read, 1000 + leaseTime), 500)
  })

  it("starts its time again when its owner extends it", () => {
    const extended = LeaseWatch.step(LeaseWatch.begin(500, 0), { _tag: "Read", leaseNumber: 900, now: 4000 })
    assert.deepInclude(extended, { leaseNumber: 900, since: 4000 })
    assert.isUndefined(LeaseWatch.abandoned(extended, leaseTime))
  })

  it("starts its time again after an outage of the store, in which its owner could not extend it", () => {
    const watch = LeaseWatch.begin(500, 0)
    const quick = LeaseWatch.step(watch, { _tag: "Refused", askedAt: 3000, now: 4000 })
    const slow = LeaseWatch.step(watch, { _tag: "Refused", askedAt: 3000, now: 4001 })
    assert.strictEqual(quick.since, 0)
    assert.strictEqual(slow.since, 4001)
  })

  it("is read with growing waits of at most half a second", () => {
    const waits: Array<number> = []
    let watch = LeaseWatch.begin(500, 0)
    for (let n = 0; n < 9; n += 1) {
      watch = LeaseWatch.step(watch, { _tag: "Refused", askedAt: n, now: n })
      waits.push(Math.round(watch.wait))
    }
    assert.deepStrictEqual(waits, [40, 60, 90, 135, 203, 304, 456, 500, 500])
  })
})
