import type { TaskId } from "@heddle/core/domain/Task"
import { stringField } from "../../internal/Json.ts"
import type { UnitOfWork } from "../journal/UnitOfWork.ts"

/** The tool calls of a session, which of them are going on. */
export interface ToolCalls {
  /** Records a tool call update that was sent to the clients. */
  readonly record: (update: unknown) => void
  /** The update without its status where that would begin a call again that was stopped with its turn. */
  readonly withoutReopening: (update: Update) => Update
  /** Marks the running tool calls, or one of them, with a final status, and sends that to the clients. */
  readonly stop: (status: "cancelled" | "failed", onlyId?: string) => void
}

type Update = Readonly<Record<string, unknown>>

/** Follows the tool calls of a task, starting from `earlierUpdates`. */
export const make = (taskId: TaskId, earlierUpdates: Iterable<unknown>, unitOfWork: UnitOfWork): ToolCalls => {
  const unfinishedById = new Map<string, boolean>()
  const stoppedIds = new Set<string>()
  const record = (update: unknown) => {
    const toolCallId = stringField(update, "toolCallId")
    if (toolCallId === undefined) return
    const status = stringField(update, "status")
    // An update without a status leaves a call as it was; a new one waits.
    const isUnfinished = status === undefined ? (unfinishedById.get(toolCallId) ?? true) : active.has(status)
    unfinishedById.set(toolCallId, isUnfinished)
    if (isUnfinished) stoppedIds.delete(toolCallId)
  }
  for (const update of earlierUpdates) record(update)
  return {
    record,
    withoutReopening: (update) => {
      const { status, ...rest } = update
      const isStopped = stoppedIds.has(stringField(update, "toolCallId") ?? "")
      // With a title the agent names a new call.
      return isStopped && active.has(String(status)) && update["title"] === undefined ? rest : update
    },
    stop: (status, onlyId) => {
      for (const [toolCallId, isUnfinished] of unfinishedById) {
        if (!isUnfinished || (onlyId ?? toolCallId) !== toolCallId) continue
        unfinishedById.set(toolCallId, false)
        stoppedIds.add(toolCallId)
        // The protocol's first version has no word for a cancelled call: who does not know it keeps to the other one.
        for (const wireStatus of new Set(["failed", status])) {
          const update = { sessionUpdate: "tool_call_update", toolCallId, status: wireStatus }
          unitOfWork.publish("session/update", { sessionId: taskId, update })
        }
      }
    }
  }
}

const active: ReadonlySet<string> = new Set(["pending", "in_progress"])
