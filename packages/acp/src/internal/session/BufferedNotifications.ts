import type * as JsonRpc from "../../JsonRpc.ts"

/** Notifications that came before the session has an id: at most 100, of at most a million characters. */
export class BufferedNotifications {
  #buffer: Array<JsonRpc.Notification> = []
  #size = 0

  /** False when there is no room. */
  add(notification: JsonRpc.Notification): boolean {
    const length = JSON.stringify(notification).length
    if (this.#buffer.length >= 100 || this.#size + length > 1_000_000) return false
    this.#buffer.push(notification)
    this.#size += length
    return true
  }

  /** Removes and returns all, in their order. */
  release(): ReadonlyArray<JsonRpc.Notification> {
    const all = this.#buffer
    this.#buffer = []
    this.#size = 0
    return all
  }
}
