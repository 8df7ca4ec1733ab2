import * as RateBudget from "@heddle/bot/discord/RateBudget"
import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"

interface Request extends RateBudget.SlotRequest {
  readonly id: number
  readonly at: number
}

interface Sent {
  readonly id: number
  readonly bucket: string
  readonly priority: RateBudget.Priority
  readonly askedAt: number
  readonly at: number
}

/** Discord's limits over the calls that reach it: fixed windows that begin with their first call. */
const discord = (rule: { readonly limit: number; readonly windowMs: number }) => {
  const windows = new Map<string, { used: number; resetAt: number }>()
  const global = { used: 0, resetAt: 0 }
  let refusals = 0
  return {
    refusals: () => refusals,
    call: (bucket: string, now: number): RateBudget.BucketState => {
      if (global.resetAt <= now) Object.assign(global, { used: 0, resetAt: now + 950 })
      if (++global.used > 50) refusals++
      const found = windows.get(bucket)
      const window = found !== undefined && found.resetAt > now ? found : { used: 0, resetAt: now + rule.windowMs }
      windows.set(bucket, window)
      if (++window.used > rule.limit) refusals++
      return { hash: "h", remaining: Math.max(0, rule.limit - window.used), resetAfterMs: window.resetAt - now }
    }
  }
}

const order = ["urgent", "first", "missed", "routine", "hint"] as const

interface Plan {
  readonly at: number
  readonly channel: number
  readonly priority: RateBudget.Priority
  readonly uneven?: boolean
  readonly ripensFor?: number
  readonly isYoung?: boolean
}

/** Runs the planned calls against a simulated Discord with its own clock; the delays depend on when a call is sent. */
const play = (
  plans: ReadonlyArray<Plan>,
  rule = { limit: 5, windowMs: 5000 },
  latencyOf: (now: number, id: number) => number = () => 30
) => {
  const budget = RateBudget.make({ perSecond: 45, gapMs: 400 })
  const there = discord(rule)
  const due = plans.map((plan, id) => ({ ...plan, id })).toSorted((a, b) => a.at - b.at)
  const events: Array<{ readonly at: number; readonly run: (now: number) => void }> = []
  const waiting = new Set<Request>()
  const sent: Array<Sent> = []
  let now = 0
  for (let steps = 0; steps < 200_000; steps++) {
    for (; due[0] !== undefined && due[0].at <= now; due.shift()) {
      const { at, channel, id, isYoung = false, priority, ripensFor = 0, uneven = false } = due[0]
      const rank = { priority, since: at, skipsSpacing: uneven, worthMoreAt: at + ripensFor, isYoung }
      waiting.add({ id, at, bucket: `messages:${channel}`, rank })
    }
    for (const event of events.filter(({ at }) => at <= now)) {
      events.splice(events.indexOf(event), 1)
      event.run(now)
    }
    const decision = budget.next(waiting, now)
    if (decision._tag === "Go") {
      const { at, bucket, id, rank } = decision.request
      sent.push({ id, bucket, priority: rank.priority, askedAt: at, at: now })
      waiting.delete(decision.request)
      budget.take(bucket, now)
      events.push({
        at: now + latencyOf(now, id),
        run: (then) => {
          const state = there.call(bucket, then)
          events.push({
            at: then + latencyOf(then, id),
            run: (back) => {
              budget.learn(bucket, state, back)
              budget.release(bucket, true, back)
            }
          })
        }
      })
      continue
    }
    const next = Math.min(
      decision._tag === "Wait" ? decision.until : Number.POSITIVE_INFINITY,
      ...events.map(({ at }) => at),
      due[0]?.at ?? Number.POSITIVE_INFINITY
    )
    if (next === Number.POSITIVE_INFINITY) break
    assert.isAbove(next, now, "the clock stands still")
    now = next
  }
  return { sent, left: waiting.size, refusals: there.refusals() }
}

