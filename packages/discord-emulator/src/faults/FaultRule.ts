import type { Scope } from "../limits/RateLimits.ts"

/** How often a fault applies. */
interface Frequency {
  /** The most times that it applies; unlimited unless given. */
  readonly times?: number
  /** How many matches pass before it applies. */
  readonly skip?: number
  /** The probability from 0 to 1, repeatable by the seed; 1 unless given. */
  readonly probability?: number
}

/** What happens instead of a response. */
interface Failure {
  /** Waits first, in milliseconds. */
  readonly delayMs?: number
  /** Responds with this status. */
  readonly status?: number
  /** Resets the connection. */
  readonly dropSocket?: boolean
}

/** A fault of API requests. */
export interface RequestFault extends Frequency, Failure {
  /** Matched against the path below the version, such as `/channels/1/messages`. */
  readonly route?: RegExp
  readonly method?: string
  /** Processes the request before it waits and fails. */
  readonly after?: boolean
  /** Never responds, and leaves the connection open. */
  readonly noAnswer?: boolean
  /** Discord's error code in the body of the response; 0 unless given. */
  readonly code?: number
  /** The scope of a status 429; `shared` unless given. */
  readonly scope?: Scope
  /** The `retry-after` of a status 429 in seconds; 1 unless given, and `false` omits the header. */
  readonly retryAfter?: number | false
  /** Responds with this HTML instead of JSON, as a proxy does. */
  readonly html?: string
}

/** A fault of gateway events: lost, duplicate or late. */
export interface EventFault extends Frequency {
  /** The name, such as `MESSAGE_CREATE`. */
  readonly event: string | RegExp
  readonly drop?: boolean
  readonly duplicate?: boolean
  readonly delayMs?: number
}

/** A fault of gateway connections. */
export interface ConnectFault extends Frequency, Failure {
  readonly connect: true
}

/** A fault of RESUME frames. */
export interface ResumeFault extends Frequency {
  readonly resume: true
  /** Never responds, and acknowledges heartbeats. */
  readonly noAnswer: true
}

/** A fault of downloads; `file` matches paths such as `/attachments/1/2/plan.png`. */
export interface FileFault extends Frequency, Failure {
  readonly file: RegExp
  /** Limits the speed. */
  readonly bytesPerSecond?: number
}

/** A fault rule. */
export type FaultRule = RequestFault | EventFault | ConnectFault | ResumeFault | FileFault
