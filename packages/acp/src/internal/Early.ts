import type * as JsonRpc from "../JsonRpc.ts"

/** Keeps what is said before the session has a name: at most 100 notifications of at most a million characters. */
export const make = () => {
  let held: Array<JsonRpc.Notification> = []
  let size = 0
  return {
    /** False when there is no room. */
    hold: (notification: JsonRpc.Notification): boolean => {
      const length = JSON.stringify(notification).length
      if (held.length >= 100 || size + length > 1_000_000) return false
      held.push(notification)
      size += length
      return true
    },
    /** Everything held, in its order; nothing is held after that. */
    release: (): ReadonlyArray<JsonRpc.Notification> => {
      const all = held
      held = []
      size = 0
      return all
    }
  }
}
