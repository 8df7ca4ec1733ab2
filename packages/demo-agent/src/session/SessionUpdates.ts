import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { methods, type AgentContext, type SessionUpdate, type ToolCallContent } from "@agentclientprotocol/sdk"
import { nameOf } from "./Attachment.ts"
import type { HistoryItem, SessionState } from "./SessionState.ts"

/** A tool call as the session stores it. */
export type ToolCall = Extract<HistoryItem, { readonly type: "tool" }>

/** Sends a stored conversation again, one update per message, tool call and plan. */
export const replay = async (client: AgentContext, session: SessionState, cwd: string): Promise<void> => {
  for (const item of session.history) {
    await client.notify(methods.client.session.update, { sessionId: session.sessionId, update: updateOf(item, cwd) })
  }
}

/** The fields of a tool call as clients get them; `locations` are relative to `cwd`. */
export const toolFields = (call: ToolCall, cwd: string) => ({
  toolCallId: call.toolCallId,
  title: call.title,
  kind: call.kind,
  status: call.status,
  rawInput: call.rawInput,
  ...(call.locations.length > 0 ? { locations: call.locations.map((file) => ({ path: join(cwd, file) })) } : {}),
  ...toolContent(call.text)
})

/** A text as the content of a tool call; nothing for "". */
export const toolContent = (text: string): { content?: Array<ToolCallContent> } =>
  text === "" ? {} : { content: [{ type: "content", content: { type: "text", text } }] }

const updateOf = (item: HistoryItem, cwd: string): SessionUpdate => {
  switch (item.type) {
    case "user":
      return { sessionUpdate: "user_message_chunk", ...textChunk(item) }
    case "agent":
      return { sessionUpdate: "agent_message_chunk", ...textChunk(item) }
    case "thought":
      return { sessionUpdate: "agent_thought_chunk", ...textChunk(item) }
    case "user_file": {
      const uri = pathToFileURL(join(cwd, item.name)).href
      return {
        sessionUpdate: "user_message_chunk",
        messageId: item.messageId,
        content: { type: "resource_link", uri, name: nameOf(item.name) }
      }
    }
    case "plan":
      return { sessionUpdate: "plan", entries: item.entries }
    case "tool":
      return { sessionUpdate: "tool_call", ...toolFields(item, cwd) }
  }
}

const textChunk = ({ messageId, text }: { readonly messageId: string; readonly text: string }) => ({
  messageId,
  content: { type: "text" as const, text }
})
