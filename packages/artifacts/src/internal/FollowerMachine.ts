import type * as AcpSession from "@heddle/acp/AcpSession"
import type { ArtifactEntry } from "../ArtifactEntry.ts"
import * as ArtifactIndex from "../ArtifactIndex.ts"
import * as ArtifactNotification from "../ArtifactNotification.ts"

/** The state of a follower: its index, and the work that is due or in progress. */
export interface State {
  readonly index: ArtifactIndex.ArtifactIndex
  /** The index is published: after the first list, or from the beginning. */
  readonly isPublished: boolean
  /** The whole list has to be read, because pushes may have been missed. */
  readonly needsLoad: boolean
  /** The time of the oldest incomplete push in epoch milliseconds, until a list is requested. */
  readonly incompleteSince: number | undefined
  /** The session has ended. */
  readonly isEnding: boolean
  /** The end was announced. */
  readonly hasEnded: boolean
  /** The running job; at most one at a time. */
  readonly job: Job | undefined
}

type Job = "Load" | "Refresh"

/** What happens to a follower. */
export type Event =
  | { readonly _tag: "Received"; readonly event: AcpSession.SessionEvent }
  | { readonly _tag: "SourceEnded" }
  /** A list was requested: the whole one, or since the time of the oldest incomplete push. */
  | { readonly _tag: "ListRequested"; readonly complete: boolean }
  | {
      readonly _tag: "Listed"
      readonly list: ReadonlyArray<ArtifactEntry>
      /** The revision of the index at the request. */
      readonly asOf: number
      readonly complete: boolean
    }
  | { readonly _tag: "JobDone" }

/** What the follower does after an event. */
type Command =
  | { readonly _tag: "Publish"; readonly index: ArtifactIndex.ArtifactIndex }
  | { readonly _tag: "Start"; readonly job: Job }
  | { readonly _tag: "End" }

type Step = readonly [state: State, commands: ReadonlyArray<Command>]

/** A follower that has to load its list; with `partial` the index is published from the beginning. */
export const initial = (partial: boolean): State => ({
  index: ArtifactIndex.empty,
  isPublished: partial,
  needsLoad: true,
  incompleteSince: undefined,
  isEnding: false,
  hasEnded: false,
  job: undefined
})

/** Applies an event to a follower of a session. Pure. */
export const step = (state: State, event: Event, sessionId: string | undefined): Step => {
  switch (event._tag) {
    case "Received":
      return receive(state, event.event, sessionId)
    case "SourceEnded":
      return startNext({ ...state, isEnding: true })
    case "ListRequested":
      return [{ ...state, incompleteSince: undefined, ...(event.complete ? { needsLoad: false } : {}) }, []]
    case "Listed":
      return update(
        { ...state, isPublished: state.isPublished || event.complete },
        ArtifactIndex.load(state.index, event.list, { asOf: event.asOf, complete: event.complete })
      )
    case "JobDone":
      return startNext({ ...state, job: undefined })
  }
}

/** Starts the most urgent job if none is running; ends the follower when its session is over and no job is due. */
export const startNext = (state: State): Step => {
  if (state.job !== undefined || state.hasEnded) return [state, []]
  const job = nextJob(state)
  if (job !== undefined) return [{ ...state, job }, [{ _tag: "Start", job }]]
  return state.isEnding ? [{ ...state, hasEnded: true }, [{ _tag: "End" }]] : [state, []]
}

const nextJob = ({ incompleteSince, needsLoad }: State): Job | undefined => {
  if (needsLoad) return "Load"
  return incompleteSince === undefined ? undefined : "Refresh"
}

const receive = (state: State, event: AcpSession.SessionEvent, sessionId: string | undefined): Step => {
  switch (event._tag) {
    case "Extension": {
      if (event.name !== "artifact") return [state, []]
      const entry = ArtifactNotification.fromParams(event.params)
      if (entry === undefined) return startNext({ ...state, needsLoad: true })
      return isOtherSession(entry, sessionId) ? [state, []] : push(state, entry)
    }
    case "Ready":
    case "EventsDropped":
    case "Skipped":
      return startNext({ ...state, needsLoad: true })
    default:
      return [state, []]
  }
}

const push = (state: State, entry: ArtifactEntry): Step => {
  const index = ArtifactIndex.push(state.index, entry)
  const stored = index.known !== state.index.known ? ArtifactIndex.get(index, entry.artifact.uri) : undefined
  const [pushed, published] = update(state, index)
  if (stored === undefined || !isIncomplete(stored)) return [pushed, published]
  const since = updateTimeOf(stored)
  const [started, commands] = startNext({ ...pushed, incompleteSince: Math.min(state.incompleteSince ?? since, since) })
  return [started, [...published, ...commands]]
}

const update = (state: State, index: ArtifactIndex.ArtifactIndex): Step => {
  const isChanged = index.known !== state.index.known || index.complete !== state.index.complete
  const publishes = isChanged && state.isPublished
  return [{ ...state, index }, publishes ? [{ _tag: "Publish", index }] : []]
}

/** Tells whether a list may know more of an artifact. */
const isIncomplete = ({ artifact, md5, url }: ArtifactEntry): boolean =>
  md5 === undefined || (artifact.type === "media" && url === undefined)

const updateTimeOf = ({ artifact: { updatedAt } }: ArtifactEntry): number =>
  updatedAt !== undefined && Number.isSafeInteger(updatedAt) ? Math.max(0, updatedAt) : 0

const isOtherSession = (entry: ArtifactEntry, sessionId: string | undefined): boolean =>
  entry.sessionId !== undefined && sessionId !== undefined && entry.sessionId !== sessionId
