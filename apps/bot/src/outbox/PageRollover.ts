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
  readonly sent: (call: Call, now: number) => void
  /** Whether the observed call may skip even spacing. */
  readonly isDue: () => boolean
  /** Since when the text exceeds the observed page. */
  readonly fullSince: () => number | undefined
  /** The predicted time at which the page is full. */
  readonly fullAt: () => number
  /** The time to check again, a little before that. */
  readonly lookAt: () => number
}

export const make = (): PageRollover => {
  /** The page at two earlier times; growth is measured since the older one. */
  let older: Sample = { key: "", at: 0, fill: 0 }
  let newer = older
  let fullAt = Number.POSITIVE_INFINITY
  let lookAt = Number.POSITIVE_INFINITY
  let due = false
  let fullSince: number | undefined
  /** The content of the last call. */
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

/** The share of the predicted time to wait, since growth is uneven. */
const early = 0.8

/** The shortest time between two checks, in milliseconds. */
const leastMs = 20

/** A call that is slightly early splits the page; a late one is reported in time. */
const lateMs = 50

/** The time over which growth is measured, in milliseconds. */
const spanMs = 500
