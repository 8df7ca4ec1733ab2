import { isNewer } from "../discord/Snowflake.ts"
import type { InboxEntry } from "./Inbox.ts"

/** The target of a request to stop. */
export type StopTarget =
  | { readonly _tag: "Stopping"; readonly turnId: string }
  /** The turn has ended and is being posted. */
  | { readonly _tag: "Posting"; readonly turnId: string }
  /** The turn has ended, and the agent produces late output. */
  | { readonly _tag: "Late"; readonly turnId: string }
  /** No turn ran, and the next message will not reach the agent. */
  | { readonly _tag: "Next"; readonly turnId: string }
  /** The turn of that time is over. */
  | { readonly _tag: "Over" }
  | { readonly _tag: "Idle" }

/** A message of the thread, or late output, with its turn as it is now. */
export interface StopCandidate extends Pick<InboxEntry, "eventId" | "first" | "kind" | "state"> {
  /** The prompt may have been sent. */
  readonly prompted: boolean
  readonly stopAsked: boolean
  /** The turn has ended; its end may not be posted yet. */
  readonly ended: boolean
  /** The message that posts the end, or the id of the time at which the end was shown. */
  readonly endPostId: string | undefined
}

/** The thread of a request to stop. */
export interface StopContext {
  /** In the order in which the agent gets them. */
  readonly candidates: ReadonlyArray<StopCandidate>
  /** The ids of the thread's requests to stop. */
  readonly requests: ReadonlyArray<string>
}

/**
 * A message waits until the agent has it; then its turn runs until its end is posted. "Stop" means the turn that ran when
 * the person wrote, unless its stop was requested before. Otherwise it means the first message that waited and is newer
 * than the last request, or only repeats that request.
 */
export const stopTarget = ({ candidates, requests }: StopContext, requestId: string): StopTarget => {
  const current = candidates.filter((one) => isNewer(requestId, one.eventId) && !isOverBy(requestId, one))
  // The agent gets one message after the other: only the front one can have run, the others waited.
  const [front] = current
  const ran = front !== undefined && !waits(front) ? front : undefined
  const waited = ran === undefined ? current : current.slice(1)
  const isSinceLastRequest = ({ eventId }: StopCandidate) =>
    !requests.some((earlier) => isNewer(earlier, eventId) && isNewer(requestId, earlier))
  const meant =
    ran?.stopAsked === false
      ? ran
      : (waited.find(isSinceLastRequest) ?? current.find((one) => one.stopAsked && isUnhandled(one)))
  if (meant !== undefined && isUnhandled(meant)) return { _tag: tagOf(meant), turnId: meant.eventId }
  return { _tag: current.every(({ state }) => state === "queued") ? "Idle" : "Over" }
}

/** Whether people saw the turn as over before they wrote the request. */
const isOverBy = (requestId: string, one: StopCandidate): boolean =>
  one.endPostId === undefined ? !isUnhandled(one) : !isNewer(one.endPostId, requestId)

const isUnhandled = ({ state }: StopCandidate): boolean => state === "queued" || state === "running"

/** The service has the first message of a task from the start. */
const waits = ({ ended, first, kind, prompted }: StopCandidate): boolean =>
  kind === "message" && !first && !prompted && !ended

const tagOf = ({ ended, first, kind, state }: StopCandidate) => {
  if (ended) return "Posting"
  if (kind === "late_output") return "Late"
  return state === "queued" && !first ? "Next" : "Stopping"
}
