/** A fault to show on matching requests of the application. */
export interface FaultRule {
  /** Matched against the path below the version, such as `/channels/1/messages`. */
  readonly route?: RegExp
  readonly method?: string
  /** How many requests it hits; all while it is set, unless given. */
  readonly times?: number
  /** Answer with this status instead. */
  readonly status?: number
  /** Wait this long first. */
  readonly delayMs?: number
  /** Act first, then fail: the application cannot know that it worked. */
  readonly after?: boolean
  /** Reset the connection instead of answering. */
  readonly dropSocket?: boolean
}

/** Holds the faults that are set. */
export class Faults {
  readonly #rules: Array<{ readonly rule: FaultRule; left: number }> = []

  /** Sets a fault; the returned function takes it back. */
  add(rule: FaultRule): () => void {
    const entry = { rule, left: rule.times ?? Number.POSITIVE_INFINITY }
    this.#rules.push(entry)
    return () => {
      const at = this.#rules.indexOf(entry)
      if (at >= 0) this.#rules.splice(at, 1)
    }
  }

  /** The fault of a request, if any; counts it. */
  take(method: string, path: string): FaultRule | undefined {
    const entry = this.#rules.find(
      ({ left, rule }) =>
        left > 0 &&
        (rule.method === undefined || rule.method.toUpperCase() === method) &&
        (rule.route === undefined || rule.route.test(path))
    )
    if (entry === undefined) return undefined
    entry.left--
    return entry.rule
  }
}
