import * as Pages from "../text/Pages.ts"
import type { Call } from "./NextCall.ts"

/**
 * Predicts when a growing answer continues in a new post; its calls then need no even spacing. A full page is sent at
 * once. A nearly full page may wait, which saves a call. When a page's end moves to the next post, that post follows at
 * once. Times are in milliseconds.
 */
export interface PageRollover {
  /** The call that the current state needs. */
  readonly observe: (call: Call | undefined, now: number) => void
  /** The call that is sent now. */
  readonly recordCall: (call: Call, now: number) => void
  /** Whether the observed call may skip even spacing. */
  readonly isDue: () => boolean
  /** Since when the text exceeds the observed page. */
  readonly overflowingSince: () => number | undefined
  /** The predicted time at which the page is full. */
  readonly predictedFullAt: () => number
  /** The time to check again, a little before that. */
  readonly nextCheckAt: () => number
}

export const make = (): PageRollover => {
  /** The page at two earlier times; growth is measured since the older one. */
  let olderSample: Sample = { key: "", at: 0, fillRatio: 0 }
  let newerSample = olderSample
  let predictedFullAt = Number.POSITIVE_INFINITY
  let nextCheckAt = Number.POSITIVE_INFINITY
  let isRolloverDue = false
  let overflowingSince: number | undefined
  /** The content of the last call. */
  let lastCall = { key: "", length: 0 }
  let wasShortened = false

  const shortensPage = (call: Call): boolean =>
    call._tag === "Edit" &&
    call.isPageFull === true &&
    call.post.key === lastCall.key &&
    call.post.content.length < lastCall.length

  const measure = (call: Call | undefined, now: number) => {
    if (call === undefined || call._tag === "Remove") return
    const { content, key } = call.post
    const sample: Sample = { key, at: now, fillRatio: Pages.fillOf(content) }
    if (key !== newerSample.key) {
      olderSample = newerSample = sample
      predictedFullAt = Number.POSITIVE_INFINITY
      nextCheckAt = now + sampleSpanMs
      return
    }
    const elapsedMs = now - olderSample.at
    const growth = sample.fillRatio - olderSample.fillRatio
    if (elapsedMs >= sampleSpanMs) {
      const leftMs = growth > 0 ? ((1 - sample.fillRatio) * elapsedMs) / growth : Number.POSITIVE_INFINITY
      predictedFullAt = now + leftMs + marginMs
      nextCheckAt = now + Math.max(minDelayMs, leftMs * waitShare)
    }
    if (now - newerSample.at < sampleSpanMs) return
    olderSample = newerSample
    newerSample = sample
  }

  return {
    observe: (call, now) => {
      isRolloverDue =
        call?._tag === "Create"
          ? wasShortened
          : call?._tag === "Edit" && call.isPageFull === true && !shortensPage(call)
      overflowingSince = call?._tag === "Edit" && call.isPageFull === true ? (overflowingSince ?? now) : undefined
      measure(call, now)
    },
    recordCall: (call, now) => {
      isRolloverDue = false
      overflowingSince = undefined
      wasShortened = shortensPage(call)
      if (call._tag !== "Remove") lastCall = { key: call.post.key, length: call.post.content.length }
      measure(call, now)
    },
    isDue: () => isRolloverDue,
    overflowingSince: () => overflowingSince,
    predictedFullAt: () => predictedFullAt,
    nextCheckAt: () => nextCheckAt
  }
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
