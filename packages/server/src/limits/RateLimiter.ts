import type { Rate } from "../config/ServerConfig.ts"

/** Limits requests per key. Both functions return the milliseconds to wait, or undefined if the request is allowed. */
export interface RateLimiter {
  /** Counts a request unless it has to wait. */
  readonly take: (key: string, now: number) => number | undefined
  /** Like {@link take}, without counting. */
  readonly wait: (key: string, now: number) => number | undefined
}

/**
 * A limiter that refills steadily (the generic cell rate algorithm): one number per key and no timers, so that a
 * check costs one map lookup. It stores at most `capacity` keys; the least recently used ones are dropped first. Hash a
 * key that a caller can choose.
 */
export const make = ({ requests, seconds }: Rate, capacity = 20_000): RateLimiter => {
  const windowMs = seconds * 1000
  const intervalMs = windowMs / requests
  // For each key, the time at which the caller has its full allowance again.
  const fullAt = new Map<string, number>()

  const waitAt = (fullTime: number, now: number): number | undefined => {
    const wait = fullTime + intervalMs - windowMs - now
    return wait > 0 ? wait : undefined
  }

  return {
    wait: (key, now) => waitAt(Math.max(fullAt.get(key) ?? now, now), now),
    take: (key, now) => {
      const fullTime = Math.max(fullAt.get(key) ?? now, now)
      const wait = waitAt(fullTime, now)
      if (wait !== undefined) return wait
      // Deleted first, because a map keeps the order of insertion.
      fullAt.delete(key)
      fullAt.set(key, fullTime + intervalMs)
      if (fullAt.size > capacity) dropIdle(fullAt, now)
      return undefined
    }
  }
}

/** Drops keys with their full allowance, and at least the least recently used one. */
const dropIdle = (fullAt: Map<string, number>, now: number): void => {
  let dropped = 0
  for (const [key, fullTime] of fullAt) {
    if (dropped > 0 && (fullTime > now || dropped >= 100)) return
    fullAt.delete(key)
    dropped++
  }
}
