import type { Rule } from "./RateRules.ts"

/** One window: how much of it is used, and when the next one begins, in milliseconds. */
export interface Window {
  readonly used: number
  readonly resetAt: number
}

/**
 * Counts in fixed windows that start with the first count, one per key. A window that starts later than now is over: the
 * time of day was set back.
 */
export class FixedWindows {
  readonly #windows = new Map<string, OpenWindow>()
  readonly #now: () => number

  constructor(now: () => number = Date.now) {
    this.#now = now
  }

  /** Counts one more and returns the window. */
  count(key: string, rule: Rule): Window {
    const now = this.#now()
    const current = this.#windows.get(key)
    const window: OpenWindow =
      current !== undefined && isOpen(current, now)
        ? current
        : { used: 0, startedAt: now, resetAt: now + rule.windowMs }
    window.used++
    if (window !== current) {
      this.#windows.set(key, window)
      if (this.#windows.size % 1000 === 0) this.#removeExpired(now)
    }
    return window
  }

  /** The open window of a key, if there is one. */
  peek(key: string): Window | undefined {
    const current = this.#windows.get(key)
    return current !== undefined && isOpen(current, this.#now()) ? current : undefined
  }

  #removeExpired(now: number): void {
    for (const [key, window] of this.#windows) if (!isOpen(window, now)) this.#windows.delete(key)
  }
}

interface OpenWindow {
  used: number
  readonly startedAt: number
  readonly resetAt: number
}

const isOpen = ({ resetAt, startedAt }: OpenWindow, now: number): boolean => startedAt <= now && now < resetAt
