import type { Context } from "../context/Context.ts"
import { apiErrors } from "../model/DiscordError.ts"
import type { StoredChannel, StoredMessage } from "../model/Records.ts"
import { findMessage } from "../state/Lookups.ts"
import { canView } from "../state/Permissions.ts"

/** The emulator, and the user who acts. */
export interface ActorScope {
  readonly context: Context
  readonly id: string
}

/** A channel that the actor sees; throws 10003 for others. */
export const visibleChannel = ({ context, id }: ActorScope, channelId: string): StoredChannel => {
  const channel = context.store.channels.get(channelId)
  if (channel === undefined || !canView(context.store, id, channel)) throw apiErrors.unknownChannel()
  return channel
}

/** A message that the actor sees; throws 10003 or 10008 for others. */
export const visibleMessage = (scope: ActorScope, channelId: string, messageId: string): StoredMessage =>
  findMessage(scope.context.store, visibleChannel(scope, channelId).id, messageId, scope.id)
