import { Permission } from "../../model/Constants.ts"
import { apiErrors } from "../../model/DiscordError.ts"
import type { StoredMessage } from "../../model/Records.ts"
import { dayMs } from "../../settings/Clock.ts"
import { timeOf } from "../../model/Snowflake.ts"
import { findChannel } from "../../state/Lookups.ts"
import { isVisibleTo } from "../../state/MessageVisibility.ts"
import { requirePermissions } from "../../state/Permissions.ts"
import type { Store } from "../../state/Store.ts"
import { requireUnlocked } from "./SendRules.ts"

const maxBulkDeleteAgeMs = 14 * dayMs

/** Deletes a message; the message of another author needs Manage Messages. */
export const deleteMessage = (store: Store, message: StoredMessage, userId: string): void => {
  const isOwn = message.authorId === userId || message.visibleTo === userId
  const channel = findChannel(store, message.channelId)
  if (!isOwn) requirePermissions(store, userId, Permission.manageMessages, channel)
  // Discord allows this in an archived thread, but not in one that is locked as well.
  if (channel.thread?.archived === true) requireUnlocked(store, channel, userId)
  store.commit({ kind: "message_gone", channelId: message.channelId, id: message.id })
}

/**
 * Deletes the listed messages that the user can see. The route checks Manage Messages first. Throws 50034 when a listed
 * id is older than two weeks.
 */
export const bulkDeleteMessages = (
  store: Store,
  channelId: string,
  ids: ReadonlyArray<string>,
  userId: string
): void => {
  const visibleIds = ids.filter((id) => {
    const message = store.messages.get(channelId, id)
    return message !== undefined && isVisibleTo(message, userId)
  })
  if (ids.some((id) => store.clock.now() - timeOf(id) > maxBulkDeleteAgeMs)) throw apiErrors.tooOldToDelete()
  if (visibleIds.length > 0) store.commit({ kind: "messages_gone", channelId, ids: visibleIds })
}
