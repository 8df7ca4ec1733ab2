import * as Effect from "effect/Effect"
import { field, isRecord, stringField } from "../../internal/Json.ts"
import type { SessionArtifacts } from "../artifacts/SessionArtifacts.ts"
import type { SessionContext } from "./SessionContext.ts"
import type { Choices } from "./Choices.ts"
import type { ToolCalls } from "./ToolCalls.ts"
import type { Turns } from "./Turns.ts"

/** Takes the notifications of the agent; `onKind` gets the kind of each update of the session. */
export const make =
  (
    { folder, fork, options, taskId, unitOfWork, relativePaths }: SessionContext,
    parts: {
      readonly turns: Turns
      readonly artifacts: SessionArtifacts
      readonly toolCalls: ToolCalls
      readonly choices: Choices
    },
    onKind: (kind: string | undefined) => void
  ) =>
  (method: string, params: Readonly<Record<string, unknown>>): void => {
    const { artifacts, choices, toolCalls, turns } = parts
    turns.noteActivity()
    if (method === "session/update") {
      const sentUpdate = field(params, "update")
      const kind = stringField(sentUpdate, "sessionUpdate")
      if (kind === undefined || !isRecord(sentUpdate))
        return fork(Effect.logWarning("an update of the agent without a kind was left out"))
      // The journal has the prompt already; some agents repeat it.
      if (kind === "user_message_chunk" && turns.isRunning()) return
      const update = toolCalls.withoutReopening(sentUpdate)
      onKind(kind)
      if (kind === "current_mode_update" || kind === "config_option_update") return choices.handleUpdate(kind, update)
      const told = relativePaths.inUpdate(update)
      unitOfWork.publish(method, { ...params, sessionId: taskId, update: told })
      artifacts.handleUpdate(kind === "plan" ? told : update)
      if (kind === "tool_call" || kind === "tool_call_update") toolCalls.record(update)
      if (kind === "tool_call_update") folder.requestScan()
      return
    }
    if (artifactMethod.test(method)) {
      const problem = artifacts.handleNotification(params)
      if (problem !== undefined) fork(Effect.logWarning("an artifact of the agent was left out", problem))
      return
    }
    // Extensions are for the clients; an agent may send no other method, and none that only the service says.
    if (method.startsWith("_") && !method.startsWith(`${options.extensionPrefix}/files`)) {
      unitOfWork.publish(method, "sessionId" in params ? { ...params, sessionId: taskId } : params)
    }
  }

/** Publishes the tool call of a permission request: some agents name it there only, and the history must have it. */
export const publishToolCall = (
  { taskId, unitOfWork }: SessionContext,
  toolCalls: ToolCalls,
  toolCall: unknown
): void => {
  if (!isRecord(toolCall) || stringField(toolCall, "toolCallId") === undefined) return
  const update = { ...toolCall, sessionUpdate: "tool_call_update" }
  unitOfWork.publish("session/update", { sessionId: taskId, update })
  toolCalls.record(toolCall)
}

const artifactMethod = /^_[^/]+\/artifact$/
