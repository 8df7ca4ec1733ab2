/**
 * What goes first: `urgent` for permission requests and the end of an answer, `first` for the first words of an answer,
 * `routine` for its growth, `hint` for signs such as typing.
 */
export type Priority = "urgent" | "first" | "routine" | "hint"

/** How much a request wants a slot now. */
export interface Rank {
  readonly priority: Priority
  /** Since when it is wanted, in milliseconds: of the same priority the oldest goes first. */
  readonly since: number
  /** It gains by coming now: it need not keep an even distance to the calls before and after it. */
  readonly uneven?: boolean
  /** When it will gain by coming: if that is soon after it could come, it waits. */
  readonly ripeAt?: number
}

/** A request for a slot. Its owner may replace the rank while it waits. */
export interface SlotRequest {
  /** The calls that share a limit, such as `messages:<channel id>`. */
  readonly bucket: string
  readonly rank: Rank
}

/** What an answer of Discord tells about the bucket of its call. */
export interface BucketState {
  /** Discord's own name of the bucket. */
  readonly hash: string
  readonly remaining: number
  readonly resetAfterMs: number
}

export interface RateLimits {
  /** How many patient calls a second the token takes in the long run; others may go beyond it by a fifteenth. */
  readonly perSecond: number
  /** The least time between routine calls of one bucket, in milliseconds. */
  readonly gapMs: number
}

/** The request whose slot has come, or the earliest time at which a slot can come. */
export type Decision<A> =
  | { readonly _tag: "Go"; readonly request: A }
  | { readonly _tag: "Wait"; readonly until: number }
  /** Nothing can go before an answer comes or another request is made. */
  | { readonly _tag: "Idle" }

/** Knows how many calls are left in each bucket, and decides which request is next. The caller gives every time. */
export interface RateBudget {
  readonly next: <A extends SlotRequest>(requests: Iterable<A>, now: number) => Decision<A>
  /** Counts a call; its bucket has no other slot until this one is given back. */
  readonly take: (bucket: string, now: number) => void
  /** The slot is over; an unused one was no call. */
  readonly giveBack: (bucket: string, used: boolean, now: number) => void
  readonly learn: (bucket: string, state: BucketState, now: number) => void
  /** Discord refused a call: everything, or the bucket alone, rests. */
  readonly pause: (what: "all" | { readonly bucket: string }, forMs: number, now: number) => void
}

export const make = ({ gapMs, perSecond }: RateLimits): RateBudget => {
  const buckets = new Map<string, Bucket>()
  const stepMs = 1000 / perSecond
  /**
   * When the calls of the last second were answered, oldest first. Discord counts a call at some moment before its
   * answer, so with those under way these are at least as many as it can count in any second, whatever was late.
   */
  const answered: Array<number> = []
  const most = Math.ceil(perSecond * (16 / 15))
  let underWay = 0
  let pausedUntil = never
  /** When routine calls would be even, had they never been faster than allowed. */
  let evenAt = never

  const bucketOf = (name: string): Bucket => {
    const found = buckets.get(name)
    if (found !== undefined) return found
    const made: Bucket = { busy: false, lastAt: never, before: never, pausedUntil: never, window: undefined }
    buckets.set(name, made)
    return made
  }

  /** When the token has a call left. */
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
    // What is left is spread evenly, and the last call comes so late that the end of an answer need not wait for long.
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
      // Discord may count what we take for one bucket in two: then the tighter one holds for both.
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
  /** Calls that are left until a time; unknown before the first answer, except for messages, of which five go in 5 s. */
  window: { hash: string; remaining: number; resetAt: number } | undefined
}

/** When the token, one of its buckets, and patient calls have room. */
interface Room {
  readonly tokenAt: (now: number) => number
  readonly bucketAt: (name: string, patient: boolean, uneven: boolean, now: number) => number
  readonly patientAt: () => number
}

/** The request of the highest priority that can go now; of the same priority the oldest. */
const best = <A extends SlotRequest>(requests: Iterable<A>, now: number, room: Room): Decision<A> => {
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

/** From routine on, calls are patient: they leave room for others, by even distances and the last call of a window. */
const orders = { urgent: 0, first: 1, routine: 2, hint: 3 } as const

/** How long before the end of a window its last call is let go: so long the end of an answer waits at most. */
const keptMs = 450

/** How long a call waits at most for the time at which it gains more, when there is room for it. */
const ripeningMs = 400

/**
 * What has waited longer than this does so because the token has no room, and may wait about as long again: others go
 * first then, and a call that is saved is one for them.
 */
const unhurriedMs = 1000

/** Clocks round, and an answer may overtake another on the way. */
const marginMs = 10

/** How many patient calls may follow each other at once when there was a pause. */
const burst = 5

/** What waits so long counts as of the next higher priority, so that nothing waits for ever. */
const agingMs = 30_000

/** Buckets beyond this number are forgotten when nothing is known of them that still holds. */
const keptBuckets = 2000
