import type { Form } from "@heddle/acp/Permission"
import type { Answers, Question, Value } from "@heddle/acp/Question"
import type { ArtifactCard } from "./ArtifactCard.ts"

/** What one turn has to show: a pure state from which the view makes posts. */
export interface Conversation {
  /** The id of the message that started the turn. */
  readonly turnId: string
  /** What the agent said and did, in order. */
  readonly items: ReadonlyArray<Item>
  /** The cards of the thread in the order of creation; the turn shows those that it made or changed. */
  readonly cards: ReadonlyArray<ArtifactCard>
  /** Cards from before the turn that it changed, with the addresses of their messages. */
  readonly cardLinks: ReadonlyArray<CardLink>
  /** What is in the way at the moment, if anything. */
  readonly notice?: Notice
  /** A person stopped it: what is left of it is not posted at length. */
  readonly stopped?: boolean
  /** How many requests wait for others to be answered before they are shown. */
  readonly held?: number
  /** How many requests were refused because too many were open at once. */
  readonly refused?: number
  readonly end?: End
  /** It follows an answer that has ended: nothing is said of its own end. */
  readonly lateOutput?: boolean
  /** What the message that started the turn says. */
  readonly prompt?: string
}

export type Item = AgentMessage | ToolCallStep | AgentRequest | Remark

/** A run of the agent's words between two other items. */
export interface AgentMessage {
  readonly _tag: "AgentMessage"
  readonly id: string
  readonly text: string
}

/** A tool call. */
export interface ToolCallStep {
  readonly _tag: "ToolCallStep"
  readonly id: string
  readonly title: string
  /** An ACP status: pending, in_progress, completed, failed, cancelled, or a newer word. */
  readonly status: string
  /** How many before it are left out, since so many follow each other. */
  readonly skipped?: number
}

/** The newest tool calls that are shown of those that follow each other. */
export const mostSteps = 20

/** Whether a tool call with this status is still to be done. */
export const isUnfinished = (status: string): boolean => status === "pending" || status === "in_progress"

/** A remark of the agent's program. */
export interface Remark {
  readonly _tag: "Remark"
  readonly id: string
  readonly text: string
}

/** A request of the agent, with what became of it. */
export interface AgentRequest {
  readonly _tag: "AgentRequest"
  /** The row of the request: part of the ids of the card's controls. */
  readonly id: string
  readonly form: Form
  readonly title: string
  /** Markdown that shows what would be done: files, an excerpt of the change; of questions the agent's words. */
  readonly detail: string
  readonly options: ReadonlyArray<{ readonly name: string; readonly kind: string }>
  readonly questions: ReadonlyArray<Question>
  /** What was answered so far, which question is shown, and which page of its options. */
  readonly draft: Answers
  readonly step: number
  readonly page: number
  /** Epoch milliseconds. */
  readonly deadline: number
  readonly outcome: Outcome
}

export type Outcome =
  | { readonly _tag: "Open" }
  | {
      readonly _tag: "Answered"
      /** The name of the chosen option, without a question; or each answer with its question. */
      readonly what: ReadonlyArray<{ readonly question: Question | undefined; readonly answer: Value }>
      readonly allowed: boolean
      readonly by: string
      /** Epoch milliseconds. */
      readonly at: number
    }
  | { readonly _tag: "Expired" }
  /** Its card could not be shown. */
  | { readonly _tag: "Unshown" }
  | { readonly _tag: "Withdrawn" }

/** A card further up in the thread. */
export interface CardLink {
  readonly card: ArtifactCard
  readonly url: string
}

/** A passing state of the turn that its reader should know. */
export type Notice =
  | { readonly _tag: "Waiting"; readonly text: string }
  | {
      readonly _tag: "Reconnect"
      readonly text: string
      readonly customId: string
      /** The owner has disconnected the account themselves. */
      readonly disconnected?: boolean
    }

/** How the turn ended. */
export type End =
  | {
      readonly _tag: "Done"
      /** A stop reason of ACP, or "interrupted" when the turn was cut off and nobody gave a reason. */
      readonly stopReason: string
      readonly milliseconds: number
      readonly tokens: number | undefined
    }
  | { readonly _tag: "Failed"; readonly text: string }

/** How many tokens an agent says it used, when that can be so. */
export const saneTokens = (count: number | undefined): number | undefined =>
  count !== undefined && Number.isSafeInteger(count) && count >= 0 && count <= 1e12 ? count : undefined
