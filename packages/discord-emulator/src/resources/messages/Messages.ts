import { Flag, ChannelKind, MessageKind, Permission } from "../../model/Constants.ts"
import { apiErrors } from "../../model/DiscordError.ts"
import type { StoredAttachment, StoredMessage } from "../../model/Records.ts"
import { findChannel } from "../../state/Lookups.ts"
import { isSystemMessage } from "../../state/MessageVisibility.ts"
import { requirePermissions } from "../../state/Permissions.ts"
import { type MessageContext, storeUpload, type UploadedFile } from "./Attachments.ts"
import { createMessage, type MessageDraft } from "./CreateMessage.ts"
import { bulkDeleteMessages, deleteMessage } from "./DeleteMessages.ts"
import { editMessage } from "./EditMessage.ts"
import { clearReactions, setReaction } from "./Reactions.ts"

/** What bots and people do with messages. Every method throws `DiscordError` when Discord would refuse. */
export interface Messages {
  readonly create: (draft: MessageDraft, body: unknown, files: ReadonlyArray<UploadedFile>) => StoredMessage
  readonly edit: (
    message: StoredMessage,
    editorId: string,
    body: unknown,
    files: ReadonlyArray<UploadedFile>
  ) => StoredMessage
  readonly delete: (message: StoredMessage, userId: string) => void
  /** Deletes the listed messages that the user can see; the caller checks Manage Messages. */
  readonly bulkDelete: (channelId: string, ids: ReadonlyArray<string>, userId: string) => void
  readonly react: (message: StoredMessage, userId: string, emoji: string, isAdded: boolean) => void
  /** Removes all reactions of a message, or those with one emoji. */
  readonly clearReactions: (message: StoredMessage, emoji?: string) => void
  readonly pin: (message: StoredMessage, userId: string, isPinned: boolean) => void
  /** Publishes an announcement to the channels that follow it. */
  readonly crosspost: (message: StoredMessage, userId: string) => StoredMessage
  /** Creates a system message. */
  readonly createSystem: (draft: MessageDraft, content?: string) => StoredMessage
  /** Stores a file that belongs to no message yet, such as that of a command option. */
  readonly upload: (file: UploadedFile, description?: string) => StoredAttachment
}

export const makeMessages = (context: MessageContext): Messages => ({
  create: (draft, body, files) => createMessage(context, draft, body, files),
  edit: (message, editorId, body, files) => editMessage(context, message, editorId, body, files),
  delete: (message, userId) => deleteMessage(context.store, message, userId),
  bulkDelete: (channelId, ids, userId) => bulkDeleteMessages(context.store, channelId, ids, userId),
  react: (message, userId, emoji, isAdded) => setReaction(context.store, message, userId, emoji, isAdded),
  clearReactions: (message, emoji) => clearReactions(context.store, message, emoji),
  pin: (message, userId, pinned) => setPinned(context, message, userId, pinned),
  crosspost: (message, userId) => crosspostMessage(context, message, userId),
  createSystem: (draft, content) => createSystemMessage(context, draft, content),
  upload: (file, description) => storeUpload(context, file, description)
})

const maxPins = 250

const createSystemMessage = (context: MessageContext, draft: MessageDraft, content = ""): StoredMessage =>
  createMessage(context, { mentionIds: [], ...draft, mayBeEmpty: true }, { content }, [])

const setPinned = (context: MessageContext, message: StoredMessage, userId: string, pinned: boolean): void => {
  const { store } = context
  const channel = findChannel(store, message.channelId)
  requirePermissions(store, userId, Permission.pinMessages, channel)
  if (isSystemMessage(message)) throw apiErrors.systemMessage()
  if (channel.thread?.archived === true) throw apiErrors.threadArchived()
  if (message.pinned === pinned) return
  const pins = store.messages.in(channel.id).filter((stored) => stored.pinned).length
  if (pinned && pins >= maxPins) throw apiErrors.tooMany(30_003, "pins for the channel", maxPins)
  const pinnedAt = store.timestamp()
  store.commit({ kind: "message", value: { ...message, pinned, ...(pinned ? { pinnedAt } : {}) } })
  if (!pinned) return
  store.commit({ kind: "channel", value: { ...channel, lastPinAt: pinnedAt }, quiet: true })
  const reference = { channelId: channel.id, messageId: message.id }
  createSystemMessage(context, { channelId: channel.id, authorId: userId, type: MessageKind.pinned, reference })
}

const crosspostMessage = ({ store }: MessageContext, message: StoredMessage, userId: string): StoredMessage => {
  const channel = findChannel(store, message.channelId)
  const needed = message.authorId === userId ? Permission.sendMessages : Permission.manageMessages
  requirePermissions(store, userId, needed, channel)
  if (channel.type !== ChannelKind.announcement) throw apiErrors.notInChannelType()
  if (isSystemMessage(message)) throw apiErrors.systemMessage()
  if ((message.flags & Flag.crossposted) !== 0) throw apiErrors.alreadyCrossposted()
  const value = { ...message, flags: message.flags | Flag.crossposted }
  store.commit({ kind: "message", value })
  return value
}
