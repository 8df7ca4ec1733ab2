import type { ContentBlock, SessionUpdate } from "../acp/Journal.ts"
import type { RpcAnswer } from "../acp/Calls.ts"
import type { Artifact, ArtifactEvent } from "../tasks/Artifacts.ts"

/** A tool call in the public ACP schema; the same id again makes a tool_call_update. */
export interface RoundTool {
  readonly toolCallId?: string
  readonly title?: string
  readonly kind?: string
  readonly status?: string
  readonly [field: string]: unknown
}

/** A permission request in the public ACP schema. */
export interface RoundQuestion {
  readonly title: string
  /** Allow and reject, each once, when omitted. */
  readonly options?: ReadonlyArray<{ readonly optionId: string; readonly name: string; readonly kind: string }>
  /** More fields of the tool call, like rawInput. */
  readonly toolCall?: RoundTool
  readonly _meta?: Readonly<Record<string, unknown>>
}

/** How a script ends a round. */
export type RoundEnd = { readonly stopReason: string } | { readonly failed: string }

/** A prompt that runs, in the hands of the script (6). */
export interface Round {
  readonly taskId: string
  /** How many rounds of the task were before it. */
  readonly index: number
  readonly blocks: ReadonlyArray<ContentBlock>
  /** The text blocks together. */
  readonly text: string
  /** Aborts when the round is cancelled. */
  readonly signal: AbortSignal
  readonly say: (text: string) => void
  readonly think: (text: string) => void
  /** Gives the id of the tool call. */
  readonly tool: (tool: RoundTool) => string
  readonly plan: (entries: ReadonlyArray<Readonly<Record<string, unknown>>>) => void
  /** Sends any session/update. */
  readonly update: (update: SessionUpdate) => void
  /** Gives the optionId, or "cancelled" without a valid answer. */
  readonly ask: (question: RoundQuestion) => Promise<string>
  /** Sends any request of the service. */
  readonly request: (method: string, params: unknown) => Promise<RpcAnswer>
  /** Sends any notification; it is not in the replay. */
  readonly notify: (method: string, params: unknown) => void
  /** Stores an artifact, and pushes it. */
  readonly artifact: (event: ArtifactEvent, artifact: Artifact, bytes?: Uint8Array) => void
}

/** Plays the agent for each prompt. */
export type Script = (round: Round) => Promise<RoundEnd>
