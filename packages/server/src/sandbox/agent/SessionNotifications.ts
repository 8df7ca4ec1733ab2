import type * as JsonRpc from "@heddle/acp/JsonRpc"
import { isRecord } from "../../internal/Json.ts"

/** Passes the notifications of one session on, once it is open. */
export interface SessionNotifications {
  readonly receive: (notification: JsonRpc.Notification) => void
  /** Leaves everything out until the session is open: the agent replays its history. */
  readonly drop: () => void
  /** Keeps what comes before the answer that names the session. */
  readonly hold: () => void
  /** Passes on what was kept and what comes from now on. */
  readonly open: (sessionId: string) => void
  /** How many updates were left out. */
  readonly dropped: () => number
}

export const make = (
  onNotification: (method: string, params: Readonly<Record<string, unknown>>) => void
): SessionNotifications => {
  const state: { phase: "hold" | "drop" | "open"; sessionId: string | undefined; dropped: number } = {
    phase: "drop",
    sessionId: undefined,
    dropped: 0
  }
  const held: Array<JsonRpc.Notification> = []

  const receive = (notification: JsonRpc.Notification) => {
    const { method } = notification
    const params = isRecord(notification.params) ? notification.params : {}
    if (state.phase === "hold" && held.length < heldLimit) held.push(notification)
    if (state.phase === "drop" && method === "session/update") state.dropped += 1
    // Sessions that an agent opens on its own account are not this task's.
    if (state.phase !== "open" || ("sessionId" in params && params["sessionId"] !== state.sessionId)) return
    onNotification(method, params)
  }

  return {
    receive,
    drop: () => {
      state.phase = "drop"
    },
    hold: () => {
      state.phase = "hold"
      state.sessionId = undefined
    },
    open: (sessionId) => {
      state.sessionId = sessionId
      state.phase = "open"
      for (const notification of held.splice(0)) receive(notification)
    },
    dropped: () => state.dropped
  }
}

/** How many notifications may come before the answer that names their session. */
const heldLimit = 1000
