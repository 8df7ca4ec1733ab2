import type * as JsonRpc from "@heddle/acp/JsonRpc"
import type * as Deferred from "effect/Deferred"
import type * as Either from "effect/Either"
import type { AgentFailure } from "../agent/AgentFailure.ts"
import type { OpenedSession } from "../agent/AgentSession.ts"
import type { Change } from "../artifacts/FolderScan.ts"
import type { ChangedFiles } from "../files/WorkFiles.ts"
import type { Subscriber } from "../journal/Subscribers.ts"
import type { InputRequest } from "../input/InputRequest.ts"
import type { Choice } from "./Controls.ts"
import type { Blocks } from "./PromptBlocks.ts"

/** A turn: a prompt, and the agent's work on it. */
export interface Turn {
  readonly turnId: string
  readonly messageId: string
  readonly blocks: Blocks
  /** The `_meta` of the prompt, which is passed to the agent. */
  readonly meta: unknown
  /** Of the prompt, in bytes. */
  readonly size: number
  /** The client's request that started the turn; undefined for the initial prompt. */
  readonly requester: { readonly subscriber: Subscriber; readonly id: JsonRpc.Id } | undefined
  /** Completed to end the turn without waiting for the agent any longer. */
  readonly abandoned: Deferred.Deferred<TurnOutcome>
  /** The prompt has gone out to the agent. */
  wasSent: boolean
  isCancelled: boolean
}

/** How a turn ended. */
export type TurnOutcome =
  | { readonly _tag: "Answered"; readonly result: unknown }
  | { readonly _tag: "Failed"; readonly error: AgentFailure | JsonRpc.RpcError }

/** The events of a sandbox; its owner handles them in order. */
export type SandboxEvent =
  /** Runs the initial prompt; with `hold` a client sends it. */
  | { readonly _tag: "Started"; readonly prompt: string; readonly hold: boolean }
  | { readonly _tag: "Left"; readonly subscriber: Subscriber }
  /** A connection requested the history while a turn's decision was pending; it is no longer. */
  | { readonly _tag: "HistoryAsked"; readonly subscriber: Subscriber; readonly id: JsonRpc.Id }
  /** The replay for a connection has caught up. */
  | { readonly _tag: "CaughtUp"; readonly subscriber: Subscriber }
  | {
      readonly _tag: "Received"
      readonly subscriber: Subscriber
      readonly message: JsonRpc.Message
      /** Of the message, in bytes. */
      readonly size: number
    }
  | { readonly _tag: "Reply"; readonly subscriber: Subscriber; readonly message: JsonRpc.Success | JsonRpc.Failure }
  /** The agent has taken what a client chose. */
  | {
      readonly _tag: "Chosen"
      readonly subscriber: Subscriber
      readonly request: JsonRpc.Request
      readonly choice: Choice
      readonly result: unknown
    }
  /** The next choice that a started agent does not have yet is wanted. */
  | { readonly _tag: "ChoiceWanted"; readonly found: Deferred.Deferred<Choice | undefined> }
  /** A started agent has taken a kept choice, or says why not. */
  | { readonly _tag: "ChoiceRestored"; readonly choice: Choice; readonly result: Either.Either<unknown, string> }
  | { readonly _tag: "AgentOpened"; readonly opened: OpenedSession }
  | {
      readonly _tag: "AgentSaid"
      readonly method: string
      readonly params: Readonly<Record<string, unknown>>
    }
  | {
      readonly _tag: "PermissionAsked"
      readonly permissionId: string
      readonly inputRequest: InputRequest
      readonly answer: Deferred.Deferred<unknown>
    }
  | { readonly _tag: "PermissionWithdrawn"; readonly permissionId: string }
  | { readonly _tag: "PermissionExpired"; readonly permissionId: string }
  | { readonly _tag: "FilesChanged"; readonly changes: ReadonlyArray<Change> }
  /** A plan that the agent keeps in a file of its own. */
  | { readonly _tag: "PlanRead"; readonly uri: string; readonly text: string }
  /** Part of the artifacts folder is not shown, and people have not seen a notice of it yet. */
  | { readonly _tag: "LimitReached"; readonly kind: string; readonly text: string }
  /** Whether a turn may begin; if not, why. */
  | { readonly _tag: "TurnDecided"; readonly turn: Turn; readonly refusal: string | undefined }
  | { readonly _tag: "CancelOverdue"; readonly turn: Turn }
  | {
      readonly _tag: "TurnEnded"
      readonly turn: Turn
      readonly outcome: TurnOutcome
      /** What clients are offered of the turn's files. */
      readonly files: ChangedFiles
    }
  /** The agent worked on after its turn, and is quiet again; `files` is what clients are offered. */
  | { readonly _tag: "WorkedOn"; readonly files: ChangedFiles }
  /** The agent has answered what it was asked besides its turn. */
  | { readonly _tag: "AgentAnswered" }
  /** The agent has ended, by itself or not; it says no more. */
  | { readonly _tag: "AgentEnded" }
  /** Another task needs the place of this agent, if it rests. */
  | { readonly _tag: "AgentWanted" }
  /** The agent's idle time is over; `useCount` is the count at its beginning. */
  | { readonly _tag: "AgentUnused"; readonly useCount: number }
