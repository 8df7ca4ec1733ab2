import type * as Exit from "effect/Exit"
import type { AcpError, ConnectionLost, Detached, TransportError, UnsupportedContent } from "../../AcpError.ts"
import type { RpcError } from "../../JsonRpc.ts"
import type * as Wire from "../../schema/generated/AcpSchema.ts"
import type { TurnEnd } from "../../TurnEnd.ts"

/** The channel to the agent, and whether the session is attached over it: initialized, then loaded, resumed or new. */
type Channel =
  | { readonly _tag: "Connecting" }
  | { readonly _tag: "Attaching"; readonly interrupted: boolean }
  | ({ readonly _tag: "Ready" } & Attached)
  | ({ readonly _tag: "Interrupted" } & Attached)
  | { readonly _tag: "Closed"; readonly error: AcpError }

/**
 * How the session was attached on a connection. `loads`: the agent can load it, whatever its capabilities say.
 * `repeats`: it told what the session holds, at least in part.
 */
export interface Attached {
  readonly agent: Wire.InitializeResponse
  readonly loads: boolean
  readonly repeats: boolean
}

/**
 * How far a prompt has come. `InDoubt`: the connection broke before the answer, so the agent may or may not have it.
 */
type Delivery = "NotSent" | "Sent" | "InDoubt" | "Answered"

/**
 * How far the cancellation of a turn has come. `TooLate`: the agent ended the turn in another way. `Unconfirmed`: the
 * deadline passed and the agent has not answered.
 */
type Cancellation = "None" | "Requested" | "Confirmed" | "TooLate" | "Unconfirmed"

/** A prompt and its id, which no other prompt of the session has. */
export interface Prompt {
  readonly id: number
  readonly content: ReadonlyArray<Wire.ContentBlock>
}

/** One prompt and all that answers it. */
export interface Turn extends Prompt {
  readonly delivery: Delivery
  readonly cancellation: Cancellation
  /** The caller of the prompt no longer waits for its end. */
  readonly abandoned: boolean
  /** The connection on which it was sent last; 0 before. */
  readonly connection: number
}

/** A prompt in doubt: its connection broke before the answer. */
interface Doubt extends Prompt {
  /** The first connection that was opened after the agent was idle: its history is complete. */
  readonly completeFrom: number | undefined
}

/**
 * A `session/cancel` that the channel has not taken yet. It names no turn, so no prompt is sent before it is settled.
 */
export interface CancelMessage {
  readonly id: number
  /** The turn that it cancels; undefined when none of this client's was running. */
  readonly turnId: number | undefined
  readonly stage: "Waiting" | "Sending" | "Pausing"
  /** The deadline passed while it was being sent; it is not repeated. */
  readonly overdue: boolean
}

/** The life of a session. */
export interface State {
  readonly channel: Channel
  /** How many connections there have been: names the present one. */
  readonly connection: number
  /** How often the session became ready; it was never open at 0. */
  readonly readies: number
  readonly lastError: TransportError | undefined
  /** Prompts that wait for their turn, oldest first. */
  readonly queue: ReadonlyArray<Prompt>
  readonly turn: Turn | undefined
  /** The turn that ended last. */
  readonly lastTurn: Turn | undefined
  readonly doubt: Doubt | undefined
  /** The prompt of which a complete history showed that it was not delivered. */
  readonly undelivered: number | undefined
  /** The prompt of which a complete history showed nothing. */
  readonly unproven: number | undefined
  readonly cancels: ReadonlyArray<CancelMessage>
}

