import type * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"
import type { WatchedWork } from "../concurrency/Watchdog.ts"
import type { Messages } from "../messages/Messages.ts"
import type { InboxEntry } from "../store/Inbox.ts"
import type { Thread } from "../store/Threads.ts"
import { type TurnRow, Turns } from "../store/Turns.ts"
import type { Event } from "./machine/Event.ts"
import type { ThreadShut } from "../outbox/Outbox.ts"
import type { ThreadChannel } from "./session/ThreadChannel.ts"
import type { TurnState } from "./TurnState.ts"

/** A turn that runs, with what its parts have in common. */
export interface OpenTurn {
  readonly entry: InboxEntry
  readonly thread: Thread
  /** In the language of the server. */
  readonly messages: Messages
  /** The row of the turn as it was when this process took it up. */
  readonly row: TurnRow
  readonly state: TurnState
  /** For how long the channel has been silent, in milliseconds; see `ChannelSilence`. */
  readonly silentMs: () => number
  /** The largest file that Discord takes in this server, in bytes. */
  readonly uploadLimit: number
  readonly events: Queue.Queue<Signal>
  /** Lasts as long as the owner of the thread. */
  readonly ownerScope: Scope.Scope
  /** Due while there is no channel to the agent, from when the service last responded. */
  readonly channelWatch: WatchedWork
  readonly threadChannel: ThreadChannel
  /** The message waited for another turn: its author may have left the server since. */
  readonly wasQueued: boolean
}

/** What reaches a turn while it runs. */
export type Signal =
  | Event
  /** Something failed that no attempt can mend. */
  | { readonly _tag: "Crashed"; readonly cause: Cause.Cause<never> }
  /** Other messages wait, one of them changed, or the server has chosen another language. */
  | { readonly _tag: "QueueChanged" }
  /** The bot shuts down. */
  | { readonly _tag: "Draining" }

/** How a turn is reached from outside while it runs. */
export interface Signals {
  readonly events: Queue.Queue<Signal>
  /** Fails when nothing can be posted any more. */
  readonly threadShut: Deferred.Deferred<never, ThreadShut>
}

/** Ends a running turn in whose thread nothing can be posted any more. */
export const shut = ({ events, threadShut }: Signals, reason: ThreadShut): void => {
  Deferred.unsafeDone(threadShut, Effect.fail(reason))
  events.unsafeOffer({ _tag: "ThreadClosed", isRowClosed: reason.isRowClosed })
}

/** Whether the agent may have the prompt of a turn: the service has a first prompt from the start. */
export const mayHavePrompt = ({ first }: InboxEntry, { prompted }: TurnRow): boolean => first || prompted

/** The current row of a turn. */
export const rowOf = ({ entry, row, thread }: OpenTurn) =>
  Effect.flatMap(Turns, (turns) => turns.begin(entry.eventId, thread.threadId, row.startedAt))
