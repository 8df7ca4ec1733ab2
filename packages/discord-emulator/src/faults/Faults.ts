import type { ConnectFault, EventFault, FaultRule, FileFault, RequestFault, ResumeFault } from "./FaultRule.ts"
import { validateFault } from "./FaultSchema.ts"

/** The active faults. Of several that match, the oldest applies. */
export class Faults {
  readonly #rules: Array<ActiveFault> = []
  readonly #random: () => number

  constructor(seed: number) {
    this.#random = makeRandom(seed)
  }

  /** Adds a fault; the returned function removes it. Throws `TypeError` for a rule that could never apply. */
  add(rule: FaultRule): () => void {
    validateFault(rule)
    const entry: ActiveFault = {
      rule,
      remaining: rule.times ?? Number.POSITIVE_INFINITY,
      remainingSkips: rule.skip ?? 0
    }
    this.#rules.push(entry)
    return () => {
      const index = this.#rules.indexOf(entry)
      if (index >= 0) this.#rules.splice(index, 1)
    }
  }

  /** The fault that applies to a request, if any. */
  request(method: string, path: string): RequestFault | undefined {
    return this.#take(
      (rule): rule is RequestFault =>
        isRequest(rule) &&
        (rule.method === undefined || rule.method.toUpperCase() === method) &&
        (rule.route === undefined || matches(rule.route, path))
    )
  }

  event(name: string): EventFault | undefined {
    return this.#take(
      (rule): rule is EventFault =>
        "event" in rule && (typeof rule.event === "string" ? rule.event === name : matches(rule.event, name))
    )
  }

  connect(): ConnectFault | undefined {
    return this.#take((rule): rule is ConnectFault => "connect" in rule)
  }

  resume(): ResumeFault | undefined {
    return this.#take((rule): rule is ResumeFault => "resume" in rule)
  }

  file(path: string): FileFault | undefined {
    return this.#take((rule): rule is FileFault => "file" in rule && matches(rule.file, path))
  }

  #take<Rule extends FaultRule>(isMatch: (rule: FaultRule) => rule is Rule): Rule | undefined {
    for (const entry of this.#rules) {
      const { rule } = entry
      if (entry.remaining <= 0 || !isMatch(rule)) continue
      if (entry.remainingSkips > 0) {
        entry.remainingSkips--
        continue
      }
      if (rule.probability !== undefined && this.#random() >= rule.probability) continue
      entry.remaining--
      return rule
    }
    return undefined
  }
}

interface ActiveFault {
  readonly rule: FaultRule
  remaining: number
  remainingSkips: number
}

const isRequest = (rule: FaultRule): rule is RequestFault =>
  !("event" in rule) && !("connect" in rule) && !("resume" in rule) && !("file" in rule)

/** A pattern with the flag `g` keeps its position; each match here starts from the beginning. */
const matches = (pattern: RegExp, text: string): boolean => {
  pattern.lastIndex = 0
  return pattern.test(text)
}

/** Numbers from 0 to 1 that are the same for the same seed (mulberry32). */
const makeRandom = (seed: number): (() => number) => {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
