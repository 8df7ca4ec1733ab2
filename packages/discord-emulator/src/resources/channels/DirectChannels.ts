import { ChannelKind } from "../../model/Constants.ts"
import type { StoredChannel } from "../../model/Records.ts"
import type { World } from "../../state/World.ts"

/** The direct channel of the bot and a person; made when there is none yet. */
export const directWith = (world: World, userId: string): StoredChannel => {
  const found = [...world.channels.values()].find((channel) => channel.recipientId === userId)
  if (found !== undefined) return found
  const value: StoredChannel = {
    id: world.ids.next(),
    type: ChannelKind.dm,
    name: world.users.get(userId)?.username ?? "",
    parentId: null,
    position: 0,
    topic: null,
    slowmode: 0,
    recipientId: userId
  }
  world.commit({ kind: "channel", value })
  return value
}
