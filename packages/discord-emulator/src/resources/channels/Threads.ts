import { ChannelKind, MessageKind, Permission } from "../../model/Constants.ts"
import { apiErrors } from "../../model/DiscordError.ts"
import type { StoredChannel, StoredMessage } from "../../model/Records.ts"
import { requirePermissions } from "../../state/Permissions.ts"
import { withoutThreadMember, withThreadMember } from "../../state/ThreadMembers.ts"
import type { UploadedFile } from "../messages/Attachments.ts"
import {
  createForumPost,
  createPostWithoutMessage,
  createThread,
  createThreadFromMessage,
  type ThreadContext
} from "./CreateThread.ts"
import { modifyThread } from "./ModifyThread.ts"

/** What bots and people do with threads. Every method throws `DiscordError` when Discord would refuse. */
export interface Threads {
  readonly createFromMessage: (message: StoredMessage, ownerId: string, body: unknown) => StoredChannel
  readonly create: (parent: StoredChannel, ownerId: string, body: unknown) => StoredChannel
  /** Creates a forum post with its first message, which has the id of the post. */
  readonly createPost: (
    forum: StoredChannel,
    ownerId: string,
    body: unknown,
    files: ReadonlyArray<UploadedFile>
  ) => { readonly thread: StoredChannel; readonly message: StoredMessage }
  /** Creates the thread of a forum post whose first message the caller writes, as webhooks do. */
  readonly createPostWithoutMessage: (forum: StoredChannel, ownerId: string, body: unknown) => StoredChannel
  readonly modify: (thread: StoredChannel, userId: string, body: unknown) => StoredChannel
  /** `actorId` adds `userId` to the thread or removes them. */
  readonly setMember: (thread: StoredChannel, actorId: string, userId: string, isMember: boolean) => void
}

const maxThreadMembers = 1000

export const makeThreads = (context: ThreadContext): Threads => ({
  createFromMessage: (message, ownerId, body) => createThreadFromMessage(context, message, ownerId, body),
  create: (parent, ownerId, body) => createThread(context, parent, ownerId, body),
  createPost: (forum, ownerId, body, files) => createForumPost(context, forum, ownerId, body, files),
  createPostWithoutMessage: (forum, ownerId, body) => createPostWithoutMessage(context.store, forum, ownerId, body),
  modify: (thread, userId, body) => modifyThread(context, thread, userId, body),
  setMember: (thread, actorId, userId, isMember) => setThreadMember(context, thread, actorId, userId, isMember)
})

const setThreadMember = (
  { messages, store }: ThreadContext,
  channel: StoredChannel,
  actorId: string,
  userId: string,
  isMember: boolean
): void => {
  const { thread } = channel
  if (thread === undefined) throw apiErrors.notInChannelType()
  if (actorId === userId) {
    if (isMember) requirePermissions(store, userId, Permission.viewChannel, channel)
  } else if (isMember) {
    requirePermissions(store, actorId, Permission.sendInThreads, channel)
    if (!store.members.has(userId)) throw apiErrors.unknownMember()
  } else if (channel.type !== ChannelKind.privateThread || channel.ownerId !== actorId)
    requirePermissions(store, actorId, Permission.manageThreads, channel)
  if (thread.archived) throw apiErrors.threadArchived()
  if (thread.memberIds.includes(userId) === isMember) return
  if (isMember && thread.memberIds.length >= maxThreadMembers)
    throw apiErrors.tooMany(30_033, "thread participants", maxThreadMembers)
  const changed = isMember ? withThreadMember(store, thread, userId) : withoutThreadMember(thread, userId)
  store.commit({ kind: "channel", value: { ...channel, thread: changed } })
  if (actorId === userId) return
  const type = isMember ? MessageKind.recipientAdd : MessageKind.recipientRemove
  messages.createSystem({ channelId: channel.id, authorId: actorId, type, mentionIds: [userId] })
}
