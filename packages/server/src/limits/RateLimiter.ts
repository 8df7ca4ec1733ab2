import type { Rate } from "../config/ServerConfig.ts"
import * as KeyHash from "./KeyHash.ts"

/** Counts requests per key. Both functions give the milliseconds to wait, or undefined when there is room. */
export interface RateLimiter {
  /** Counts a request of this key unless it has to wait. */
  readonly take: (key: string, now: number) => number | undefined
  /** The same without counting. */
  readonly wait: (key: string, now: number) => number | undefined
}

/**
 * A limiter that refills steadily (the generic cell rate algorithm): one number per key, no timers, no fibers, so that
 * a check costs one look into a map. It remembers at most `capacity` keys; those that were quiet longest go first.
 */
export const make = ({ requests, seconds }: Rate, capacity = 20_000): RateLimiter => {
  const window = seconds * 1000
  const interval = window / requests
  // Per hash of a key, the moment at which the caller has its whole allowance back.
  const restored = new Map<string, number>()

  const waitAt = (at: number, now: number): number | undefined => {
    const wait = at + interval - window - now
    return wait > 0 ? wait : undefined
  }

  return {
    wait: (key, now) => waitAt(Math.max(restored.get(KeyHash.of(key)) ?? now, now), now),
    take: (name, now) => {
      const key = KeyHash.of(name)
      const at = Math.max(restored.get(key) ?? now, now)
      const wait = waitAt(at, now)
      if (wait !== undefined) return wait
      // Last in, last to go: a map keeps the order of insertion.
      restored.delete(key)
      restored.set(key, at + interval)
      if (restored.size > capacity) forget(restored, now)
      return undefined
    }
  }
}

/** Drops who has the whole allowance back anyway, and at least the one that was quiet longest. */
const forget = (restored: Map<string, number>, now: number): void => {
  let looked = 0
  for (const [key, at] of restored) {
    if (looked > 0 && (at > now || looked >= 100)) return
    restored.delete(key)
    looked++
  }
}
