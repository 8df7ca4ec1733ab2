import { ChannelKind } from "../../model/Constants.ts"
import type { StoredChannel } from "../../model/Records.ts"
import type { Store } from "../../state/Store.ts"

/** The direct channel of the bot and a person, created when there is none. */
export const openDirectChannel = (store: Store, userId: string): StoredChannel => {
  const existing = [...store.channels.values()].find((channel) => channel.recipientId === userId)
  if (existing !== undefined) return existing
  const value: StoredChannel = {
    id: store.ids.next(),
    type: ChannelKind.dm,
    name: store.users.get(userId)?.username ?? "",
    parentId: null,
    position: 0,
    topic: null,
    slowmode: 0,
    recipientId: userId
  }
  store.commit({ kind: "channel", value })
  return value
}
