import type { TaskId } from "@heddle/core/domain/Task"
import { randomUUID } from "node:crypto"

/** A message of the service itself in a thread, as the params of a `session/update`; `kind` marks it. */
export const makeUpdate = (taskId: TaskId, text: string, kind?: string): object => ({
  sessionId: taskId,
  update: {
    sessionUpdate: "agent_message_chunk",
    messageId: randomUUID(),
    content: { type: "text", text },
    _meta: { "heddle/notice": true, ...(kind === undefined ? {} : { "heddle/about": kind }) }
  }
})

/** How a notice of this kind is found in the journal. */
export const journalPattern = (kind: string): string => `"heddle/about":${JSON.stringify(kind)}`