const plan = FastCheck.record({
  at: FastCheck.integer({ min: 0, max: 4000 }),
  channel: FastCheck.oneof(FastCheck.integer({ min: 1, max: 8 }), FastCheck.integer({ min: 9, max: 300 })),
  priority: FastCheck.constantFrom(...order),
  uneven: FastCheck.boolean(),
  ripensFor: FastCheck.integer({ min: 0, max: 3000 })
})
const rule = FastCheck.record({
  limit: FastCheck.integer({ min: 1, max: 8 }),
  windowMs: FastCheck.integer({ min: 250, max: 6000 })
})
const rounds = Number(process.env["HEDDLE_ROUNDS"] ?? 50)

describe("RateBudget", () => {
  it("grants every request without exceeding Discord's limits, for any latency", () => {
    FastCheck.assert(
      FastCheck.property(
        FastCheck.array(plan, { maxLength: 300, size: "max" }),
        rule,
        FastCheck.integer({ min: 1, max: 700 }),
        (plans, limits, latencyMs) => {
          const { left, refusals, sent } = play(plans, limits, (at, id) => 1 + (Math.round(at + id * 7919) % latencyMs))
          assert.strictEqual(left, 0)
          assert.strictEqual(sent.length, plans.length)
          assert.strictEqual(refusals, 0)
        }
      ),
      { numRuns: rounds }
    )
  })

  it("does not exceed the limit when late calls arrive together with newer ones", () => {
    const crowd = Array.from({ length: 200 }, (_, channel): Plan => ({ at: 0, channel, priority: "urgent" }))
    const { left, refusals } = play(crowd, undefined, (now) => (now < 500 ? 900 : 1))
    assert.strictEqual(left, 0)
    assert.strictEqual(refusals, 0)
  })

  it("grants urgent requests first, then the oldest", () => {
    const plans = Array.from({ length: 120 }, (_, index): Plan => ({
      at: 10 + (index % 7),
      channel: 100 + index,
      priority: order[index % order.length] ?? "hint"
    }))
    const crowd = Array.from({ length: 48 }, (_, index): Plan => ({ at: 0, channel: 500 + index, priority: "urgent" }))
    const { refusals, sent } = play([...crowd, ...plans])
    assert.strictEqual(refusals, 0)
    const then = sent.slice(48).map(({ askedAt, priority }) => order.indexOf(priority) * 1000 + askedAt)
    assert.deepEqual(
      then,
      then.toSorted((a, b) => a - b)
    )
  })

  it("reads what was missed with all calls at once, and lets first words go before", () => {
    const reads = Array.from({ length: 190 }, (_, channel): Plan => ({ at: 0, channel, priority: "missed" }))
    const words = { at: 300, channel: 500, priority: "first" } as const
    const { refusals, sent } = play([...reads, words])
    assert.strictEqual(refusals, 0)
    assert.strictEqual(sent.filter(({ at }) => at === 0).length, 48)
    assert.isBelow(sent.findLast(({ priority }) => priority === "missed")?.at ?? Number.POSITIVE_INFINITY, 3200)
    assert.isBelow(sent.find(({ priority }) => priority === "first")?.at ?? Number.POSITIVE_INFINITY, 1100)
  })

  it("keeps a channel's last call for the end of an answer, and longer for a young one", () => {
    for (const [isYoung, atMost, late] of [
      [true, 420, 0.02],
      [false, 570, 0.06]
    ] as const) {
      const waits: Array<number> = []
      for (let end = 100; end < 20_000; end += 73) {
        // Text grows all the time; the answer ends at some moment of a window.
        const growing = Array.from({ length: 200 }, (_, index): Plan => ({
          at: index * 100,
          channel: 1,
          priority: "routine",
          isYoung
        }))
        const { refusals, sent } = play([
          ...growing.filter(({ at }) => at < end),
          { at: end, channel: 1, priority: "urgent" }
        ])
        assert.strictEqual(refusals, 0)
        const last = sent.find(({ priority }) => priority === "urgent")
        waits.push((last?.at ?? Number.POSITIVE_INFINITY) - end)
      }
      assert.isBelow(Math.max(...waits), atMost)
      assert.isBelow(waits.filter((wait) => wait > 300).length / waits.length, late)
    }
  })

  it("lets a call that is worth more come early, except for a channel's last", () => {
    const { refusals, sent } = play(
      [0, 100, 200, 300, 400, 500].map((at): Plan => ({ at, channel: 1, priority: "routine", uneven: true }))
    )
    assert.strictEqual(refusals, 0)
    const times = sent.map(({ at }) => at)
    assert.deepEqual(times.slice(0, 4), [0, 100, 200, 300])
    assert.deepEqual(times.slice(4), [4580, 5070])
  })

  it("waits for a call that will soon be worth more, but not long", () => {
    for (const [ripensFor, expected] of [
      [1000, 1140],
      [1200, 1300],
      [1400, 1500],
      [1600, 1140]
    ] as const) {
      const { sent } = play([
        { at: 0, channel: 1, priority: "routine" },
        { at: 100, channel: 1, priority: "routine", ripensFor }
      ])
      assert.approximately(sent[1]?.at ?? 0, expected, 20, `${ripensFor}`)
    }
  })

  it("shares the token evenly among more answers than it can serve at once", () => {
    const growing = Array.from({ length: 200 }, (_, channel) =>
      Array.from({ length: 6 }, (_, index): Plan => ({ at: index * 4000 + channel, channel, priority: "routine" }))
    ).flat()
    const { refusals, sent } = play(growing)
    assert.strictEqual(refusals, 0)
    assert.isBelow(Math.max(...sent.map(({ askedAt, at }) => at - askedAt)), 8000)
    assert.isAbove(sent.filter(({ at }) => at < 20_000).length, 0.98 * 45 * 20)
  })

  it("starves no request behind more urgent ones", () => {
    const crowd = Array.from({ length: 50 * 100 }, (_, index): Plan => ({
      at: index * 20,
      channel: 10 + (index % 400),
      priority: "first"
    }))
    const { sent } = play([{ at: 10_000, channel: 1, priority: "hint" }, ...crowd])
    const hint = sent.find(({ priority }) => priority === "hint")
    assert.isBelow(hint?.at ?? Number.POSITIVE_INFINITY, 95_000)
  })

  it("rests as Discord requires: one channel or everything", () => {
    const budget = RateBudget.make({ perSecond: 45, gapMs: 400 })
    const ask = (bucket: string): RateBudget.SlotRequest => ({ bucket, rank: { priority: "urgent", since: 0 } })
    budget.pause({ bucket: "messages:1" }, 700, 1000)
    assert.deepEqual(budget.next([ask("messages:1")], 1000), { _tag: "Wait", until: 1700 })
    const other = ask("messages:2")
    assert.deepEqual(budget.next([ask("messages:1"), other], 1000), { _tag: "Go", request: other })
    budget.pause("all", 300, 1000)
    assert.deepEqual(budget.next([ask("messages:1"), other], 1000), { _tag: "Wait", until: 1300 })
    assert.deepEqual(budget.next([other], 1300), { _tag: "Go", request: other })
  })

  it("treats an unused slot as not taken", () => {
    const budget = RateBudget.make({ perSecond: 2, gapMs: 400 })
    const ask: RateBudget.SlotRequest = { bucket: "messages:1", rank: { priority: "routine", since: 0 } }
    for (let now = 0; now < 50; now++) {
      assert.strictEqual(budget.next([ask], now)._tag, "Go")
      budget.take(ask.bucket, now)
      assert.strictEqual(budget.next([ask], now)._tag, "Idle")
      budget.release(ask.bucket, false, now)
    }
  })
})
