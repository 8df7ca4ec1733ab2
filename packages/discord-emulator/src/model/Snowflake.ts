/** Milliseconds of 2015-01-01, from which Discord counts. */
const epoch = 1_420_070_400_000n

/** Generates ascending ids, also after a restart once `observe` got the stored ones. */
export class Snowflakes {
  readonly #now: () => number
  #last = 0n

  constructor(now: () => number) {
    this.#now = now
  }

  next(): string {
    const now = (BigInt(this.#now()) - epoch) << 22n
    this.#last = now > this.#last ? now : this.#last + 1n
    return this.#last.toString()
  }

  /** Records an id from storage, so that a clock that went back cannot repeat it. */
  observe(id: string): void {
    if (!isSnowflake(id)) return
    const value = BigInt(id)
    if (value > this.#last) this.#last = value
  }
}

/** Whether a text has the form of an id (17 to 19 digits). */
export const isSnowflake = (text: string): boolean => /^\d{17,19}$/.test(text)

/** Orders two ids by age. */
export const compareIds = (a: string, b: string): number =>
  a.length === b.length ? (a < b ? -1 : a > b ? 1 : 0) : a.length - b.length

/** The creation time of an id, in milliseconds since 1970. */
export const timeOf = (id: string): number => Number((BigInt(id) >> 22n) + epoch)
