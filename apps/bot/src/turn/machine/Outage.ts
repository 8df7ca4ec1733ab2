import type { AttemptTimes } from "./Event.ts"
import type { State } from "./State.ts"

/** How long a turn keeps trying while the service is away. */
export const retryWindowMs = 15 * 60_000

/**
 * How long a session must be open to end an outage. One call may take two minutes to fail, and this is longer.
 * So a service that accepts the session and then fails or hangs does not begin a new outage each time.
 */
const recoveryMs = 3 * 60_000

/** How long the service has been away when an attempt fails, in milliseconds. */
export const awayMs = (state: State, times: AttemptTimes): number => times.failedAt - outageStart(state, times)

/** When the outage began in which an attempt fails: an attempt with a session saw the service work until it failed. */
export const outageStart = ({ unavailableSince }: State, times: AttemptTimes): number =>
  hasRecovered(times)
    ? workedUntil(times)
    : (unavailableSince ?? (times.openedAt === undefined ? times.beganAt : workedUntil(times)))

/** Whether the session of an attempt was open long enough to end the outage before it. */
export const hasRecovered = (times: AttemptTimes): boolean =>
  times.openedAt !== undefined && workedUntil(times) - times.openedAt >= recoveryMs

/** A read may be refused for the whole retry window before the attempt fails. */
const workedUntil = ({ failedAt, refusedSince = failedAt }: AttemptTimes): number => refusedSince