/** What happens to a session. */
export type Event =
  | { readonly _tag: "Connected"; readonly fresh: boolean }
  | { readonly _tag: "Interrupted"; readonly error: TransportError }
  | { readonly _tag: "Closed"; readonly error: AcpError }
  | ({ readonly _tag: "Attached"; readonly connection: number } & Attached)
  | { readonly _tag: "AttachFailed"; readonly connection: number; readonly error: AcpError }
  | { readonly _tag: "PromptRequested"; readonly prompt: Prompt }
  | { readonly _tag: "PromptAbandoned"; readonly id: number }
  | { readonly _tag: "PromptAnswered"; readonly id: number; readonly end: Exit.Exit<TurnEnd, RpcError> }
  | { readonly _tag: "PromptLost"; readonly id: number; readonly error: TransportError }
  | { readonly _tag: "CancelRequested"; readonly id: number }
  | { readonly _tag: "CancelSent"; readonly id: number }
  | { readonly _tag: "CancelFailed"; readonly id: number; readonly error: TransportError }
  /** A history that is loaded from now on shows whether the prompt in doubt was delivered. */
  | { readonly _tag: "AgentIdle" }
  /** The agent is idle, and a caller waits for that history. */
  | { readonly _tag: "HistoryRequested" }
  | { readonly _tag: "HistoryReplayed"; readonly finding: Finding }
  | Timer

/** Whether a replayed history has the prompt in doubt; one without the messages of users may prove nothing. */
export type Finding = "Present" | "Missing" | "Unproven"

/** What a timer says when its time is over. */
export type Timer =
  | { readonly _tag: "ReadyTimeout"; readonly id: number }
  | { readonly _tag: "CancelDeadline"; readonly id: number; readonly turnId: number | undefined }
  | { readonly _tag: "CancelRetry"; readonly id: number }
  /** The time in which an agent repeats its open requests on a new connection. */
  | { readonly _tag: "RepeatWindow"; readonly connection: number }

/** What is to be done. */
export type Command =
  | { readonly _tag: "Attach"; readonly connection: number }
  /** Gives up the connection; a new one follows. */
  | { readonly _tag: "ReplaceConnection"; readonly reason: ConnectionLost }
  /** Forgets what belongs to the connection that is gone: its replay and its requests. */
  | { readonly _tag: "DropConnection" }
  | { readonly _tag: "AnnounceReady"; readonly reopened: boolean; readonly repeats: boolean }
  | { readonly _tag: "AnnounceInterrupted"; readonly error: TransportError }
  | { readonly _tag: "AnnounceClosed"; readonly error: AcpError }
  | { readonly _tag: "SendPrompt"; readonly prompt: Prompt }
  | { readonly _tag: "EndTurn"; readonly turn: Turn; readonly end: Exit.Exit<TurnEnd, PromptError> }
  /** Takes the prompt out of the state: the agent surely does not have it. */
  | { readonly _tag: "RemovePrompt"; readonly id: number }
  | { readonly _tag: "SendCancel"; readonly id: number }
  | { readonly _tag: "SettleCancel"; readonly message: CancelMessage; readonly error: AcpError | undefined }
  /** Answers what the agent asks as cancelled. */
  | { readonly _tag: "CancelRequests" }
  /** The agent ended its turn as cancelled: so did its unfinished tool calls. */
  | { readonly _tag: "CancelToolCalls" }
  /** The agent ended its turn: nothing asked in it needs an answer. */
  | { readonly _tag: "WithdrawRequests" }
  | { readonly _tag: "EndRepeatWindow" }
  | { readonly _tag: "StartTimer"; readonly timer: Timer }

/** Why a prompt has no end. */
export type PromptError = AcpError | Detached | UnsupportedContent

/** The next state, and what is to be done, in this order. */
export type Step = readonly [state: State, commands: ReadonlyArray<Command>]

/** A session before its first connection. */
export const initial: State = {
  channel: { _tag: "Connecting" },
  connection: 0,
  readies: 0,
  lastError: undefined,
  queue: [],
  turn: undefined,
  lastTurn: undefined,
  doubt: undefined,
  undelivered: undefined,
  unproven: undefined,
  cancels: []
}

/** A step after which nothing is to be done. */
export const stay = (state: State): Step => [state, []]

/** A step of one command or more. */
export const move = (state: State, ...commands: ReadonlyArray<Command>): Step => [state, commands]

/** Goes on from where a step leads. */
export const andThen = ([state, commands]: Step, next: (state: State) => Step): Step => {
  const [after, more] = next(state)
  return more.length === 0 ? [after, commands] : [after, [...commands, ...more]]
}
