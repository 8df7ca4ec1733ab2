export const dayMs = 86_400_000

/** The time of an emulator and the timers on it. */
export interface Clock {
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Calls `run` once after `ms`; the returned function cancels it. */
  readonly after: (ms: number, run: () => void) => () => void
}

/** A clock that moves only by `advance`. */
export interface ManualClock extends Clock {
  /** Advances the time and runs the timers that are due, in order. */
  readonly advance: (ms: number) => void
}

/** The system clock. Its timers do not keep the process alive. */
export const systemClock: Clock = {
  now: () => Date.now(),
  after: (ms, run) => {
    // Node's timers overflow after 24 days and would run at once.
    const timer = setTimeout(run, Math.min(ms, 2 ** 31 - 1))
    timer.unref()
    return () => clearTimeout(timer)
  }
}

/** Makes a stopped clock for `startEmulator({ clock })`; `start` is in milliseconds since 1970, now unless given. */
export const manualClock = (start = Date.now()): ManualClock => {
  let now = start
  const timers = new Set<{ readonly at: number; readonly run: () => void }>()
  return {
    now: () => now,
    after: (ms, run) => {
      const timer = { at: now + ms, run }
      timers.add(timer)
      return () => timers.delete(timer)
    },
    advance: (ms) => {
      const end = now + ms
      for (;;) {
        const [next] = [...timers].filter(({ at }) => at <= end).toSorted((a, b) => a.at - b.at)
        if (next === undefined) break
        timers.delete(next)
        now = Math.max(now, next.at)
        next.run()
      }
      now = end
    }
  }
}
