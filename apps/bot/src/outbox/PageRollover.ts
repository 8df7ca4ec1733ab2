import * as Pages from "../text/Pages.ts"
import type { Call } from "./NextCall.ts"

/**
 * Predicts when a growing answer continues in a new post; its calls then need no even spacing. A full page is sent at
 * once. A nearly full page may wait, which saves a call. When a page's end moves to the next post, that post follows at
 * once. Times are in milliseconds.
 */
export interface PageRollover {
  /** Whether the observed call may skip even spacing. */
  readonly isDue: boolean
  /** Since when the text exceeds the observed page. */
  readonly overflowingSince: number | undefined
  readonly lastCall: LastCall
  readonly growth: Growth
}

/** The last call: the length of its content, and whether it moved the end of a page to the next post. */
interface LastCall {
  readonly key: string
  readonly length: number
  readonly shortenedPage: boolean
}

/** The growth of a page, from two earlier samples. */
interface Growth {
  readonly older: Sample
  readonly newer: Sample
  /** The predicted time at which the page is full. */
  readonly fullAt: number
  /** The time to check again, a little before that. */
  readonly nextCheckAt: number
}

/** Of a thread without calls. */
export const initial: PageRollover = {
  isDue: false,
  overflowingSince: undefined,
  lastCall: { key: "", length: 0, shortenedPage: false },
  growth: {
    older: { key: "", at: 0, fillRatio: 0 },
    newer: { key: "", at: 0, fillRatio: 0 },
    fullAt: Number.POSITIVE_INFINITY,
    nextCheckAt: Number.POSITIVE_INFINITY
  }
}

/** After a look at the call that is needed now. */
export const observe = (self: PageRollover, call: Call | undefined, now: number): PageRollover => ({
  ...self,
  isDue: call?._tag === "Create" ? self.lastCall.shortenedPage : isFullPage(call) && !shortensPage(self.lastCall, call),
  overflowingSince: isFullPage(call) ? (self.overflowingSince ?? now) : undefined,
  growth: measure(self.growth, call, now)
})

/** After the call that is sent now. */
export const recordCall = (self: PageRollover, call: Call, now: number): PageRollover => {
  const content = !("post" in call)
    ? { key: self.lastCall.key, length: self.lastCall.length }
    : { key: call.post.key, length: call.post.content.length }
  return {
    isDue: false,
    overflowingSince: undefined,
    lastCall: { ...content, shortenedPage: shortensPage(self.lastCall, call) },
    growth: measure(self.growth, call, now)
  }
}

/** Whether a call fills a page that has more text behind it. */
export const isFullPage = (call: Call | undefined): boolean => call?._tag === "Edit" && call.isPageFull === true

const shortensPage = (last: LastCall, call: Call | undefined): boolean =>
  call?._tag === "Edit" &&
  call.isPageFull === true &&
  call.post.key === last.key &&
  call.post.content.length < last.length

const measure = (growth: Growth, call: Call | undefined, now: number): Growth => {
  if (call === undefined || !("post" in call)) return growth
  const { content, key } = call.post
  const sample: Sample = { key, at: now, fillRatio: content.length / Pages.limit }
  const { newer, older } = growth
  if (key !== newer.key)
    return { older: sample, newer: sample, fullAt: Number.POSITIVE_INFINITY, nextCheckAt: now + sampleSpanMs }
  return {
    ...growth,
    ...(now - older.at >= sampleSpanMs && predict(older, sample)),
    ...(now - newer.at >= sampleSpanMs && { older: newer, newer: sample })
  }
}

/** When the page is full if it grows on as between two samples. */
const predict = (from: Sample, to: Sample): Pick<Growth, "fullAt" | "nextCheckAt"> => {
  const growth = to.fillRatio - from.fillRatio
  const leftMs = growth > 0 ? ((1 - to.fillRatio) * (to.at - from.at)) / growth : Number.POSITIVE_INFINITY
  return { fullAt: to.at + leftMs + marginMs, nextCheckAt: to.at + Math.max(minDelayMs, leftMs * waitShare) }
}

interface Sample {
  readonly key: string
  readonly at: number
  readonly fillRatio: number
}

/** The share of the predicted time to wait, since growth is uneven. */
const waitShare = 0.8

/** The shortest time between two checks, in milliseconds. */
const minDelayMs = 20

/** A call that is slightly early splits the page; a late one is reported in time. */
const marginMs = 50

/** The time over which growth is measured, in milliseconds. */
const sampleSpanMs = 500
