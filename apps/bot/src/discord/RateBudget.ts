/**
 * The priority of a request. `urgent`: permission requests and the end of an answer. `first`: an answer's first words.
 * `routine`: its growth. `hint`: signs such as typing.
 */
export type Priority = "urgent" | "first" | "routine" | "hint"

/** The rank of a request for a slot. */
export interface Rank {
  readonly priority: Priority
  /** Since when the slot is wanted, in milliseconds; within a priority the oldest goes first. */
  readonly since: number
  /** The call is worth more now, so it may skip the even spacing of its bucket. */
  readonly uneven?: boolean
  /** When the call will be worth more; it waits for that time if it is near. */
  readonly ripeAt?: number
}

/** A request for a slot. Its owner may replace the rank while it waits. */
export interface SlotRequest {
  /** The bucket of the call, such as `messages:<channel id>`. */
  readonly bucket: string
  readonly rank: Rank
}

/** The rate limit headers of a response. */
export interface BucketState {
  /** Discord's name of the bucket. */
  readonly hash: string
  readonly remaining: number
  readonly resetAfterMs: number
}

export interface RateLimits {
  /** The token's sustained rate of patient calls per second; other calls may exceed it by a fifteenth. */
  readonly perSecond: number
  /** The shortest time between routine calls of one bucket, in milliseconds. */
  readonly gapMs: number
}

/** The next request to grant, or the earliest time at which one may be granted. */
export type SlotDecision<A> =
  | { readonly _tag: "Go"; readonly request: A }
  | { readonly _tag: "Wait"; readonly until: number }
  /** Every request waits for a response or a new request. */
  | { readonly _tag: "Idle" }

/** Counts the remaining calls of each bucket and selects the next request. The caller supplies the time. */
export interface RateBudget {
  readonly next: <A extends SlotRequest>(requests: Iterable<A>, now: number) => SlotDecision<A>
  /** Counts a call; its bucket grants no other slot until this one is released. */
  readonly take: (bucket: string, now: number) => void
  /** Releases the slot; an unused one does not count as a call. */
  readonly giveBack: (bucket: string, used: boolean, now: number) => void
  readonly learn: (bucket: string, state: BucketState, now: number) => void
  /** Discord answered 429: everything, or only the bucket, rests. */
  readonly pause: (what: "all" | { readonly bucket: string }, forMs: number, now: number) => void
}

export const make = ({ gapMs, perSecond }: RateLimits): RateBudget => {
  const buckets = new Map<string, Bucket>()
  const stepMs = 1000 / perSecond
  /**
   * The response times of the last second's calls, oldest first. Discord counts a call before its response. Together
   * with the calls in flight, these are therefore at least as many as Discord counts in any second.
   */
  const answered: Array<number> = []
  const most = Math.ceil(perSecond * (16 / 15))
  let underWay = 0
  let pausedUntil = never
  /** The time until which evenly spaced routine calls are used up. */
  let evenAt = never

  const bucketOf = (name: string): Bucket => {
    const found = buckets.get(name)
    if (found !== undefined) return found
    const made: Bucket = { busy: false, lastAt: never, before: never, pausedUntil: never, window: undefined }
    buckets.set(name, made)
    return made
  }

  /** When the token allows another call. */
  const tokenAt = (now: number): number => {
    while (answered[0] !== undefined && answered[0] <= now - 1000) answered.shift()
    if (underWay >= most) return Number.POSITIVE_INFINITY
    const blocking = answered[answered.length + underWay - most]
    return Math.max(pausedUntil, blocking === undefined ? never : blocking + 1000)
  }

  const bucketAt = (name: string, patient: boolean, uneven: boolean, now: number): number => {
    const bucket = buckets.get(name)
    if (bucket === undefined) return never
    if (bucket.busy) return Number.POSITIVE_INFINITY
    const { lastAt, window } = bucket
    const least = patient && !uneven ? Math.max(bucket.pausedUntil, lastAt + gapMs) : bucket.pausedUntil
    if (window === undefined || window.resetAt <= now) return least
    if (window.remaining <= 0) return Math.max(least, window.resetAt)
    if (!patient || (uneven && window.remaining > 1)) return least
    // Spread the remaining calls evenly. The last call comes late enough that the end of an answer never waits long.
    return Math.max(least, lastAt + (window.resetAt - keptMs - lastAt) / window.remaining)
  }

  return {
    next: (requests, now) => best(requests, now, { tokenAt, bucketAt, patientAt: () => evenAt - burst * stepMs }),
    take: (name, now) => {
      underWay++
      evenAt = Math.min(Math.max(evenAt, now) + stepMs, now + 1000)
      const bucket = bucketOf(name)
      bucket.busy = true
      bucket.before = bucket.lastAt
      bucket.lastAt = now
      if (bucket.window === undefined || bucket.window.resetAt <= now) {
        bucket.window = name.startsWith("messages:") ? { hash: "", remaining: 5, resetAt: now + 5000 } : undefined
      }
      if (bucket.window !== undefined) bucket.window.remaining--
    },
    giveBack: (name, used, now) => {
      const bucket = bucketOf(name)
      bucket.busy = false
      underWay--
      if (used) answered.push(now)
      else {
        evenAt -= stepMs
        bucket.lastAt = bucket.before
        if (bucket.window !== undefined) bucket.window.remaining++
      }
      if (buckets.size <= keptBuckets) return
      for (const [old, { busy, pausedUntil, window }] of buckets) {
        if (!busy && pausedUntil <= now && (window === undefined || window.resetAt <= now)) buckets.delete(old)
      }
    },
    learn: (name, { hash, remaining, resetAfterMs }, now) => {
      const bucket = bucketOf(name)
      const resetAt = now + resetAfterMs + marginMs
      const { window } = bucket
      // Discord may count one of our buckets as two: the stricter limit then applies to both.
      const other = window !== undefined && window.hash !== "" && window.hash !== hash && window.resetAt > now
      if (other && window.remaining <= remaining) return
      bucket.window = { hash, remaining, resetAt }
    },
    pause: (what, forMs, now) => {
      if (what === "all") pausedUntil = Math.max(pausedUntil, now + forMs)
      else {
        const bucket = bucketOf(what.bucket)
        bucket.pausedUntil = Math.max(bucket.pausedUntil, now + forMs)
      }
    }
  }
}

