import { ChannelFlag } from "../../model/Constants.ts"
import type { StoredChannel } from "../../model/Records.ts"
import { timeOf } from "../../model/Snowflake.ts"
import type { Store } from "../../state/Store.ts"

/** The pause between two checks of all threads. */
const checkIntervalMs = 60_000

/** Archives inactive threads after their auto archive duration, until the returned function is called. */
export const startAutoArchive = (store: Store): (() => void) => {
  const archiveInactive = (): void => {
    for (const channel of store.channels.values()) {
      const { thread } = channel
      if (thread === undefined || thread.archived || idleMs(store, channel) < thread.autoArchiveDuration * 60_000)
        continue
      if (((channel.flags ?? 0) & ChannelFlag.pinned) !== 0) continue
      store.commit({
        kind: "channel",
        value: { ...channel, thread: { ...thread, archived: true, archiveTimestamp: store.timestamp() } }
      })
    }
    cancel = store.clock.after(checkIntervalMs, archiveInactive)
  }
  let cancel = store.clock.after(checkIntervalMs, archiveInactive)
  return () => cancel()
}

/** The time since the last message, unarchiving or change of the duration. */
const idleMs = (store: Store, channel: StoredChannel): number => {
  const lastMessage = store.messages.lastId(channel.id)
  const lastActivity = Math.max(
    Date.parse(channel.thread?.archiveTimestamp ?? ""),
    lastMessage === null ? 0 : timeOf(lastMessage)
  )
  return store.clock.now() - lastActivity
}
