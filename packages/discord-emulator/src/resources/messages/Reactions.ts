import { Permission } from "../../model/Constants.ts"
import { apiErrors } from "../../model/DiscordError.ts"
import type { StoredMessage, StoredReaction } from "../../model/Records.ts"
import { findChannel } from "../../state/Lookups.ts"
import { requirePermissions } from "../../state/Permissions.ts"
import type { Store } from "../../state/Store.ts"

const maxEmojis = 20

/** Reads the emoji of a path, `😀` or `name:id`; throws 10014 for other text. */
export const readEmoji = (text: string): StoredReaction["emoji"] => {
  const custom = /^(\w{2,32}):(\d{17,19})$/.exec(text)
  if (custom?.[1] !== undefined && custom[2] !== undefined) return { name: custom[1], id: custom[2] }
  if (!/\p{Extended_Pictographic}|\p{Regional_Indicator}|\u20E3/u.test(text) || [...text].length > 12)
    throw apiErrors.unknownEmoji()
  return { name: text, id: null }
}

/** Whether two emojis are the same. */
export const sameEmoji = (a: StoredReaction["emoji"], b: StoredReaction["emoji"]): boolean =>
  a.id === b.id && (a.id !== null || a.name === b.name)

/** The reactions after an added or removed one; the same list when nothing changed. Throws 30010 for a 21st emoji. */
const changeReactions = (
  reactions: ReadonlyArray<StoredReaction>,
  userId: string,
  emoji: StoredReaction["emoji"],
  isAdded: boolean
): ReadonlyArray<StoredReaction> => {
  const existing = reactions.find((reaction) => sameEmoji(reaction.emoji, emoji))
  if (isAdded === (existing?.userIds.includes(userId) ?? false)) return reactions
  if (existing === undefined) {
    if (reactions.length >= maxEmojis) throw apiErrors.tooMany(30_010, "reactions", maxEmojis)
    return [...reactions, { emoji, userIds: [userId] }]
  }
  const userIds = isAdded ? [...existing.userIds, userId] : existing.userIds.filter((id) => id !== userId)
  return reactions
    .map((reaction) => (reaction === existing ? { ...reaction, userIds } : reaction))
    .filter((reaction) => reaction.userIds.length > 0)
}

/** Adds or removes a user's reaction. */
export const setReaction = (
  store: Store,
  message: StoredMessage,
  userId: string,
  text: string,
  isAdded: boolean
): void => {
  const channel = findChannel(store, message.channelId)
  const emoji = readEmoji(text)
  if (channel.thread?.archived === true) throw apiErrors.threadArchived()
  if (isAdded) {
    // The guild has no custom emojis.
    if (emoji.id !== null) throw apiErrors.unknownEmoji()
    const isNewEmoji = !message.reactions.some((reaction) => sameEmoji(reaction.emoji, emoji))
    const needed = isNewEmoji ? Permission.readHistory | Permission.addReactions : Permission.readHistory
    requirePermissions(store, userId, needed, channel)
  }
  const reactions = changeReactions(message.reactions, userId, emoji, isAdded)
  if (reactions !== message.reactions) store.commit({ kind: "message", value: { ...message, reactions } })
}

/** Removes all reactions of a message, or those with one emoji. */
export const clearReactions = (store: Store, message: StoredMessage, text?: string): void => {
  const emoji = text === undefined ? undefined : readEmoji(text)
  const reactions = emoji === undefined ? [] : message.reactions.filter((reaction) => !sameEmoji(reaction.emoji, emoji))
  if (reactions.length === message.reactions.length) return
  const cleared = emoji === undefined ? ("all" as const) : emoji
  store.commit({ kind: "message", value: { ...message, reactions }, cleared })
}
