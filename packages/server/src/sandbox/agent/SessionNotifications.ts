import type * as JsonRpc from "@heddle/acp/JsonRpc"
import { isRecord } from "../../internal/Json.ts"

/** Forwards the notifications of one session, once it is open. */
export interface SessionNotifications {
  readonly receive: (notification: JsonRpc.Notification) => void
  /** Drops notifications until the session is open, because the agent replays its history. */
  readonly drop: () => void
  /** Buffers notifications that come before the session is known to be open. */
  readonly hold: () => void
  /** Forwards the buffered notifications and all later ones. */
  readonly open: (sessionId: string) => void
  /** The number of dropped updates. */
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

  const receive = (notification: JsonRpc.Notification) => {
    const { method } = notification
    const params = isRecord(notification.params) ? notification.params : {}
    if (state.phase === "hold" && heldNotifications.length < maxHeld) heldNotifications.push(notification)
    if (state.phase === "drop" && method === "session/update") state.dropped += 1
    // An agent may open other sessions, which do not belong to this task.
    if (state.phase !== "open" || ("sessionId" in params && params["sessionId"] !== state.sessionId)) return
    onNotification(method, params)
  }

  return {
    receive,
    drop: () => {
      state.phase = "drop"
      heldNotifications.length = 0
    },
    hold: () => {
      state.phase = "hold"
      state.sessionId = undefined
    },
    open: (sessionId) => {
      state.sessionId = sessionId
      state.phase = "open"
      for (const notification of heldNotifications.splice(0)) receive(notification)
    },
    dropped: () => state.dropped
  }
}

/** Maximum number of buffered notifications. */
const maxHeld = 1000
