import type { Form } from "@heddle/acp/Permission"
import type { Answers, Question, Value } from "@heddle/acp/Question"
import type { ArtifactCard } from "./ArtifactCard.ts"
import type { FileOffer } from "./FileOffer.ts"

/** The content of one turn as plain state, from which the view makes posts. */
export interface Conversation {
  /** The id of the message that started the turn. */
  readonly turnId: string
  /** The agent's messages, tool calls and requests, in order. */
  readonly items: ReadonlyArray<Item>
  /** The thread's cards in the order of creation; the turn shows those that it made or changed. */
  readonly cards: ReadonlyArray<ArtifactCard>
  /** Links to earlier cards that the turn changed. */
  readonly cardLinks: ReadonlyArray<CardLink>
  /** The current obstacle of the turn, if any. */
  readonly notice?: Notice
  /** A person stopped the turn: long remaining text is not posted. */
  readonly stopped?: boolean
  /** The number of requests that wait until others are answered. */
  readonly waitingRequests?: number
  /** The number of requests that were refused because too many were open. */
  readonly refusedRequests?: number
  readonly end?: End
  /** A tool call of the ended turn has an output that people can open. */
  readonly hasOutputs?: boolean
  /** The files that the turn made or changed outside of its artifacts. */
  readonly offer?: FileOffer
  /** The connection broke, and the service does not repeat what the agent said meanwhile. */
  readonly mayLackOutput?: boolean
  /** The turn shows late output, so its end is not posted. */
  readonly lateOutput?: boolean
  /** The text of the message that started the turn. */
  readonly prompt?: string
}

export type Item = AgentMessage | AgentAttachment | ToolCallStep | AgentRequest | Remark

/** A run of the agent's text between two other items. */
export interface AgentMessage {
  readonly _tag: "AgentMessage"
  readonly id: string
  readonly text: string
}

/** A file or a link in a message or a tool call of the agent. */
export interface AgentAttachment {
  readonly _tag: "AgentAttachment"
  readonly id: string
  readonly name: string
  readonly content:
    | { readonly _tag: "Link"; readonly uri: string }
    | {
        readonly _tag: "File"
        /** In bytes. */
        readonly size: number
        readonly version: string
        readonly data: { readonly base64: string } | { readonly text: string }
      }
}

/** A tool call of the turn. */
export interface ToolCallStep {
  readonly _tag: "ToolCallStep"
  readonly id: string
  readonly title: string
  /** An ACP status: pending, in_progress, completed, failed, cancelled, or one of a later version. */
  readonly status: string
  /** The number of omitted tool calls before it. */
  readonly skipped?: number
}

/** How many tool calls are shown: the newest ones. */
export const maxSteps = 20

/** Whether a tool call with this status is not finished. */
export const isUnfinished = (status: string): boolean => status === "pending" || status === "in_progress"

/** A notice of the agent program. */
export interface Remark {
  readonly _tag: "Remark"
  readonly id: string
  readonly text: string
}

/** A request of the agent with its outcome. */
export interface AgentRequest {
  readonly _tag: "AgentRequest"
  /** The id of the request's row, used in the ids of the card's controls. */
  readonly id: string
  readonly form: Form
  readonly title: string
  /** Markdown about the requested action: files, an excerpt of the diff; for questions the agent's text. */
  readonly detail: string
  /** All of `detail`, where that has only a part. */
  readonly wholeDetail?: string
  readonly options: ReadonlyArray<{ readonly name: string; readonly kind: string }>
  readonly questions: ReadonlyArray<Question>
  /** The answers so far, the shown question and the shown page of its options. */
  readonly draft: Answers
  readonly questionIndex: number
  readonly optionPage: number
  /** Epoch milliseconds. */
  readonly deadline: number
  readonly outcome: Outcome
}

/** How far an answer has come. `Sent`: the service has it, and the agent has not shown that it went on with it. */
export type AnswerDelivery = "Sending" | "Sent" | "NotConfirmed"

export type Outcome =
  /**
   * `removedAuthors`: it was answered before, and the answers of these people, or all answers, were not sent.
   * `mayHaveArrived`: an answer went out before, and nothing tells whether the agent has it.
   */
  | { readonly _tag: "Open"; readonly removedAuthors?: ReadonlyArray<string>; readonly mayHaveArrived?: true }
  | {
      readonly _tag: "Answered"
      /** The chosen option's name without a question, or each question with its answer. */
      readonly answers: ReadonlyArray<{ readonly question: Question | undefined; readonly answer: Value }>
      /** Undefined where the agent did not tell what the chosen option means. */
      readonly allowed: boolean | undefined
      readonly answeredBy: string
      /** Epoch milliseconds. */
      readonly answeredAt: number
      /** Undefined once nothing more is to be shown about it. */
      readonly delivery?: AnswerDelivery
    }
  /** `isRefused`: the service has taken the refusal. */
  | { readonly _tag: "Expired"; readonly isRefused: boolean }
  /** Its connection is gone, so it cannot be answered. */
  | { readonly _tag: "ConnectionLost" }
  /** Discord rejected its card. */
  | { readonly _tag: "Unshown" }
  | { readonly _tag: "Withdrawn" }

/** A link to a card further up in the thread. */
export interface CardLink {
  readonly card: ArtifactCard
  readonly url: string
}

/** A temporary state of the turn that readers should know. */
export type Notice =
  | { readonly _tag: "Waiting"; readonly text: string }
  /** The agent is at work and has said nothing for a while. */
  | { readonly _tag: "Silent"; readonly text: string }
  | {
      readonly _tag: "Reconnect"
      readonly text: string
      readonly customId: string
      /** The owner disconnected the account themselves. */
      readonly disconnected?: boolean
    }

/** How the turn ended. */
export type End =
  | {
      readonly _tag: "Done"
      /**
       * An ACP stop reason; "interrupted" when the turn was cut off without one; "ended_after_stop" when a person asked
       * to stop it and nothing tells whether it stopped or was finished.
       */
      readonly stopReason: string
      readonly milliseconds: number
      readonly tokens: number | undefined
    }
  | {
      readonly _tag: "Failed"
      readonly text: string
      /** A click sends the message of the turn once more. */
      readonly resend?: true
      /** The session has the message after all, so no click sends it. */
      readonly arrived?: true
    }

/** The reported token count if it is plausible. */
export const plausibleTokens = (count: number | undefined): number | undefined =>
  count !== undefined && Number.isSafeInteger(count) && count >= 0 && count <= 1e12 ? count : undefined
