/**
 * The priority of a request. `urgent`: permission requests and the end of an answer. `first`: an answer's first words.
 * `missed`: reading what was written while the bot was away. `routine`: an answer's growth. `hint`: signs such as
 * typing.
 */
export type Priority = "urgent" | "first" | "missed" | "routine" | "hint"

/** The rank of a request for a slot. */
export interface Rank {
  readonly priority: Priority
  /** Since when the slot is wanted, in milliseconds; within a priority the oldest goes first. */
  readonly since: number
  /** The call is worth more now, so it may skip the even spacing of its bucket. */
  readonly skipsSpacing?: boolean
  /** When the call will be worth more; it waits for that time if it is near. */
  readonly worthMoreAt?: number
  /** The answer is young, so its end may be near: the last call of its bucket's window is kept longer. */
  readonly isYoung?: boolean
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
  readonly release: (bucket: string, used: boolean, now: number) => void
  readonly learn: (bucket: string, state: BucketState, now: number) => void
  /** Discord answered 429: everything, or only the bucket, rests. */
  readonly pause: (what: "all" | { readonly bucket: string }, forMs: number, now: number) => void
}

export const make = ({ gapMs, perSecond }: RateLimits): RateBudget => {
  const token = makeToken(perSecond)
  const buckets = makeBuckets(gapMs)
  return {
    next: (requests, now) =>
      selectRequest(requests, now, {
        tokenAt: token.readyAt,
        bucketAt: buckets.readyAt,
        patientAt: token.patientAt
      }),
    take: (bucket, now) => {
      token.take(now)
      buckets.take(bucket, now)
    },
    release: (bucket, used, now) => {
      token.release(used, now)
      buckets.release(bucket, used, now)
    },
    learn: buckets.learn,
    pause: (what, forMs, now) => (what === "all" ? token.pause(now + forMs) : buckets.pause(what.bucket, now + forMs))
  }
}

/** Counts the calls of the token, in all buckets. */
const makeToken = (perSecond: number) => {
  const stepMs = 1000 / perSecond
  /**
   * The response times of the last second's calls, oldest first. Discord counts a call before its response. Together
   * with the calls in flight, these are therefore at least as many as Discord counts in any second.
   */
  const responseTimes: Array<number> = []
  const maxPerSecond = Math.ceil(perSecond * (16 / 15))
  let inFlight = 0
  let pausedUntil = never
  /** The time until which evenly spaced routine calls are used up. */
  let evenlyUsedUntil = never
  return {
    readyAt: (now: number): number => {
      while (responseTimes[0] !== undefined && responseTimes[0] <= now - 1000) responseTimes.shift()
      if (inFlight >= maxPerSecond) return Number.POSITIVE_INFINITY
      const blocking = responseTimes[responseTimes.length + inFlight - maxPerSecond]
      return Math.max(pausedUntil, blocking === undefined ? never : blocking + 1000)
    },
    patientAt: (): number => evenlyUsedUntil - maxBurst * stepMs,
    take: (now: number) => {
      inFlight++
      evenlyUsedUntil = Math.min(Math.max(evenlyUsedUntil, now) + stepMs, now + 1000)
    },
    release: (used: boolean, now: number) => {
      inFlight--
      if (used) responseTimes.push(now)
      else evenlyUsedUntil -= stepMs
    },
    pause: (until: number) => {
      pausedUntil = Math.max(pausedUntil, until)
    }
  }
}

