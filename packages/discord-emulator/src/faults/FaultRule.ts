import type { Scope } from "../limits/RateLimits.ts"

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
