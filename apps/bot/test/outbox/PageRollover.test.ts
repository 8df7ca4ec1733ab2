import * as RateBudget from "@heddle/bot/discord/RateBudget"
import * as NextCall from "@heddle/bot/outbox/NextCall"
import * as PageRollover from "@heddle/bot/outbox/PageRollover"
import type { Posted } from "@heddle/bot/store/Posts"
import * as Pages from "@heddle/bot/text/Pages"
import * as Post from "@heddle/bot/model/Post"
import { assert, describe, it } from "@effect/vitest"

const wordMs = 25
/** How long a call takes to Discord, and its answer back. */
const wayMs = 3

/** An answer that grows by a word of two letters every 25 ms behind so many signs, and what of it is in the thread. */
const answer = (channel: number, beganAt: number, before: number) => {
  const split = Pages.splitter()
  const known = new Map<string, Posted>()
  let rollover = PageRollover.initial
  const said = (now: number) => Math.floor((now - beganAt) / wordMs) + 1
  const next = (now: number) => {
    const pages = split(`${"0".repeat(before)}${" wo".repeat(said(now))}`, { hasEnded: false })
    const posts = pages.map(({ content }, page) => Post.text(String(page), content))
    const standing = {
      existing: known,
      openRequestKeys: new Set<string>(),
      isTooOld: () => false,
      lostCreation: () => undefined,
      isFlushing: false,
      isHurried: false
    }
    return NextCall.next({ posts, isOutdated: () => false }, standing)
  }
  /** How many words of each post are visible. */
  const shown = new Map<string, number>()
  /** As an outbox knows it: since when something waits that was not looked at, and since when what was looked at is owed. */
  const line = { changedAt: undefined as number | undefined, owedSince: beganAt }
  const since = () => beganAt + wordMs * [...shown.values()].reduce((sum, count) => sum + count, 0)
  const rank = (): RateBudget.Rank => ({
    priority: shown.size === 0 ? "first" : "routine",
    since: line.changedAt ?? line.owedSince,
    skipsSpacing: rollover.isDue,
    worthMoreAt: rollover.growth.fullAt
  })
  return {
    request: {
      bucket: `messages:${channel}`,
      channel,
      get rank() {
        return rank()
      }
    } as const,
    rollover: () => rollover,
    observe: (now: number) => void (rollover = PageRollover.observe(rollover, next(now), now)),
    recordCall: (call: NextCall.Call, now: number) => void (rollover = PageRollover.recordCall(rollover, call, now)),
    next,
    since,
    line,
    show: ({ content, key }: Post.Post) => {
      known.set(key, { key, messageId: key, hash: Post.hashOf(Post.text(key, content)), files: "" })
      shown.set(key, content.split("wo").length - 1)
    }
  }
}

/**
 * Lets answers grow for `lastingMs` under Discord's limits. Gives the mean age of their text, the longest wait of an end,
 * and what Discord refused.
 */
const play = (threads: number, lastingMs: number) => {
  const budget = RateBudget.make({ perSecond: 45, gapMs: 400 })
  const windows = new Map<string, { used: number; resetAt: number }>()
  const answers = Array.from({ length: threads }, (_, index) =>
    answer(index, (index * 997) % 1000, (index * 619) % 1500)
  )
  const waiting = new Set(answers.map(({ request }) => request))
  const events = new Map<number, Array<() => void>>()
  const at = (time: number, run: () => void) => events.set(time, [...(events.get(time) ?? []), run])
  let [refusals, age, longest] = [0, 0, 0]
  for (let now = 1000; now < lastingMs; now++) {
    for (const run of events.get(now) ?? []) run()
    events.delete(now)
    for (const { observe, rollover } of answers) if (now >= rollover().growth.nextCheckAt) observe(now)
    for (const { line } of answers) line.changedAt ??= now
    for (;;) {
      const decision = budget.next(waiting, now)
      if (decision._tag !== "Go") break
      const { bucket, channel } = decision.request
      const { line, next, observe, recordCall, rollover, show } = answers[channel] ?? assert.fail()
      const call = next(now)
      if (call?._tag !== "Create" && call?._tag !== "Edit") break
      line.owedSince = line.changedAt ?? line.owedSince
      line.changedAt =
        call._tag === "Edit" && call.isPageFull === true ? (rollover().overflowingSince ?? now) : undefined
      budget.take(bucket, now)
      waiting.delete(decision.request)
      recordCall(call, now)
      at(now + wayMs, () => {
        const found = windows.get(bucket)
        const window =
          found !== undefined && found.resetAt > now + wayMs ? found : { used: 0, resetAt: now + wayMs + 5000 }
        windows.set(bucket, window)
        if (++window.used > 5) refusals++
        show(call.post)
        const state = { hash: "h", remaining: 5 - window.used, resetAfterMs: window.resetAt - now - wayMs }
        at(now + 2 * wayMs, () => {
          budget.learn(bucket, state, now + 2 * wayMs)
          budget.release(bucket, true, now + 2 * wayMs)
          observe(now + 2 * wayMs)
          waiting.add(decision.request)
        })
      })
    }
    if (now < 6000) continue
    for (const { since } of answers) age += Math.max(0, now - since())
    for (const { resetAt, used } of windows.values()) {
      if (used === 5 && resetAt > now) longest = Math.max(longest, resetAt - now)
    }
  }
  return { refusals, age: age / threads / (lastingMs - 6000), longest }
}

describe("PageRollover", () => {
  it("keeps the delay of text within a tenth of the optimum under Discord's limits", () => {
    for (const threads of [1, 10, 50, 200]) {
      const { age, longest, refusals } = play(threads, threads > 10 ? 20_000 : 40_000)
      const optimum = Math.max(1000, (threads / 45) * 1000) / 2
      assert.strictEqual(refusals, 0)
      assert.isBelow(age / optimum, 1.1, `${threads}`)
      if (threads <= 10) assert.isBelow(longest, 490, `${threads}`)
    }
  })
})
