import type { PermissionRequest } from "./Permission.ts"
import type * as Wire from "./schema/generated/AcpSchema.ts"

/** The author of a message; a thought is the agent's reasoning. */
export type Role = "user" | "agent" | "thought"

/** A message, as far as it has arrived. */
export interface Message {
  readonly _tag: "Message"
  /** Stays the same over updates and replays. */
  readonly key: string
  readonly role: Role
  readonly messageId?: string
  /** All its text. */
  readonly text: string
  /** Its parts in order, adjacent texts joined. */
  readonly content: ReadonlyArray<Wire.ContentBlock>
  /** The sender's `_meta`. */
  readonly meta?: Readonly<Record<string, unknown>>
}

/** A tool call, with the newest value of every field. */
export interface ToolCall {
  readonly _tag: "ToolCall"
  /** Like that of a message. Not the `toolCallId`, which an agent may use again in a later turn. */
  readonly key: string
  readonly toolCallId: string
  readonly title: string
  readonly name?: string
  readonly kind: Wire.ToolKind
  /** "cancelled" too, once the person cancelled the turn. */
  readonly status: Wire.ToolCallStatus
  readonly content: ReadonlyArray<Wire.ToolCallContent>
  readonly locations: ReadonlyArray<Wire.ToolCallLocation>
  readonly rawInput?: unknown
  readonly rawOutput?: unknown
  /** The end of the output that the agent streamed, in `_meta.terminal_output_delta.data`. */
  readonly terminalOutput?: string
  readonly meta?: Readonly<Record<string, unknown>>
}

/** A notice of the agent's program, not of its model. */
export interface Notice {
  readonly _tag: "Notice"
  readonly key: string
  readonly severity: Wire.NoticeSeverity
  readonly title: string
  readonly description?: string
}

/** One piece of the conversation. */
export type Entry = Message | ToolCall | Notice

/** A session as its updates describe it. */
export interface SessionState {
  /** The conversation in its order. */
  readonly entries: ReadonlyArray<Entry>
  readonly plan: ReadonlyArray<Wire.PlanEntry>
  readonly commands: ReadonlyArray<Wire.AvailableCommand>
  /** Empty for an agent without modes, or with modes among its options. `SessionControls` reads all forms. */
  readonly modes: ReadonlyArray<Wire.SessionMode>
  readonly mode?: string
  /** Of an agent that has the older `models` of the protocol. */
  readonly models: ReadonlyArray<Wire.SessionMode>
  readonly model?: string
  readonly configOptions: ReadonlyArray<Wire.SessionConfigOption>
  readonly title?: string
  /** ISO 8601, as the agent wrote it. */
  readonly updatedAt?: string
  readonly usage?: { readonly used: number; readonly size: number; readonly cost?: Wire.Cost }
  /** The requests that wait for a person. */
  readonly permissions: ReadonlyArray<PermissionRequest>
  /** Whether a turn that this client started is running. */
  readonly running: boolean
}
