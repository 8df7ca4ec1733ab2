import { randomUUID } from "node:crypto"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import {
  methods,
  RequestError,
  type AgentContext,
  type PlanEntry,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionUpdate,
  type ToolCallContent,
  type ToolCallStatus
} from "@agentclientprotocol/sdk"
import type { HistoryItem, SessionState } from "./SessionState.ts"

/** One tool call while it runs. */
export interface ToolCall {
  readonly item: Extract<HistoryItem, { readonly type: "tool" }>
}

/** What became of a permission request. */
export type Permission = "allowed" | "always" | "denied" | "cancelled"

/** Says what happens in a turn to the client, and remembers it for the replay. */
export class Voice {
  readonly #client: AgentContext
  readonly #session: SessionState
  readonly #cwd: string
  readonly #signal: AbortSignal
  #entries: ReadonlyArray<PlanEntry> = []

  constructor(client: AgentContext, session: SessionState, cwd: string, signal: AbortSignal) {
    this.#client = client
    this.#session = session
    this.#cwd = cwd
    this.#signal = signal
  }

  /** Streams one message in small pieces under one message id. */
  async say(text: string): Promise<void> {
    await this.#stream("agent", text)
  }

  /** Streams one short thought. */
  async think(text: string): Promise<void> {
    await this.#stream("thought", text)
  }

  /** Shows the plan with its first steps done and the next one under way; a second plan in a turn replaces the first. */
  async plan(steps: ReadonlyArray<string>, done = 0): Promise<void> {
    const status = (i: number) =>
      i < done ? ("completed" as const) : i === done ? ("in_progress" as const) : ("pending" as const)
    await this.#show(steps.map((content, i) => ({ content, priority: "medium" as const, status: status(i) })))
  }

  /** Completes the current step of the plan and starts the next; `all` completes the rest. */
  async advance(all = false): Promise<void> {
    const at = this.#current()
    if (at < 0) return
    await this.#show(
      this.#entries.map((entry, i) => {
        if (i === at || (all && i > at)) return { ...entry, status: "completed" }
        return i === at + 1 ? { ...entry, status: "in_progress" } : entry
      })
    )
  }

  /** Takes the current step, which is not needed, off the plan and starts the next; `all` takes off the rest. */
  async skip(all = false): Promise<void> {
    const at = this.#current()
    if (at < 0) return
    const kept = this.#entries.filter((_, i) => i < at || (!all && i > at))
    await this.#show(kept.map((entry, i) => (i === at ? { ...entry, status: "in_progress" } : entry)))
  }

  /** Leaves the current step undone in the plan, with the reason, and starts the next. */
  async leave(why: string): Promise<void> {
    const at = this.#current()
    if (at < 0) return
    await this.#show(
      this.#entries.map((entry, i) => {
        if (i === at) return { ...entry, content: `${entry.content} (${why})`, status: "pending" }
        return i === at + 1 ? { ...entry, status: "in_progress" } : entry
      })
    )
  }

  async #show(entries: ReadonlyArray<PlanEntry>): Promise<void> {
    const last = this.#entries.length === 0 ? undefined : this.#lastPlan()
    if (last === undefined) this.#session.history.push({ type: "plan", entries: [...entries] })
    else last.entries = [...entries]
    this.#entries = entries
    await this.#update({ sessionUpdate: "plan", entries: [...entries] })
  }

  /** Starts a tool call. */
  async startTool(
    kind: ToolCall["item"]["kind"],
    title: string,
    rawInput: Record<string, unknown>,
    files: ReadonlyArray<string> = [],
    text = ""
  ): Promise<ToolCall> {
    const item: ToolCall["item"] = {
      type: "tool",
      toolCallId: randomUUID(),
      title,
      kind,
      status: "pending",
      rawInput,
      text,
      locations: [...files]
    }
    this.#session.history.push(item)
    await this.#update({ sessionUpdate: "tool_call", ...toolFields(item, this.#cwd) })
    return { item }
  }

  /** Moves a tool call on, with what it found. */
  async moveTool(call: ToolCall, status: ToolCallStatus, text = call.item.text): Promise<void> {
    call.item.status = status
    call.item.text = text
    await this.#update({
      sessionUpdate: "tool_call_update",
      toolCallId: call.item.toolCallId,
      status,
      ...toolContent(text)
    })
  }

  /** Asks for permission to do what a tool call describes; a permission given for the session is not asked for again. */
  async ask(call: ToolCall): Promise<Permission> {
    if (this.#session.alwaysAllowed) return "always"
    try {
      const params: RequestPermissionRequest = {
        sessionId: this.#session.sessionId,
        toolCall: toolFields(call.item, this.#cwd),
        options: [
          { optionId: "allow", name: "Allow", kind: "allow_once" },
          { optionId: "always", name: "Always allow in this session", kind: "allow_always" },
          { optionId: "deny", name: "Deny", kind: "reject_once" }
        ]
      }
      const { outcome }: RequestPermissionResponse = await this.#client.request(
        methods.client.session.requestPermission,
        params,
        { cancellationSignal: this.#signal, stopWaitingOnCancel: true }
      )
      if (outcome.outcome !== "selected") return "cancelled"
      if (outcome.optionId === "always") this.#session.alwaysAllowed = true
      return outcome.optionId === "always" ? "always" : outcome.optionId === "allow" ? "allowed" : "denied"
    } catch (error) {
      if (this.#signal.aborted || (error instanceof RequestError && error.code === -32800)) return "cancelled"
      // A client that cannot ask its user has not given permission.
      if (error instanceof RequestError) return "denied"
      throw error
    }
  }

  /** Pushes an artifact to clients that know the extension. */
  async artifact(event: "created" | "updated", artifact: Record<string, unknown>): Promise<void> {
    await this.#client.notify("_vendor.ai/artifact", { sessionId: this.#session.sessionId, event, artifact })
  }

  /** Which step of the plan is under way; -1 when none is. */
  #current(): number {
    return this.#entries.findIndex((entry) => entry.status === "in_progress")
  }

  #lastPlan(): Extract<HistoryItem, { readonly type: "plan" }> | undefined {
    return this.#session.history.findLast((item) => item.type === "plan")
  }

  async #stream(type: "agent" | "thought", text: string): Promise<void> {
    const item = { type, messageId: randomUUID(), text: "" }
    this.#session.history.push(item)
    const sessionUpdate = type === "agent" ? "agent_message_chunk" : "agent_thought_chunk"
    for (const piece of pieces(text)) {
      this.#signal.throwIfAborted()
      item.text += piece
      await this.#update({ sessionUpdate, messageId: item.messageId, content: { type: "text", text: piece } })
      await pause(this.#signal)
    }
  }

  async #update(update: SessionUpdate): Promise<void> {
    await this.#client.notify(methods.client.session.update, { sessionId: this.#session.sessionId, update })
  }
}

