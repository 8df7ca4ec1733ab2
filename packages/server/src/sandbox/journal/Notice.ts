import type { TaskId } from "@heddle/core/domain/Task"
import { randomUUID } from "node:crypto"

/** A message of the service itself in a thread, as the params of a `session/update`; `kind` marks it. */
export const makeUpdate = (taskId: TaskId, text: string, kind?: string): object => ({
  sessionId: taskId,
  update: {
    sessionUpdate: "agent_message_chunk",
    messageId: randomUUID(),
    // Clients that ignore message ids put it between words of the agent.
    content: { type: "text", text: `\n\n${text}\n\n` },
    _meta: { "heddle/notice": true, ...(kind === undefined ? {} : { "heddle/about": kind }) }
  }
})

/** How a notice of this kind is found in the journal. */
export const journalPattern = (kind: string): string => `"heddle/about":${JSON.stringify(kind)}`
