import { ChannelKind, Flag, MessageKind, Permission } from "../../model/Constants.ts"
import { apiErrors } from "../../model/DiscordError.ts"
import type { StoredChannel, StoredMessage } from "../../model/Records.ts"
import { findChannel } from "../../state/Lookups.ts"
import { isSystemMessage } from "../../state/MessageVisibility.ts"
import { requirePermissions } from "../../state/Permissions.ts"
import type { Store } from "../../state/Store.ts"
import { Form } from "../../validate/Form.ts"
import type { UploadedFile } from "../messages/Attachments.ts"
import type { Messages } from "../messages/Messages.ts"
import { requireForumTags } from "./ForumTags.ts"
import { readThreadBody, type ThreadBody } from "./ThreadBody.ts"

/** What creating a thread depends on. */
export interface ThreadContext {
  readonly store: Store
  readonly messages: Messages
}

const maxActiveThreads = 1000

/** The kind of thread that a channel's messages start. */
const threadKinds: Readonly<Record<number, number>> = {
  [ChannelKind.text]: ChannelKind.publicThread,
  [ChannelKind.announcement]: ChannelKind.announcementThread
}

/** Starts a thread from a message. */
export const createThreadFromMessage = (
  { messages, store }: ThreadContext,
  message: StoredMessage,
  ownerId: string,
  body: unknown
): StoredChannel => {
  const parent = findChannel(store, message.channelId)
  const type = threadKinds[parent.type]
  if (type === undefined) throw apiErrors.notInChannelType()
  requirePermissions(store, ownerId, Permission.createPublicThreads | Permission.readHistory, parent)
  if (isSystemMessage(message)) throw apiErrors.systemMessage()
  const fields = readThreadBody(body)
  if (store.channels.has(message.id)) throw apiErrors.threadExists()
  const thread = commitThread(store, { id: message.id, type, parent, ownerId, fields })
  const current = store.messages.get(message.channelId, message.id) ?? message
  store.commit({ kind: "message", value: { ...current, flags: current.flags | Flag.hasThread } })
  messages.createSystem({
    channelId: thread.id,
    authorId: message.authorId,
    type: MessageKind.threadStarter,
    reference: { channelId: message.channelId, messageId: message.id }
  })
  return thread
}

/** Starts a thread without a message. */
export const createThread = (
  { messages, store }: ThreadContext,
  parent: StoredChannel,
  ownerId: string,
  body: unknown
): StoredChannel => {
  if (threadKinds[parent.type] === undefined) throw apiErrors.notInChannelType()
  const fields = readThreadBody(body)
  const type = fields.type ?? ChannelKind.privateThread
  if ((type === ChannelKind.announcementThread) !== (parent.type === ChannelKind.announcement))
    throw apiErrors.notInChannelType()
  const isPrivate = type === ChannelKind.privateThread
  const needed = isPrivate ? Permission.createPrivateThreads : Permission.createPublicThreads
  requirePermissions(store, ownerId, needed, parent)
  const thread = commitThread(store, { id: store.ids.next(), type, parent, ownerId, fields })
  if (isPrivate) return thread
  const reference = { channelId: thread.id }
  messages.createSystem(
    { channelId: parent.id, authorId: ownerId, type: MessageKind.threadCreated, reference },
    fields.name
  )
  return thread
}

/** Creates a forum post with its first message, which has the id of the post. */
export const createForumPost = (
  { messages, store }: ThreadContext,
  forum: StoredChannel,
  ownerId: string,
  body: unknown,
  files: ReadonlyArray<UploadedFile>
): { readonly thread: StoredChannel; readonly message: StoredMessage } => {
  requirePermissions(store, ownerId, Permission.sendMessages, forum)
  const form = new Form()
  const fields = form.object(body ?? {}, []) ?? {}
  if (form.object(fields["message"] ?? undefined, ["message"]) === undefined) form.throwIfInvalid()
  const thread = createPostWithoutMessage(store, forum, ownerId, body)
  try {
    const draft = { channelId: thread.id, authorId: ownerId, id: thread.id, isFirstInPost: true } as const
    return { thread, message: messages.create(draft, fields["message"], files) }
  } catch (cause) {
    store.commit({ kind: "channel_gone", id: thread.id })
    throw cause
  }
}

/** Creates the thread of a forum post; the caller adds the first message. */
export const createPostWithoutMessage = (
  store: Store,
  forum: StoredChannel,
  ownerId: string,
  body: unknown
): StoredChannel => {
  const fields = readThreadBody(body)
  requireForumTags(store, forum, ownerId, fields.appliedTags ?? [], [])
  return commitThread(store, { id: store.ids.next(), type: ChannelKind.publicThread, parent: forum, ownerId, fields })
}

interface NewThread {
  readonly id: string
  readonly type: number
  readonly parent: StoredChannel
  readonly ownerId: string
  readonly fields: ThreadBody
}

const commitThread = (store: Store, { fields, id, ownerId, parent, type }: NewThread): StoredChannel => {
  const active = [...store.channels.values()].filter(({ thread }) => thread?.archived === false).length
  if (active >= maxActiveThreads) throw apiErrors.tooManyThreads()
  const now = store.timestamp()
  const channel: StoredChannel = {
    id,
    type,
    name: fields.name,
    guildId: store.guild.guildId,
    parentId: parent.id,
    position: 0,
    topic: null,
    ownerId,
    slowmode: fields.slowmode ?? parent.defaultThreadSlowmode ?? 0,
    thread: {
      archived: false,
      locked: false,
      invitable: fields.invitable,
      autoArchiveDuration: fields.autoArchiveDuration ?? parent.defaultAutoArchiveDuration ?? 4320,
      archiveTimestamp: now,
      createTimestamp: now,
      memberIds: store.members.has(ownerId) ? [ownerId] : []
    },
    ...(fields.appliedTags === undefined ? {} : { appliedTags: fields.appliedTags })
  }
  store.commit({ kind: "channel", value: channel })
  return channel
}
