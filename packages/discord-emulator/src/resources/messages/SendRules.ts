import { apiErrors } from "../../model/DiscordError.ts"
import type { MessageBody } from "../../validate/MessageBody.ts"
import { ChannelKind, Permission } from "../../model/Constants.ts"
import type { StoredChannel } from "../../model/Records.ts"
import { can, requirePermissions } from "../../state/Permissions.ts"
import type { Store } from "../../state/Store.ts"

/** A message to send. */
interface OutgoingMessage {
  readonly authorId: string
  readonly body: MessageBody
  readonly fileCount: number
}

/** Throws unless this author may send this message here now. */
export const requireSendable = (
  store: Store,
  channel: StoredChannel,
  { authorId, body, fileCount }: OutgoingMessage
): void => {
  if (channel.recipientId !== undefined) return requireDirectMessageAllowed(store, channel, authorId)
  const sendPermission = channel.thread === undefined ? Permission.sendMessages : Permission.sendInThreads
  requirePermissions(store, authorId, sendPermission, channel)
  if (fileCount > 0) requirePermissions(store, authorId, Permission.attachFiles, channel)
  if (body.embeds?.length) requirePermissions(store, authorId, Permission.embedLinks, channel)
  if (body.replyTo !== undefined && !can(store, authorId, Permission.readHistory, channel))
    throw apiErrors.missingReadHistory()
  requireUnlocked(store, channel, authorId)
  requireSlowmodeElapsed(store, channel, authorId)
}

/** Throws 160005 in a locked thread, unless the user has Manage Threads. */
export const requireUnlocked = (store: Store, channel: StoredChannel, userId: string): void => {
  if (channel.thread?.locked === true && !can(store, userId, Permission.manageThreads, channel))
    throw apiErrors.threadLocked()
}

/** Throws 50008 in a forum or category, which have no messages of their own. */
export const requireTextChannel = ({ type }: StoredChannel): void => {
  if (type === ChannelKind.forum || type === ChannelKind.category) throw apiErrors.notTextual()
}

const requireDirectMessageAllowed = (store: Store, channel: StoredChannel, authorId: string): void => {
  requirePermissions(store, authorId, Permission.sendMessages, channel)
  if (authorId !== store.guild.botId || channel.recipientId === undefined) return
  if (store.users.get(channel.recipientId)?.blocksDirectMessages === true) throw apiErrors.cannotMessageUser()
  if (!store.members.has(channel.recipientId)) throw apiErrors.noSharedGuild()
}

/** Slowmode applies to people without the permission to bypass it. */
const requireSlowmodeElapsed = (store: Store, channel: StoredChannel, authorId: string): void => {
  if (channel.slowmode === 0 || store.users.get(authorId)?.bot === true) return
  if (can(store, authorId, Permission.bypassSlowmode, channel)) return
  const lastMessage = store.messages.in(channel.id).findLast((message) => message.authorId === authorId)
  if (lastMessage !== undefined && store.clock.now() - Date.parse(lastMessage.timestamp) < channel.slowmode * 1000)
    throw apiErrors.slowmode()
}
