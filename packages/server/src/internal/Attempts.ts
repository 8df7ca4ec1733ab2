/** Counts tries per key in a sliding window. */
export interface Attempts {
  /** Counts a try; or, when the limit is reached, gives the milliseconds until the next one is allowed. */
  readonly begin: (key: string, now: number) => number | undefined
  /** Forgets the tries of a key. */
  readonly succeed: (key: string) => void
}

/** Counts in memory, for at most some ten thousand keys: those that have been quiet longest go first. */
export const make = (options: { readonly limit: number; readonly windowMillis: number }): Attempts => {
  const tries = new Map<string, ReadonlyArray<number>>()
  return {
    begin: (key, now) => {
      const recent = (tries.get(key) ?? []).filter((time) => time > now - options.windowMillis)
      const first = recent[0]
      if (first !== undefined && recent.length >= options.limit) return first + options.windowMillis - now
      tries.delete(key)
      tries.set(key, [...recent, now])
      for (const oldest of tries.keys()) {
        if (tries.size <= 10_000) break
        tries.delete(oldest)
      }
      return undefined
    },
    succeed: (key) => void tries.delete(key)
  }
}
