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
  readonly files: number
}

/** Refuses messages where none can be, or not by this sender, or not now. */
export const requireSendable = (
  store: Store,
  channel: StoredChannel,
  { authorId, body, files }: OutgoingMessage
): void => {
  if (channel.recipientId !== undefined) return requireDirectAllowed(store, channel, authorId)
  const sending = channel.thread === undefined ? Permission.sendMessages : Permission.sendInThreads
  requirePermissions(store, authorId, sending, channel)
  if (files > 0) requirePermissions(store, authorId, Permission.attachFiles, channel)
  if (body.embeds?.length) requirePermissions(store, authorId, Permission.embedLinks, channel)
  if (body.replyTo !== undefined && !can(store, authorId, Permission.readHistory, channel)) throw apiErrors.noHistory()
  requireUnlocked(store, channel, authorId)
  requireSlowmodeElapsed(store, channel, authorId)
}

/** Refuses 160005 in a locked thread, unless the user moderates threads. */
export const requireUnlocked = (store: Store, channel: StoredChannel, userId: string): void => {
  if (channel.thread?.locked === true && !can(store, userId, Permission.manageThreads, channel))
    throw apiErrors.threadLocked()
}

/** Refuses messages in channels that hold none. */
export const requireTextChannel = ({ type }: StoredChannel): void => {
  if (type === ChannelKind.forum || type === ChannelKind.category) throw apiErrors.notTextual()
}

const requireDirectAllowed = (store: Store, channel: StoredChannel, authorId: string): void => {
  requirePermissions(store, authorId, Permission.sendMessages, channel)
  if (authorId !== store.realm.botId || channel.recipientId === undefined) return
  if (store.users.get(channel.recipientId)?.refusesDirect === true) throw apiErrors.cannotMessageUser()
  if (!store.members.has(channel.recipientId)) throw apiErrors.noSharedGuild()
}

/** Slowmode applies to people without the permission to bypass it. */
const requireSlowmodeElapsed = (store: Store, channel: StoredChannel, authorId: string): void => {
  if (channel.slowmode === 0 || store.users.get(authorId)?.bot === true) return
  if (can(store, authorId, Permission.bypassSlowmode, channel)) return
  const last = store.messages.in(channel.id).findLast((message) => message.authorId === authorId)
  if (last !== undefined && store.clock.now() - Date.parse(last.timestamp) < channel.slowmode * 1000)
    throw apiErrors.slowmode()
}
