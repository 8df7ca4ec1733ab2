import type * as SessionState from "@heddle/acp/SessionState"
import * as Effect from "effect/Effect"
import { endLineKey, type FileRef, isAgentOutput, isArtifactCard } from "../model/Post.ts"
import type { QueueSummary } from "../view/Queue.ts"
import type { ArtifactCard } from "../model/ArtifactCard.ts"
import type { CardLink, Conversation, End, Notice } from "../model/Conversation.ts"
import type { FileOffer } from "../model/FileOffer.ts"
import type { ShownText } from "../store/Turns.ts"
import type { PermissionRow } from "../store/PermissionRow.ts"
import * as Projection from "./session/Projection.ts"
import * as StepOutputs from "./session/StepOutputs.ts"
import type { Extent } from "./session/history/SessionHistory.ts"

/** What a turn shows at the moment. */
export interface Snapshot {
  readonly session: SessionState.SessionState | undefined
  /** Which pieces of the session belong to the turn. */
  readonly extent: Extent
  readonly permissions: ReadonlyArray<PermissionRow>
  readonly cards: ReadonlyArray<ArtifactCard>
  readonly cardLinks: ReadonlyArray<CardLink>
  readonly notice: Notice | undefined
  /** What tells that the agent is silent, or its status not known, until it says more; any other notice counts more. */
  readonly silence: Notice | undefined
  readonly end: End | undefined
  readonly offer: FileOffer | undefined
  /** The connection broke, and the service does not repeat what the agent said meanwhile. */
  readonly mayLackOutput: boolean
  /** A person asked to stop the turn. */
  readonly stopAsked: boolean
  /** How many requests are not shown yet, and how many were refused because too many were open. */
  readonly waitingRequests: number
  readonly refusedRequests: number
  /** The messages that wait for the end of the turn, in their order; undefined before they are read. */
  readonly waiting: QueueSummary | undefined
  readonly load: (file: FileRef) => Effect.Effect<Uint8Array | undefined>
}

/** The newest snapshot of a running turn: the turn writes it, and the outbox reads it before each post. */
export interface TurnState {
  readonly set: (part: Partial<Snapshot>) => void
  readonly get: () => Snapshot
  /** Calls the listener with what was set, after it was, until the returned function is called. */
  readonly onChange: (listener: (part: Partial<Snapshot>) => void) => () => void
  readonly conversation: () => Conversation
  /** Whether a post with this key that is not wanted is out of date, and not only not known yet. */
  readonly isOutdated: (key: string) => boolean
  readonly load: (file: FileRef) => Effect.Effect<Uint8Array | undefined>
}

/** Whether the agent said or asked something, or the turn ended. */
export const isSignOfLife = ({ end, permissions, session }: Partial<Snapshot>): boolean =>
  (session ?? permissions ?? end) !== undefined

/**
 * Whether a part has more of the agent than was known: words, steps, a plan, a request, or the end. An agent that only
 * reports how it tries its model again says nothing.
 */
export const hasSaidMore = (known: Snapshot["session"], { end, permissions, session }: Partial<Snapshot>): boolean =>
  (permissions ?? end) !== undefined ||
  (session !== undefined &&
    (known === undefined ||
      session.plan !== known.plan ||
      session.permissions !== known.permissions ||
      session.entries.length !== known.entries.length ||
      session.entries.some((entry, at) => entry !== known.entries[at])))

export const make = (turnId: string, prompt = "", lateOutput = false): TurnState => {
  const items = memoizedItems()
  const listeners = new Set<(part: Partial<Snapshot>) => void>()
  let snapshot: Snapshot = {
    session: undefined,
    extent: { skip: 0 },
    permissions: [],
    cards: [],
    cardLinks: [],
    notice: undefined,
    silence: undefined,
    end: undefined,
    offer: undefined,
    mayLackOutput: false,
    stopAsked: false,
    waitingRequests: 0,
    refusedRequests: 0,
    waiting: undefined,
    load: () => Effect.succeed(undefined)
  }
  return {
    set: (part) => {
      snapshot = { ...snapshot, ...(hasSaidMore(snapshot.session, part) ? { silence: undefined } : {}), ...part }
      for (const listener of listeners) listener(part)
    },
    get: () => snapshot,
    onChange: (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    conversation: () => {
      const notice = snapshot.notice ?? snapshot.silence
      return {
        turnId,
        prompt,
        lateOutput,
        items: items(snapshot),
        cards: snapshot.cards,
        cardLinks: snapshot.cardLinks,
        mayLackOutput: snapshot.mayLackOutput,
        stopped: snapshot.stopAsked,
        waitingRequests: snapshot.waitingRequests,
        refusedRequests: snapshot.refusedRequests,
        ...(notice === undefined ? {} : { notice }),
        ...(snapshot.end === undefined ? {} : { end: snapshot.end, hasOutputs: hasOutputs(snapshot) }),
        ...(snapshot.offer === undefined ? {} : { offer: snapshot.offer })
      }
    },
    // After a restart everything is read again: until then what was shown stays. Cards always stay.
    isOutdated: (key) => {
      if (isArtifactCard(key)) return false
      if (key === "queue") return snapshot.waiting !== undefined || snapshot.end !== undefined
      if (key === "notice") return true
      if (key === "refused" || key === "offer" || key === "gap" || key === endLineKey) return false
      // What was shown stays, also when the session no longer has it.
      const { idPrefix, posted } = snapshot.extent
      if (idPrefix !== undefined && isAgentOutput(key) && posted?.has(key) === true) return false
      return (
        snapshot.session !== undefined && ((key !== "end" && !/^answer(:|$)/.test(key)) || snapshot.end !== undefined)
      )
    },
    load: (file) => snapshot.load(file)
  }
}

const hasOutputs = ({ extent, session }: Snapshot): boolean =>
  session !== undefined &&
  StepOutputs.countIn(Projection.entriesOfTurn(session, extent)) > outputsBefore(extent.alreadyShown)

/** How many outputs the turn before a turn of late output has; those of an earlier version of the bot had them all. */
const outputsBefore = (shown: ShownText | undefined): number => (shown === undefined ? 0 : (shown.outputs ?? Infinity))

/** Makes the items of a snapshot, once for each session, extent and permissions. */
const memoizedItems = () => {
  const nonBlankIds = new Set<string>()
  let cached:
    | (Pick<Snapshot, "extent" | "permissions" | "session"> & { readonly items: Conversation["items"] })
    | undefined
  return ({ extent, permissions, session }: Snapshot): Conversation["items"] => {
    // Answered requests need no session: they are shown at once after a restart.
    if (session === undefined) return Projection.closedRequests(permissions)
    if (cached?.session !== session || cached.permissions !== permissions || cached.extent !== extent) {
      cached = { session, permissions, extent, items: Projection.items(session, extent, permissions, nonBlankIds) }
    }
    return cached.items
  }
}
