import { apiErrors } from "../model/DiscordError.ts"
import type { StoredChannel, StoredMessage } from "../model/Records.ts"
import { isVisibleTo } from "./MessageVisibility.ts"
import { canView } from "./Permissions.ts"
import type { Store } from "./Store.ts"

/** The channel; throws 10003 when there is none. */
export const findChannel = (store: Store, channelId: string): StoredChannel => {
  const channel = store.channels.get(channelId)
  if (channel === undefined) throw apiErrors.unknownChannel()
  return channel
}

/** The message; throws 50001 when the viewer cannot see the channel and 10008 when the viewer sees no such message. */
export const findMessage = (store: Store, channelId: string, messageId: string, viewerId: string): StoredMessage => {
  if (!canView(store, viewerId, findChannel(store, channelId))) throw apiErrors.missingAccess()
  const message = store.messages.get(channelId, messageId)
  if (message === undefined || !isVisibleTo(message, viewerId)) throw apiErrors.unknownMessage()
  return message
}
