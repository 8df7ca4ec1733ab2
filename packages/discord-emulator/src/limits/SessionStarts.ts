import { dayMs } from "../settings/Clock.ts"
import type { Limits } from "./RateRules.ts"
import { FixedWindows } from "./FixedWindows.ts"

/** Limits how often the application may IDENTIFY. */
export interface SessionStarts {
  /** Counts an IDENTIFY: allowed, too soon after another one, or above the daily limit. */
  readonly take: (shardId: number) => "ok" | "too soon" | "used up"
  /** The `session_start_limit` of `GET /gateway/bot`. */
  readonly status: () => {
    readonly total: number
    readonly remaining: number
    readonly reset_after: number
    readonly max_concurrency: number
  }
}

export const makeSessionStarts = ({ starts }: Limits, now: () => number = Date.now): SessionStarts => {
  if (starts === undefined) {
    const unlimited = { total: 1000, remaining: 1000, reset_after: dayMs, max_concurrency: 1000 }
    return { take: () => "ok", status: () => unlimited }
  }
  const { concurrency, perDay, windowMs } = starts
  const windows = new FixedWindows(now)
  return {
    take: (shardId) => {
      const rateLimitKey = `shards ${shardId % concurrency}`
      if (windows.peek(rateLimitKey) !== undefined) return "too soon"
      const { used } = windows.count("day", { limit: perDay, windowMs: dayMs })
      if (used > perDay) return "used up"
      windows.count(rateLimitKey, { limit: 1, windowMs })
      return "ok"
    },
    status: () => {
      const today = windows.peek("day")
      return {
        total: perDay,
        remaining: Math.max(0, perDay - (today?.used ?? 0)),
        reset_after: today === undefined ? dayMs : today.resetAt - now(),
        max_concurrency: concurrency
      }
    }
  }
}