interface Bucket {
  busy: boolean
  lastAt: number
  /** When the call before the last one was made. */
  before: number
  pausedUntil: number
  /** The remaining calls and their reset time. Unknown before the first response, except for messages: five in 5 s. */
  window: { hash: string; remaining: number; resetAt: number } | undefined
}

/** When the token, the bucket and patient calls have capacity. */
interface Room {
  readonly tokenAt: (now: number) => number
  readonly bucketAt: (name: string, patient: boolean, uneven: boolean, now: number) => number
  readonly patientAt: () => number
}

/** The request with the highest priority that may go now; within a priority the oldest. */
const best = <A extends SlotRequest>(requests: Iterable<A>, now: number, room: Room): SlotDecision<A> => {
  const soonest = room.tokenAt(now)
  const soonestPatient = Math.max(soonest, room.patientAt())
  let first: { readonly request: A; readonly order: number; readonly since: number } | undefined
  let until = Number.POSITIVE_INFINITY
  for (const request of requests) {
    const { priority, ripeAt = never, since, uneven = false } = request.rank
    const order = Math.max(0, orders[priority] - Math.floor((now - since) / agingMs))
    const patient = order >= orders.routine
    const could = Math.max(patient ? soonestPatient : soonest, room.bucketAt(request.bucket, patient, uneven, now))
    const longest = Math.max(ripeningMs, now - since - unhurriedMs)
    const at = patient && !uneven && ripeAt > could && ripeAt <= could + longest ? ripeAt : could
    if (at > now) {
      until = Math.min(until, at)
      continue
    }
    if (first === undefined || order < first.order || (order === first.order && since < first.since)) {
      first = { request, order, since }
    }
  }
  if (first !== undefined) return { _tag: "Go", request: first.request }
  return until === Number.POSITIVE_INFINITY ? { _tag: "Idle" } : { _tag: "Wait", until }
}

const never = Number.NEGATIVE_INFINITY

/** From `routine` on, calls are patient: evenly spaced, and without the last call of a window. */
const orders = { urgent: 0, first: 1, routine: 2, hint: 3 } as const

/** How long before a window's end its last call is granted, which is the longest wait for the end of an answer. */
const keptMs = 450

/** The longest wait for the time at which a call is worth more, while there is capacity. */
const ripeningMs = 400

/**
 * A call that waited longer than this is short of token capacity. It may wait about as long again: others go first, and
 * a saved call serves one of them.
 */
const unhurriedMs = 1000

/** Tolerance for rounded clocks and for responses that arrive out of order. */
const marginMs = 10

/** How many patient calls may follow each other directly after a pause. */
const burst = 5

/** After this wait a request gains one priority, so that none starves. */
const agingMs = 30_000

/** Above this number, buckets without valid limits are dropped. */
const keptBuckets = 2000
