import * as Pages from "../text/Pages.ts"
import type { Call } from "./NextCall.ts"

/**
 * Knows when a growing answer goes on in a new post, so that its calls need not keep even distances then. A full page is
 * shown at once; a nearly full page may be waited for, which saves a call. When a page becomes shorter because its end
 * moves to the next post, that post follows at once. Times are in milliseconds.
 */
export interface PageRollover {
  /** The call that would be sent now. */
  readonly observe: (call: Call | undefined, now: number) => void
  /** The call that is sent now. */
  readonly sent: (call: Call, now: number) => void
  /** Whether the observed call need not keep its distance. */
  readonly isDue: () => boolean
  /** Since when the text has no room in the observed page. */
  readonly fullSince: () => number | undefined
  /** When the page is full, at the pace at which it grows. */
  readonly fullAt: () => number
  /** When the next call is worth another look: a little before that. */
  readonly lookAt: () => number
}

export const make = (): PageRollover => {
  /** The page at two times before; growth is measured since the older one. */
  let older: Sample = { key: "", at: 0, fill: 0 }
  let newer = older
  let fullAt = Number.POSITIVE_INFINITY
  let lookAt = Number.POSITIVE_INFINITY
  let due = false
  let fullSince: number | undefined
  /** What the last call has shown. */
  let shown = { key: "", length: 0 }
  let cutShort = false

  const cuts = (call: Call): boolean =>
    call._tag === "Edit" && call.full === true && call.post.key === shown.key && call.post.content.length < shown.length

  const measure = (call: Call | undefined, now: number) => {
    if (call === undefined || call._tag === "Remove") return
    const { content, key } = call.post
    const sample: Sample = { key, at: now, fill: Pages.fillOf(content) }
    if (key !== newer.key) {
      older = newer = sample
      fullAt = Number.POSITIVE_INFINITY
      lookAt = now + spanMs
      return
    }
    const lasted = now - older.at
    const grown = sample.fill - older.fill
    if (lasted >= spanMs) {
      const left = grown > 0 ? ((1 - sample.fill) * lasted) / grown : Number.POSITIVE_INFINITY
      fullAt = now + left + lateMs
      lookAt = now + Math.max(leastMs, left * early)
    }
    if (now - newer.at < spanMs) return
    older = newer
    newer = sample
  }

  return {
    observe: (call, now) => {
      due = call?._tag === "Create" ? cutShort : call?._tag === "Edit" && call.full === true && !cuts(call)
      fullSince = call?._tag === "Edit" && call.full === true ? (fullSince ?? now) : undefined
      measure(call, now)
    },
    sent: (call, now) => {
      due = false
      fullSince = undefined
      cutShort = cuts(call)
      if (call._tag !== "Remove") shown = { key: call.post.key, length: call.post.content.length }
      measure(call, now)
    },
    isDue: () => due,
    fullSince: () => fullSince,
    fullAt: () => fullAt,
    lookAt: () => lookAt
  }
}

interface Sample {
  readonly key: string
  readonly at: number
  readonly fill: number
}

/** Of the time until a page is full so much is waited, since nothing grows evenly. */
const early = 0.8

/** The least time between two looks, in milliseconds. */
const leastMs = 20

/** A call that comes a little too early leaves a part of the page for another one; one that is late is told in time. */
const lateMs = 50

/** Over so long growth is measured, in milliseconds. */
const spanMs = 500
