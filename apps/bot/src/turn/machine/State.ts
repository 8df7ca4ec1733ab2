import type * as Wire from "@heddle/acp/schema/generated/AcpSchema"
import type { End } from "../../model/Conversation.ts"
import type { TurnKind } from "../../store/Inbox.ts"

/** The content of a prompt. */
export type Prompt = ReadonlyArray<Wire.ContentBlock>

/** Where the prompt of the turn is. */
export type Delivery =
  /** It was never handed to the channel. */
  | "NotSent"
  /** The service got it with the creation of the task, and may run it itself. */
  | "WithService"
  /** It was handed over, and nothing shows yet whether it arrived. */
  | "Unknown"
  /** The session holds it, or the agent answered it. */
  | "Delivered"
  /** It was handed over, and the history shows that it did not arrive. */
  | "NotThere"

/** How far a request to stop the turn has come. */
export type Stop =
  | "None"
  /** A person requested it. */
  | "Requested"
  /** The channel took the cancellation. */
  | "Delivered"

/** What the service says about the task. */
export type TaskStatus =
  /** It waits for a prompt; whether it ever had one is not said. */
  | "Idle"
  | "Busy"
  /** "pending": the task waits for something; after a run it may rest in this status. */
  | "Pending"
  /** A run is over. */
  | "Completed"
  /** The last run failed; the task takes the next prompt. */
  | "Failed"
  /** Archived, deleted, or failed for good. */
  | "Ended"

/** How a turn ends. */
export type TurnOutcome =
  /** The agent ended it. */
  | { readonly _tag: "Answered"; readonly stopReason: string; readonly tokens?: number | undefined }
  /** The agent or the service confirmed the stop, or the agent was never given the message. */
  | { readonly _tag: "Stopped" }
  /** The task is at rest after a request to stop, and nothing tells whether the agent stopped or was finished. */
  | { readonly _tag: "EndedAfterStop" }
  /** The agent received the cancellation and did not react in time; it may continue. */
  | { readonly _tag: "StopUnconfirmed" }
  /** A person asked to stop it, and the service did not take the cancellation; the agent may continue. */
  | { readonly _tag: "StopNotDelivered" }
  /** Stopped before the agent got the message. */
  | { readonly _tag: "Unsent" }
  /** The agent did not get the message, because the run of a stopped one goes on. */
  | { readonly _tag: "StillAtWork" }
  /** The prompt may have been sent, and nothing shows whether it arrived; it is not sent again. */
  | { readonly _tag: "DeliveryUnknown" }
  /** There was nothing to say, or nothing to tell about the end. */
  | { readonly _tag: "Quiet" }
  /** It ended before, as its row says. */
  | { readonly _tag: "Recorded"; readonly end: End }
  /** The service reports that the execution failed; the task can go on. */
  | { readonly _tag: "RunFailed" }
  /** The task takes no more prompts. `isUnsent`: the agent did not get the one of this turn. */
  | { readonly _tag: "TaskEnded"; readonly isUnsent: boolean }
  /** Stopped while an account had to be connected. */
  | { readonly _tag: "NotReconnected" }
  /** It failed for the reason that the text gives. */
  | { readonly _tag: "Failed"; readonly text: string }

/** Where the turn is in its story. */
export type Phase =
  /** Loading: the channel is being opened and the history read. */
  | { readonly _tag: "Opening" }
  /** Loading: reads the status of the task from the service. */
  | { readonly _tag: "Checking" }
  /** Prompting: files are fetched, and the policy is asked whether the author may still say it. */
  | { readonly _tag: "Preparing" }
  /** Prompting: the row notes that the prompt goes out next. */
  | { readonly _tag: "Recording" }
  /** Prompting: the channel has the prompt; its response ends the turn. */
  | { readonly _tag: "Prompting" }
  /** Following: a run without a response to wait for goes on until the task is at rest. */
  | { readonly _tag: "Following" }
  /** Following: late output is shown until the agent is silent. */
  | { readonly _tag: "Listening" }
  /** The service is away; the next attempt is due after a pause. */
  | { readonly _tag: "WaitingForService" }
  /** The owner has to connect an account. */
  | { readonly _tag: "WaitingForAccount" }
  /** Ending: the outcome is known, and the artifacts are listed once more. */
  | { readonly _tag: "Ending"; readonly outcome: TurnOutcome }
  /** Ending: the end is stored and posted. */
  | { readonly _tag: "Posting"; readonly outcome: TurnOutcome }
  /** The end is posted; what the agent says from now on is late output. */
  | { readonly _tag: "Over"; readonly outcome: TurnOutcome }
  /** The thread is gone or locked: nothing more is posted. */
  | { readonly _tag: "ThreadClosed"; readonly isRowClosed: boolean }

/** Everything that decides what a turn does next. */
export interface State {
  readonly kind: TurnKind
  readonly phase: Phase
  readonly prompt: Delivery
  readonly stop: Stop
  /** Whether a cancellation is on its way; `SendAgain`: a run began meanwhile, and needs one of its own. */
  readonly cancel: "None" | "Sending" | "SendAgain"
  /** The history had every prompt when the task was checked; see `Findings`. */
  readonly isComplete: boolean
  /** What is done about a first prompt that the service neither runs nor confirms to hold. */
  readonly initialPrompt: Rows["initialPrompt"]
  /** The end that the row of the turn holds. */
  readonly storedEnd: End | undefined
  /** The number of the newest attempt to attach to the task. */
  readonly attempt: number
  /** How many attempts have failed in the present outage of the service. */
  readonly retries: number
  /** When this outage began, in epoch milliseconds. */
  readonly unavailableSince: number | undefined
}

/** Whether the agent surely lacks the prompt of a turn. */
export const isUnsent = ({ prompt }: State): boolean => prompt === "NotSent" || prompt === "NotThere"

/** The facts of a turn in its rows and in the settings of the bot. */
export interface Rows {
  readonly initialPrompt: "auto" | "send"
  readonly kind: TurnKind
  readonly prompted: boolean
  readonly stopAsked: boolean
  readonly storedEnd: End | undefined
}
