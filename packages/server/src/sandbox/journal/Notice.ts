import type { TaskId } from "@heddle/core/domain/Task"
import { randomUUID } from "node:crypto"

/** A message of the service itself in a thread, as the params of a `session/update`; `about` marks its kind. */
export const update = (taskId: TaskId, text: string, about?: string): object => ({
  sessionId: taskId,
  update: {
    sessionUpdate: "agent_message_chunk",
    messageId: randomUUID(),
    content: { type: "text", text },
    _meta: { "heddle/notice": true, ...(about === undefined ? {} : { "heddle/about": about }) }
  }
})

/** How a notice of this kind is found in the journal. */
export const mark = (about: string): string => `"heddle/about":${JSON.stringify(about)}`
