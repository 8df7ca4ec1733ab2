import type * as Deferred from "effect/Deferred"
import type { End } from "../../model/Conversation.ts"
import type { Timer } from "./Command.ts"
import type { Prompt, TaskStatus } from "./State.ts"

/** What happens to a turn. */
export type Event =
  /** The rows of the turn are read. */
  | { readonly _tag: "Started" }
  /** A person asked to stop the turn. */
  | { readonly _tag: "StopAsked" }
  /** A permission request was answered or closed in its row; completes `handled` afterwards. */
  | { readonly _tag: "AnswersChanged"; readonly handled?: Deferred.Deferred<void> | undefined }
  /** The channel is open and the history is loaded; `storedEnd` is the end in the turn's row. */
  | { readonly _tag: "SessionOpened"; readonly storedEnd: End | undefined }
  /** The service returned the status of the task. */
  | ({
      readonly _tag: "TaskChecked"
      readonly status: TaskStatus
      /** The service has confirmed that it leaves the first prompt to the bot. */
      readonly isHeld: boolean
      /** The agent has not confirmed that it stopped the last prompt before this turn. */
      readonly isStopOpen: boolean
      /** A request of that prompt has no answer, so the agent may wait for it. */
      readonly awaitsAnswer: boolean
      /** What this turn waits for, a first run or the end of a stopped one, had its time. */
      readonly hasWaited: boolean
    } & Findings)
  /** The prompt can be sent. */
  | { readonly _tag: "PromptPrepared"; readonly blocks: Prompt }
  /** The policy refuses the prompt. */
  | { readonly _tag: "PromptRefused"; readonly text: string }
  /** The row notes that the prompt goes out. */
  | { readonly _tag: "PromptRecorded"; readonly blocks: Prompt }
  /** The agent responded to the prompt. */
  | {
      readonly _tag: "PromptAnswered"
      readonly stopReason: string
      readonly tokens?: number | undefined
      /** It was cancelled, and the agent did not answer in time. */
      readonly isUnconfirmed: boolean
      /** The service did not take the cancellation in time either. */
      readonly isUndelivered?: boolean
    }
  /** The connection broke after the prompt was sent. */
  | { readonly _tag: "PromptDetached" }
  /** The task is at rest; `onlyOtherPrompts`: the session holds new prompts, but not the prompt of this turn. */
  | ({
      readonly _tag: "RunEnded"
      readonly onlyOtherPrompts: boolean
      /** The agent said or did something in this turn. */
      readonly hasAnswer: boolean
      /** A complete history does not show whether the agent has the prompt. */
      readonly isDeliveryUnknown?: boolean
      /** The service reports that the execution failed, and its session does not say why. */
      readonly hasFailed: boolean
      readonly stopReason: string
    } & Findings)
  /** The run is over, and the channel has been silent since before its end: words may be missing. */
  | { readonly _tag: "ChannelOutdated" }
  /** The task has ended while its run was followed. */
  | { readonly _tag: "TaskEnded" }
  /** The agent says nothing more. */
  | { readonly _tag: "Silent" }
  /** The channel took the cancellation. */
  | { readonly _tag: "CancelSent" }
  /** The cancellation did not reach the agent. */
  | { readonly _tag: "CancelFailed" }
  /** The attempt with this number failed. `hasOpenRequest`: a request of the agent is still open. */
  | ({
      readonly _tag: "AttemptFailed"
      readonly attempt: number
      readonly failure: AttemptFailure
      readonly hasOpenRequest: boolean
    } & AttemptTimes)
  /** The owner has connected an account. */
  | { readonly _tag: "AccountConnected" }
  | { readonly _tag: "TimerFired"; readonly timer: Timer }
  /** The artifacts of the session are listed. */
  | { readonly _tag: "ArtifactsCollected" }
  /** The thread shows the end. */
  | { readonly _tag: "EndPosted" }
  /** The thread is gone or locked; `isRowClosed`: its row says so. */
  | { readonly _tag: "ThreadClosed"; readonly isRowClosed: boolean }

/** What the session shows of the turn's prompt. */
export interface Findings {
  /** The session holds the prompt or an answer to it. */
  readonly hasArrived: boolean
  /** The history has every prompt: one that it lacks did not arrive. */
  readonly isComplete: boolean
}

/** The course of a failed attempt, in milliseconds of the monotonic clock. */
export interface AttemptTimes {
  readonly beganAt: number
  /** When its session was open with the history loaded; undefined if it never was. */
  readonly openedAt: number | undefined
  /** Since when the service had refused the reads of the attempt, if an error of the service ended it. */
  readonly refusedSince?: number | undefined
  readonly failedAt: number
}

/** Why an attempt failed, as far as that decides what comes next. */
export type AttemptFailure =
  /** Another attempt would fail the same way. */
  | { readonly _tag: "Final"; readonly text: string }
  /** The service is away. `isNotDelivered`: a complete history lacks the prompt; `isNotSent`: it surely did not go out. */
  | {
      readonly _tag: "Unavailable"
      readonly text: string
      readonly isNotDelivered: boolean
      readonly isNotSent: boolean
      /** The service answers, and still creates the task. */
      readonly isCreating?: boolean
      /** How long the service asked to wait, in milliseconds. */
      readonly retryAfterMs: number
    }
  /** The account has ended; `isReplaced`: another one is connected. `storedEnd` is the end in the turn's row. */
  | { readonly _tag: "AccountEnded"; readonly isReplaced: boolean; readonly storedEnd: End | undefined }
