/** The time of an emulator and the timers on it. */
export interface Clock {
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Runs something once after `ms`; the returned function takes it back. */
  readonly after: (ms: number, run: () => void) => () => void
}

/** A clock that only moves when told to. */
export interface ManualClock extends Clock {
  /** Moves the time on and runs what falls due meanwhile, in order. */
  readonly advance: (ms: number) => void
}

/** The time of the machine. Its timers keep no process alive. */
export const systemClock: Clock = {
  now: () => Date.now(),
  after: (ms, run) => {
    // Longer waits than 24 days overflow the timers of Node and would run at once.
    const timer = setTimeout(run, Math.min(ms, 2 ** 31 - 1))
    timer.unref()
    return () => clearTimeout(timer)
  }
}

/** Makes a clock for `startEmulator({ clock })`; it stands still at `start`, now unless given, until it is advanced. */
export const manualClock = (start = Date.now()): ManualClock => {
  let now = start
  const waiting = new Set<{ readonly at: number; readonly run: () => void }>()
  return {
    now: () => now,
    after: (ms, run) => {
      const entry = { at: now + ms, run }
      waiting.add(entry)
      return () => waiting.delete(entry)
    },
    advance: (ms) => {
      const end = now + ms
      for (;;) {
        const [next] = [...waiting].filter(({ at }) => at <= end).toSorted((a, b) => a.at - b.at)
        if (next === undefined) break
        waiting.delete(next)
        now = Math.max(now, next.at)
        next.run()
      }
      now = end
    }
  }
}
