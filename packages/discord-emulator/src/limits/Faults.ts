import { demandFault } from "./FaultRules.ts"
import type { Scope } from "./RateLimits.ts"

/** How often a fault hits, of everything that it fits. */
interface HowOften {
  /** At most so many times; all while it is set, unless given. */
  readonly times?: number
  /** Lets so many pass first. */
  readonly skip?: number
  /** From 0 to 1; drawn by the seed, so that a run can be repeated. 1 unless given. */
  readonly probability?: number
}

/** What a request gets in place of its answer. */
interface Failure {
  /** Waits this long first. */
  readonly delayMs?: number
  /** Answers with this status instead. */
  readonly status?: number
  /** Resets the connection instead of answering. */
  readonly dropSocket?: boolean
}

/** A fault of requests to the API. */
export interface RequestFault extends HowOften, Failure {
  /** Matched against the path below the version, such as `/channels/1/messages`. */
  readonly route?: RegExp
  readonly method?: string
  /** Acts first, then waits and fails: the application cannot know that it worked. */
  readonly after?: boolean
  /** Never answers and leaves the connection open. */
  readonly noAnswer?: boolean
  /** With status 429: whose limit it says was hit; `shared` unless given. */
  readonly scope?: Scope
  /** With status 429: seconds, 1 unless given; `false` leaves the header out. */
  readonly retryAfter?: number | false
  /** Answers with this page instead of JSON, as a proxy in front of Discord does. */
  readonly html?: string
}

/** A fault of events on their way to the application: lost, sent twice, or late and so after younger ones. */
export interface EventFault extends HowOften {
  /** The name, such as `MESSAGE_CREATE`. */
  readonly event: string | RegExp
  readonly drop?: boolean
  readonly duplicate?: boolean
  readonly delayMs?: number
}

/** A fault of connecting to the gateway. */
export interface ConnectFault extends HowOften, Failure {
  readonly connect: true
}

/** A fault of downloads: those whose path fits, such as `/attachments/1/2/plan.png`. */
export interface FileFault extends HowOften, Failure {
  readonly file: RegExp
  /** Sends no faster than this. */
  readonly bytesPerSecond?: number
}

/** A fault to show on what fits. */
export type FaultRule = RequestFault | EventFault | ConnectFault | FileFault

/** Holds the faults that are set; of several that fit, the first set hits. */
export class Faults {
  readonly #rules: Array<Entry> = []
  readonly #draw: () => number

  constructor(seed: number) {
    this.#draw = draws(seed)
  }

  /** Sets a fault; the returned function takes it back. Throws `TypeError` on a rule that could not work. */
  add(rule: FaultRule): () => void {
    demandFault(rule)
    const entry: Entry = { rule, left: rule.times ?? Number.POSITIVE_INFINITY, passing: rule.skip ?? 0 }
    this.#rules.push(entry)
    return () => {
      const at = this.#rules.indexOf(entry)
      if (at >= 0) this.#rules.splice(at, 1)
    }
  }

  /** The fault of a request, if any; counts it. */
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

  file(path: string): FileFault | undefined {
    return this.#take((rule): rule is FileFault => "file" in rule && matches(rule.file, path))
  }

  #take<Rule extends FaultRule>(fits: (rule: FaultRule) => rule is Rule): Rule | undefined {
    for (const entry of this.#rules) {
      const { rule } = entry
      if (entry.left <= 0 || !fits(rule)) continue
      if (entry.passing > 0) {
        entry.passing--
        continue
      }
      if (rule.probability !== undefined && this.#draw() >= rule.probability) continue
      entry.left--
      return rule
    }
    return undefined
  }
}

interface Entry {
  readonly rule: FaultRule
  left: number
  passing: number
}

const isRequest = (rule: FaultRule): rule is RequestFault =>
  !("event" in rule) && !("connect" in rule) && !("file" in rule)

/** A pattern with the flag `g` remembers where it was; every match here starts anew. */
const matches = (pattern: RegExp, text: string): boolean => {
  pattern.lastIndex = 0
  return pattern.test(text)
}

/** Numbers from 0 to 1 that are the same for the same seed (mulberry32). */
const draws = (seed: number): (() => number) => {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
