import type * as SessionState from "@heddle/acp/SessionState"
import * as Effect from "effect/Effect"
import { type FileRef, isCard } from "../model/Post.ts"
import type { Line } from "../view/Queue.ts"
import type { Card } from "../model/ArtifactCard.ts"
import type { Above, Conversation, End, Notice } from "../model/Conversation.ts"
import type { PermissionRow } from "../store/PermissionRow.ts"
import * as Projection from "./Projection.ts"

/** What is known of a turn at the moment. */
export interface Known {
  readonly session: SessionState.SessionState | undefined
  /** Which pieces of the session belong to the turn. */
  readonly extent: Projection.Extent
  readonly permissions: ReadonlyArray<PermissionRow>
  readonly cards: ReadonlyArray<Card>
  readonly above: ReadonlyArray<Above>
  readonly notice: Notice | undefined
  readonly end: End | undefined
  /** The person asked to stop the turn. */
  readonly stopAsked: boolean
  /** How many requests wait for others to be answered, and how many were refused because too many were open. */
  readonly held: number
  readonly refused: number
  /** The messages that wait for the end of the turn, in their order; undefined before they were looked up. */
  readonly waiting: Line | undefined
  readonly load: (file: FileRef) => Effect.Effect<Uint8Array | undefined>
}

/** The newest knowledge of a running turn, written by the turn and read whenever the thread is brought up to date. */
export interface TurnState {
  readonly set: (known: Partial<Known>) => void
  readonly get: () => Known
  /** Calls the listener with what was set, after it was. */
  readonly onChange: (listener: (part: Partial<Known>) => void) => void
  readonly conversation: () => Conversation
  /** Whether a post with this key that is not wanted is out of date, and not only unknown as yet. */
  readonly goes: (key: string) => boolean
  readonly load: (file: FileRef) => Effect.Effect<Uint8Array | undefined>
}

export const make = (turnId: string, prompt = "", afterword = false): TurnState => {
  const items = looked()
  let changed: (part: Partial<Known>) => void = () => {}
  let known: Known = {
    session: undefined,
    extent: { skip: 0 },
    permissions: [],
    cards: [],
    above: [],
    notice: undefined,
    end: undefined,
    stopAsked: false,
    held: 0,
    refused: 0,
    waiting: undefined,
    load: () => Effect.succeed(undefined)
  }
  return {
    set: (part) => {
      known = { ...known, ...part }
      changed(part)
    },
    get: () => known,
    onChange: (listener) => {
      changed = listener
    },
    conversation: () => ({
      turnId,
      prompt,
      afterword,
      items: items(known),
      cards: known.cards,
      above: known.above,
      stopped: known.stopAsked,
      held: known.held,
      refused: known.refused,
      ...(known.notice === undefined ? {} : { notice: known.notice }),
      ...(known.end === undefined ? {} : { end: known.end })
    }),
    // After a restart all is learned again: until then what was shown stays. Cards always stay.
    goes: (key) => {
      if (isCard(key)) return false
      if (key === "queue") return known.waiting !== undefined || known.end !== undefined
      if (key === "notice") return true
      if (key === "refused") return false
      return known.session !== undefined && ((key !== "end" && !/^answer(:|$)/.test(key)) || known.end !== undefined)
    },
    load: (file) => known.load(file)
  }
}

/** The items of what is known; they are made once as long as it is the same. */
const looked = () => {
  const spoken = new Set<string>()
  let last: (Pick<Known, "extent" | "permissions" | "session"> & { readonly items: Conversation["items"] }) | undefined
  return ({ extent, permissions, session }: Known): Conversation["items"] => {
    // Nobody is to answer what is settled, also where nothing is known of the session since a restart.
    if (session === undefined) return Projection.settled(permissions)
    if (last?.session !== session || last.permissions !== permissions || last.extent !== extent) {
      last = { session, permissions, extent, items: Projection.items(session, extent, permissions, spoken) }
    }
    return last.items
  }
}
