import type * as Deferred from "effect/Deferred"
import type { Prompt, TurnOutcome } from "./State.ts"

/** A side effect that the thread's owner performs for a turn. */
export type Command =
  /** Opens the channel and loads the session; `attempt` is the number of this attempt. */
  | { readonly _tag: "OpenSession"; readonly attempt: number }
  /** Closes the channel and ends all work on it. */
  | { readonly _tag: "CloseSession" }
  | { readonly _tag: "CheckTask" }
  /** Watches for some seconds whether the service begins with the first prompt, then checks the task. */
  | { readonly _tag: "AwaitFirstRun" }
  /** Waits until a run that was not confirmed as stopped is over, for a limited time; then checks the task. */
  | { readonly _tag: "AwaitStoppedRun" }
  /** Makes the prompt of the message, and asks the policy about its author. */
  | { readonly _tag: "PreparePrompt" }
  | { readonly _tag: "RecordPrompt"; readonly blocks: Prompt }
  | { readonly _tag: "SendPrompt"; readonly blocks: Prompt }
  /** Waits until the task is idle. */
  | { readonly _tag: "FollowRun" }
  /** Waits until the agent says nothing more. */
  | { readonly _tag: "AwaitSilence" }
  /** Cancels the agent's current run. */
  | { readonly _tag: "SendCancel" }
  /** Shows that the turn is being stopped. */
  | { readonly _tag: "ShowStop" }
  /** Sends answers to the agent, then completes `handled`. */
  | { readonly _tag: "SendAnswers"; readonly handled?: Deferred.Deferred<void> | undefined }
  /** Shows answers that the agent gets later, then completes `handled`. */
  | { readonly _tag: "ShowAnswers"; readonly handled?: Deferred.Deferred<void> | undefined }
  /** Shows that the service is away. */
  | { readonly _tag: "ShowWaiting"; readonly isCreating?: boolean }
  /** Asks the owner to connect, and waits until they have. */
  | { readonly _tag: "AskToConnect" }
  | { readonly _tag: "ClearNotice" }
  | { readonly _tag: "StartTimer"; readonly timer: Timer; readonly ms: number }
  /** Lets a stop of the bot wait until the end is shown. */
  | { readonly _tag: "HoldShutdown" }
  | { readonly _tag: "CollectArtifacts" }
  /** Stores the end and posts it. */
  | { readonly _tag: "PostEnd"; readonly outcome: TurnOutcome }

/** A pause after which an event follows. */
export type Timer =
  /** Ends the wait for an agent that the cancellation cannot reach. */
  | "GiveUp"
  /** Ends the wait for an agent that received the cancellation. */
  | "StopGrace"
  /** The next attempt is due. */
  | "Retry"
  /** A turn that had failed has had its time to show what its session holds. */
  | "Replay"
