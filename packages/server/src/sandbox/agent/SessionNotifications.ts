import type * as JsonRpc from "@heddle/acp/JsonRpc"
import { isRecord, stringField } from "../../internal/Json.ts"

/** Forwards the notifications of one session, once it is open. */
export interface SessionNotifications {
  readonly receive: (notification: JsonRpc.Notification) => void
  /** Drops the history that the agent replays, and buffers everything else. */
  readonly drop: () => void
  /** Buffers notifications that come before the session is known to be open. */
  readonly hold: () => void
  /** Forwards the buffered notifications and all later ones. */
  readonly open: (sessionId: string) => void
  /** The number of dropped updates of the history. */
  readonly dropped: () => number
}

export const make = (
  onNotification: (method: string, params: Readonly<Record<string, unknown>>) => void
): SessionNotifications => {
  // "drop": the agent replays its history. "hold": the response with a new session's id is still to come.
  const state: { phase: "hold" | "drop" | "open"; sessionId: string | undefined; dropped: number } = {
    phase: "drop",
    sessionId: undefined,
    dropped: 0
  }
  const heldNotifications: Array<JsonRpc.Notification> = []
  let heldBytes = 0

  /** What follows a notification that has no room is left out, too: half of a text is worse than its beginning. */
  const hold = (notification: JsonRpc.Notification) => {
    heldBytes += Buffer.byteLength(JSON.stringify(notification)) + overheadBytes
    if (heldBytes <= maxHeldBytes) heldNotifications.push(notification)
  }
  const release = () => {
    heldBytes = 0
    return heldNotifications.splice(0)
  }

  const receive = (notification: JsonRpc.Notification) => {
    const { method } = notification
    const params = isRecord(notification.params) ? notification.params : {}
    const isDropped = state.phase === "drop" && history.has(stringField(params["update"], "sessionUpdate") ?? "")
    if (isDropped) state.dropped += 1
    else if (state.phase !== "open") hold(notification)
    // An agent may open other sessions, which do not belong to this task.
    if (state.phase !== "open" || ("sessionId" in params && params["sessionId"] !== state.sessionId)) return
    onNotification(method, params)
  }

  return {
    receive,
    drop: () => {
      state.phase = "drop"
      release()
    },
    hold: () => {
      state.phase = "hold"
      state.sessionId = undefined
    },
    open: (sessionId) => {
      state.sessionId = sessionId
      state.phase = "open"
      for (const notification of release()) receive(notification)
    },
    dropped: () => state.dropped
  }
}

/** The updates of a replay; modes, options and commands are news after it, too. */
const history: ReadonlySet<string> = new Set([
  "user_message_chunk",
  "agent_message_chunk",
  "agent_thought_chunk",
  "tool_call",
  "tool_call_update",
  "plan",
  "plan_update",
  "plan_removed"
])

/** The most bytes of buffered notifications, as JSON. */
const maxHeldBytes = 4 * 1024 * 1024

/** What a small notification takes in memory besides its text. */
const overheadBytes = 500