/** Sends a stored conversation again, one update per message, tool call and plan. */
export const replay = async (client: AgentContext, session: SessionState, cwd: string): Promise<void> => {
  for (const item of session.history) {
    await client.notify(methods.client.session.update, { sessionId: session.sessionId, update: asUpdate(item, cwd) })
  }
}

/** Cuts a text into lines and sentences; joined again they give the text. */
export const pieces = (text: string): ReadonlyArray<string> =>
  text
    .split(/(?<=\n)/)
    .flatMap((line) => (line.startsWith("|") || line.length < 80 ? [line] : line.split(/(?<=[.!?] )(?=[A-Z*“])/)))

const asUpdate = (item: HistoryItem, cwd: string): SessionUpdate => {
  switch (item.type) {
    case "user":
      return {
        sessionUpdate: "user_message_chunk",
        messageId: item.messageId,
        content: { type: "text", text: item.text }
      }
    case "user_file":
      return {
        sessionUpdate: "user_message_chunk",
        messageId: item.messageId,
        content: { type: "resource_link", uri: pathToFileURL(join(cwd, item.name)).href, name: item.name }
      }
    case "agent":
      return {
        sessionUpdate: "agent_message_chunk",
        messageId: item.messageId,
        content: { type: "text", text: item.text }
      }
    case "thought":
      return {
        sessionUpdate: "agent_thought_chunk",
        messageId: item.messageId,
        content: { type: "text", text: item.text }
      }
    case "plan":
      return { sessionUpdate: "plan", entries: item.entries }
    case "tool":
      return { sessionUpdate: "tool_call", ...toolFields(item, cwd) }
  }
}

const toolFields = (item: ToolCall["item"], cwd: string) => ({
  toolCallId: item.toolCallId,
  title: item.title,
  kind: item.kind,
  status: item.status,
  rawInput: item.rawInput,
  ...(item.locations.length > 0 ? { locations: item.locations.map((file) => ({ path: join(cwd, file) })) } : {}),
  ...toolContent(item.text)
})

const toolContent = (text: string): { content?: Array<ToolCallContent> } =>
  text === "" ? {} : { content: [{ type: "content", content: { type: "text", text } }] }

const PACE = Number(process.env["HEDDLE_AGENT_PACE_MS"] ?? 0)

/** Lets the event loop turn between pieces, or waits for the pace asked for; ends at once when the turn is cancelled. */
const pause = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (!(PACE > 0)) return void setImmediate(resolve)
    const done = (): void => {
      clearTimeout(timer)
      signal.removeEventListener("abort", done)
      resolve()
    }
    const timer = setTimeout(done, PACE)
    signal.addEventListener("abort", done)
  })
