import type * as Deferred from "effect/Deferred"
import type * as Effect from "effect/Effect"
import type * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"
import type { Mover } from "../concurrency/Watchdog.ts"
import type { Messages } from "../messages/Messages.ts"
import type { Heard } from "./LateOutput.ts"
import type { Entry } from "../store/Inbox.ts"
import type { Thread } from "../store/Threads.ts"
import type { TurnRow } from "../store/Turns.ts"
import type { TurnState } from "./TurnState.ts"

/** What is asked of a turn while it runs. */
export type Control = "Stop" | "Answered"

/** One turn with everything that an attempt at it needs. */
export interface OpenTurn {
  readonly entry: Entry
  readonly thread: Thread
  /** In the language of the server. */
  readonly messages: Messages
  readonly turn: TurnRow
  readonly state: TurnState
  /** The largest file that Discord takes in this server, in bytes. */
  readonly uploadLimit: number
  readonly control: Queue.Dequeue<Control>
  /** Tells that the agent has ended the turn: from now on a stop of the bot waits until its end is shown. */
  readonly answered: Effect.Effect<void>
  /** Done when the agent was told to stop, and had its time to do so. */
  readonly stopped: Deferred.Deferred<void>
  /** Where the channel stays open after the turn. */
  readonly after: Scope.Scope
  /** Waits until the channel of the turn before is closed. */
  readonly closed: Effect.Effect<void>
  /** Is told what was heard in the end. */
  readonly heard: (heard: Omit<Heard, "shown">) => void
  /** Due while there is no channel to the agent, from when the service was last heard of. */
  readonly reaching: Mover
}

/** The agent may have what the turn is to say to it. */
export const mayHave = ({ first }: Entry, { prompted }: TurnRow): boolean => first || prompted
