/**
 * What a process knows of a lease that it waits for. Times are milliseconds of the monotonic clock.
 */
export interface LeaseWatch {
  readonly leaseNumber: number
  /** Since when that number has stayed the same while the store was there. */
  readonly since: number
  /** How long to wait before the next look. */
  readonly wait: number
}

/** What happens to a watched lease: it was read, or the store refused a request for it. */
export type LeaseEvent =
  | { readonly _tag: "Read"; readonly leaseNumber: number; readonly now: number }
  | { readonly _tag: "Refused"; readonly askedAt: number; readonly now: number }

export const begin = (leaseNumber: number, now: number): LeaseWatch => ({ leaseNumber, since: now, wait: 0 })

export const step = (watch: LeaseWatch, event: LeaseEvent): LeaseWatch => {
  switch (event._tag) {
    case "Read":
      return event.leaseNumber === watch.leaseNumber
        ? watch
        : { ...watch, leaseNumber: event.leaseNumber, since: event.now }
    case "Refused": {
      const wait = Math.min(Math.max(watch.wait * 1.5, minWaitMs), maxWaitMs)
      // While the store was away, the owner could not extend its lease either.
      return event.now - event.askedAt > storeAway ? { ...watch, since: event.now, wait } : { ...watch, wait }
    }
  }
}

/** The lease that may be taken over, because it was not extended for its whole time. */
export const abandoned = (watch: LeaseWatch, now: number): number | undefined =>
  now - watch.since >= leaseTime ? watch.leaseNumber : undefined

/**
 * How long a lease lives, in milliseconds. A crashed owner delays others for this time; a running one extends it.
 * No time of day decides: a lease counts as abandoned when it was not extended for this time, by the monotonic clock of
 * the waiting process.
 */
export const leaseTime = 10_000

const minWaitMs = 40
const maxWaitMs = 500
const storeAway = 1000
