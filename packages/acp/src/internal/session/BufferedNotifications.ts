import type * as JsonRpc from "../../JsonRpc.ts"

/** Notifications that came before the session has an id: at most 100, of at most a million characters. */
export interface BufferedNotifications {
  /** False when there is no room. */
  readonly add: (notification: JsonRpc.Notification) => boolean
  /** Removes and returns all, in their order. */
  readonly release: () => ReadonlyArray<JsonRpc.Notification>
}

/** Makes an empty buffer. */
export const make = (): BufferedNotifications => {
  let buffer: Array<JsonRpc.Notification> = []
  let size = 0
  return {
    add: (notification) => {
      const length = JSON.stringify(notification).length
      if (buffer.length >= 100 || size + length > 1_000_000) return false
      buffer.push(notification)
      size += length
      return true
    },
    release: () => {
      const all = buffer
      buffer = []
      size = 0
      return all
    }
  }
}
