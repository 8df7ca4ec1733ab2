import { randomUUID } from "node:crypto"
import { methods, type AgentContext, type SessionUpdate, type ToolCallStatus } from "@agentclientprotocol/sdk"
import type { Plan } from "./PlanProgress.ts"
import type { SessionState } from "./SessionState.ts"
import { toolContent, toolFields, type ToolCall } from "./SessionUpdates.ts"
import { pause, splitPieces } from "./TextStream.ts"

/** Sends the updates of a turn to the client and stores them in the session for the replay. */
export class SessionWriter {
  readonly client: AgentContext
  readonly session: SessionState
  readonly cwd: string
  readonly signal: AbortSignal
  #plan: Plan = []

  constructor(client: AgentContext, session: SessionState, cwd: string, signal: AbortSignal) {
    this.client = client
    this.session = session
    this.cwd = cwd
    this.signal = signal
  }

  /** Streams a message in small pieces under one message id. */
  async say(text: string): Promise<void> {
    await this.#stream("agent", text)
  }

  /** Streams a thought. */
  async think(text: string): Promise<void> {
    await this.#stream("thought", text)
  }

  /** Shows the plan after a step; a second plan in a turn replaces the first. */
  async plan(step: (plan: Plan) => Plan): Promise<void> {
    const entries = step(this.#plan)
    if (entries === this.#plan) return
    const storedPlan =
      this.#plan.length === 0 ? undefined : this.session.history.findLast((item) => item.type === "plan")
    if (storedPlan === undefined) this.session.history.push({ type: "plan", entries: [...entries] })
    else storedPlan.entries = [...entries]
    this.#plan = entries
    await this.#update({ sessionUpdate: "plan", entries: [...entries] })
  }

  /** Starts a tool call. */
  async startTool(call: Pick<ToolCall, "kind" | "title" | "rawInput"> & Partial<ToolCall>): Promise<ToolCall> {
    const item: ToolCall = {
      type: "tool",
      toolCallId: randomUUID(),
      status: "pending",
      text: "",
      locations: [],
      ...call
    }
    this.session.history.push(item)
    await this.#update({ sessionUpdate: "tool_call", ...toolFields(item, this.cwd) })
    return item
  }

  /** Updates the status of a tool call and, where given, its text. */
  async updateTool(call: ToolCall, status: ToolCallStatus, text = call.text): Promise<void> {
    call.status = status
    call.text = text
    const { toolCallId } = call
    await this.#update({ sessionUpdate: "tool_call_update", toolCallId, status, ...toolContent(text) })
  }

  /** Pushes an artifact to clients that know the extension. */
  async artifact(event: "created" | "updated", artifact: Record<string, unknown>): Promise<void> {
    await this.client.notify("_vendor.ai/artifact", { sessionId: this.session.sessionId, event, artifact })
  }

  async #stream(type: "agent" | "thought", text: string): Promise<void> {
    const item = { type, messageId: randomUUID(), text: "" }
    this.session.history.push(item)
    const sessionUpdate = type === "agent" ? "agent_message_chunk" : "agent_thought_chunk"
    for (const piece of splitPieces(text)) {
      this.signal.throwIfAborted()
      item.text += piece
      await this.#update({ sessionUpdate, messageId: item.messageId, content: { type: "text", text: piece } })
      await pause(this.signal)
    }
  }

  async #update(update: SessionUpdate): Promise<void> {
    await this.client.notify(methods.client.session.update, { sessionId: this.session.sessionId, update })
  }
}