/** Counts the calls of each bucket. */
const makeBuckets = (gapMs: number) => {
  const buckets = new Map<string, Bucket>()

  const bucketOf = (name: string): Bucket => {
    const existing = buckets.get(name)
    if (existing !== undefined) return existing
    const created: Bucket = {
      isInUse: false,
      lastCallAt: never,
      previousCallAt: never,
      pausedUntil: never,
      window: undefined
    }
    buckets.set(name, created)
    return created
  }

  /** Drops the buckets that limit nothing any more, once there are many. */
  const forgetUnused = (now: number) => {
    if (buckets.size <= maxBuckets) return
    for (const [name, { isInUse, pausedUntil, window }] of buckets) {
      if (!isInUse && pausedUntil <= now && (window === undefined || window.resetAt <= now)) buckets.delete(name)
    }
  }

  return {
    readyAt: (name: string, { isYoung = false, skipsSpacing = false }: Rank, patient: boolean, now: number): number => {
      const bucket = buckets.get(name)
      if (bucket === undefined) return never
      if (bucket.isInUse) return Number.POSITIVE_INFINITY
      const { lastCallAt, window } = bucket
      const earliest = patient && !skipsSpacing ? Math.max(bucket.pausedUntil, lastCallAt + gapMs) : bucket.pausedUntil
      if (window === undefined || window.resetAt <= now) return earliest
      if (window.remaining <= 0) return Math.max(earliest, window.resetAt)
      if (!patient || (skipsSpacing && window.remaining > 1)) return earliest
      // Spread the remaining calls evenly. The last call comes late enough that the end of an answer never waits long.
      const lastAt = window.resetAt - (isYoung ? maxEndWaitMs.young : maxEndWaitMs.old)
      return Math.max(earliest, lastCallAt + (lastAt - lastCallAt) / window.remaining)
    },
    take: (name: string, now: number) => {
      const bucket = bucketOf(name)
      bucket.isInUse = true
      bucket.previousCallAt = bucket.lastCallAt
      bucket.lastCallAt = now
      if (bucket.window === undefined || bucket.window.resetAt <= now) {
        bucket.window = name.startsWith("messages:") ? { hash: "", remaining: 5, resetAt: now + 5000 } : undefined
      }
      if (bucket.window !== undefined) bucket.window.remaining--
    },
    release: (name: string, used: boolean, now: number) => {
      const bucket = bucketOf(name)
      bucket.isInUse = false
      if (!used) {
        bucket.lastCallAt = bucket.previousCallAt
        if (bucket.window !== undefined) bucket.window.remaining++
      }
      forgetUnused(now)
    },
    learn: (name: string, { hash, remaining, resetAfterMs }: BucketState, now: number) => {
      const bucket = bucketOf(name)
      const resetAt = now + resetAfterMs + marginMs
      const { window } = bucket
      // Discord may count one of our buckets as two: the stricter limit then applies to both.
      const isOtherBucket = window !== undefined && window.hash !== "" && window.hash !== hash && window.resetAt > now
      if (isOtherBucket && window.remaining <= remaining) return
      bucket.window = { hash, remaining, resetAt }
    },
    pause: (name: string, until: number) => {
      const bucket = bucketOf(name)
      bucket.pausedUntil = Math.max(bucket.pausedUntil, until)
    }
  }
}

interface Bucket {
  isInUse: boolean
  lastCallAt: number
  /** When the call before the last one was made. */
  previousCallAt: number
  pausedUntil: number
  /** The remaining calls and their reset time. Unknown before the first response, except for messages: five in 5 s. */
  window: { hash: string; remaining: number; resetAt: number } | undefined
}

/** When the token, the bucket and patient calls have capacity. */
interface Capacity {
  readonly tokenAt: (now: number) => number
  readonly bucketAt: (name: string, rank: Rank, patient: boolean, now: number) => number
  readonly patientAt: () => number
}

/** The request with the highest priority that may go now; within a priority the oldest. */
const selectRequest = <A extends SlotRequest>(
  requests: Iterable<A>,
  now: number,
  capacity: Capacity
): SlotDecision<A> => {
  const tokenReadyAt = capacity.tokenAt(now)
  const patientReadyAt = Math.max(tokenReadyAt, capacity.patientAt())
  let selected: { readonly request: A; readonly order: number; readonly since: number } | undefined
  let until = Number.POSITIVE_INFINITY
  for (const request of requests) {
    const { priority, worthMoreAt = never, since, skipsSpacing = false } = request.rank
    const order = Math.max(0, orders[priority] - Math.floor((now - since) / agingMs))
    const patient = order >= orders.routine
    const possibleAt = Math.max(
      patient ? patientReadyAt : tokenReadyAt,
      capacity.bucketAt(request.bucket, request.rank, patient, now)
    )
    const maxRipeningMs = Math.max(minRipeningMs, now - since - patienceMs)
    const at =
      patient && !skipsSpacing && worthMoreAt > possibleAt && worthMoreAt <= possibleAt + maxRipeningMs
        ? worthMoreAt
        : possibleAt
    if (at > now) {
      until = Math.min(until, at)
      continue
    }
    if (selected === undefined || order < selected.order || (order === selected.order && since < selected.since)) {
      selected = { request, order, since }
    }
  }
  if (selected !== undefined) return { _tag: "Go", request: selected.request }
  return until === Number.POSITIVE_INFINITY ? { _tag: "Idle" } : { _tag: "Wait", until }
}

const never = Number.NEGATIVE_INFINITY

/**
 * From `routine` on, calls are patient: evenly spaced, and without the last call of a window. A waiting call rises by
 * one per `agingMs`. `missed` stands between two whole numbers, so others need no more time to rise past it.
 */
const orders = { urgent: 0, first: 1, missed: 1.5, routine: 2, hint: 3 } as const

/**
 * How long before a window's end its last call is granted, which is the longest wait for the end of an answer. Most
 * answers end young; one that goes on shows its text more evenly.
 */
const maxEndWaitMs = { young: 340, old: 490 } as const

/** The longest wait for the time at which a call is worth more, while there is capacity. */
const minRipeningMs = 400

/**
 * A call that waited longer than this is short of token capacity. It may wait about as long again: others go first, and
 * a saved call serves one of them.
 */
const patienceMs = 1000

/** Tolerance for rounded clocks and for responses that arrive out of order. */
const marginMs = 10

/** How many patient calls may follow each other directly after a pause. */
const maxBurst = 5

/** After this wait a request gains one priority, so that none starves. */
const agingMs = 30_000

/** Above this number, buckets without valid limits are dropped. */
const maxBuckets = 2000
