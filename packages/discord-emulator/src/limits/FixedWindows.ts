import type { Rule } from "./Limits.ts"

/** One window: how much of it is used, and when the next one begins, in milliseconds. */
export interface Window {
  readonly used: number
  readonly resetAt: number
}

/** Counts in fixed windows that start with the first count, one per key. */
export class FixedWindows {
  readonly #open = new Map<string, { used: number; readonly resetAt: number }>()
  readonly #now: () => number

  constructor(now: () => number = Date.now) {
    this.#now = now
  }

  /** Counts one more and returns the window. */
  count(key: string, rule: Rule): Window {
    const now = this.#now()
    const found = this.#open.get(key)
    const window = found !== undefined && found.resetAt > now ? found : { used: 0, resetAt: now + rule.windowMs }
    window.used++
    if (window !== found) {
      this.#open.set(key, window)
      if (this.#open.size % 1000 === 0) this.#forget(now)
    }
    return window
  }

  /** The open window of a key, if there is one. */
  peek(key: string): Window | undefined {
    const found = this.#open.get(key)
    return found !== undefined && found.resetAt > this.#now() ? found : undefined
  }

  #forget(now: number): void {
    for (const [key, window] of this.#open) if (window.resetAt <= now) this.#open.delete(key)
  }
}
