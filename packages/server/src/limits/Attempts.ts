import * as KeyHash from "./KeyHash.ts"

/** Counts tries per key in a sliding window. */
export interface Attempts {
  /** Counts a try. If the limit is reached, returns the milliseconds until the next try is allowed instead. */
  readonly begin: (key: string, now: number) => number | undefined
  /** The milliseconds until the next try is allowed, if the limit is reached; counts nothing. */
  readonly wait: (key: string, now: number) => number | undefined
  /** Counts a failed try. */
  readonly fail: (key: string, now: number) => void
  /** Forgets the tries of a key. */
  readonly succeed: (key: string) => void
}

/** Counts in memory, for at most {@link maxKeys} keys; the least recently used ones are dropped first. */
export const make = (options: { readonly limit: number; readonly windowMillis: number }): Attempts => {
  const tries = new Map<string, ReadonlyArray<number>>()
  const recent = (id: string, now: number) => (tries.get(id) ?? []).filter((time) => time > now - options.windowMillis)
  const waitOf = (times: ReadonlyArray<number>, now: number) => {
    const first = times[times.length - options.limit]
    return first === undefined ? undefined : first + options.windowMillis - now
  }
  const count = (id: string, now: number) => {
    const times = [...recent(id, now), now].slice(-options.limit)
    tries.delete(id)
    tries.set(id, times)
    for (const oldest of tries.keys()) {
      if (tries.size <= maxKeys) break
      tries.delete(oldest)
    }
  }
  return {
    begin: (key, now) => {
      const id = KeyHash.of(key)
      const wait = waitOf(recent(id, now), now)
      if (wait === undefined) count(id, now)
      return wait
    },
    wait: (key, now) => waitOf(recent(KeyHash.of(key), now), now),
    fail: (key, now) => count(KeyHash.of(key), now),
    succeed: (key) => void tries.delete(KeyHash.of(key))
  }
}

const maxKeys = 10_000
