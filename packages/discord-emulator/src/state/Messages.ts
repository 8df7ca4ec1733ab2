import { type AllowedMentions, type MessageBody, readMessageBody } from "../rest/validate/MessageBody.ts"
import { DiscordError, refuse } from "../rest/DiscordError.ts"
import { contentTypeOf, dimensionsOf, safeFilename } from "../cdn/FileType.ts"
import { attachmentLimit, ChannelKind, Flag, MessageKind } from "./Codes.ts"
import type { Files } from "./Files.ts"
import type { StoredAttachment, StoredChannel, StoredMessage, StoredReaction } from "./Model.ts"
import { isModerator, isSystem, sees } from "./Render.ts"
import type { World } from "./World.ts"

/** A file of a request; `field` is the number in `files[n]`. */
export interface UploadedFile {
  readonly field: string
  readonly name: string
  readonly data: Uint8Array
  readonly contentType: string | undefined
}

/** Who sends, where, and what is already decided about the message. */
interface Draft {
  readonly channelId: string
  readonly authorId: string
  /** Given where two things share one id, as a forum post and its first message. */
  readonly id?: string
  readonly type?: number
  readonly flags?: number
  readonly interaction?: StoredMessage["interaction"]
  readonly visibleTo?: string
  readonly reference?: StoredMessage["reference"]
  /** Thread starters and loading answers have nothing in them. */
  readonly mayBeEmpty?: boolean
}

/** The rules of messages, the same for bots and people. */
export interface Messages {
  readonly channel: (channelId: string) => StoredChannel
  readonly find: (channelId: string, messageId: string, viewerId: string) => StoredMessage
  readonly create: (draft: Draft, body: unknown, files: ReadonlyArray<UploadedFile>) => StoredMessage
  readonly edit: (
    message: StoredMessage,
    editorId: string,
    body: unknown,
    files: ReadonlyArray<UploadedFile>
  ) => StoredMessage
  readonly delete: (message: StoredMessage, userId: string) => void
  readonly react: (message: StoredMessage, userId: string, emoji: string, add: boolean) => void
  /** Stores a file for something that is not a message yet, such as a command option. */
  readonly upload: (file: UploadedFile, description?: string) => StoredAttachment
}

/** Flags that a sender may set. */
const ownFlags = Flag.suppressEmbeds | Flag.suppressNotifications | Flag.componentsV2

export const makeMessages = (world: World, files: Files): Messages => {
  const channel = (channelId: string): StoredChannel => {
    const found = world.channels.get(channelId)
    if (found === undefined) throw refuse.unknownChannel()
    return found
  }

  const upload: Messages["upload"] = (file, description) => {
    if (file.data.byteLength > attachmentLimit) throw refuse.tooLarge()
    const id = world.ids.next()
    files.put(id, file.data)
    const filename = safeFilename(file.name)
    return {
      id,
      filename,
      ...(filename === file.name ? {} : { title: file.name.slice(0, 1024) }),
      ...(description === undefined ? {} : { description }),
      contentType: contentTypeOf(filename, file.contentType),
      size: file.data.byteLength,
      ...dimensionsOf(file.data)
    }
  }

  const attach = (
    body: MessageBody,
    uploads: ReadonlyArray<UploadedFile>,
    before: ReadonlyArray<StoredAttachment>
  ): ReadonlyArray<StoredAttachment> => {
    if (uploads.some((file) => file.data.byteLength > attachmentLimit)) throw refuse.tooLarge()
    const kept =
      body.attachments === undefined
        ? before
        : before.filter((old) => body.attachments?.some((entry) => entry.id === old.id) || isShown(body, old))
    const added = uploads.map((file) => {
      const entry = body.attachments?.find((one) => one.id === file.field)
      return upload({ ...file, name: entry?.filename ?? file.name }, entry?.description)
    })
    if (kept.length + added.length > 10)
      throw new DiscordError(400, 30015, "Maximum number of attachments in a message reached (10)")
    return [...kept, ...added]
  }

  const create: Messages["create"] = (draft, raw, uploads) => {
    const place = openForWriting(world, channel(draft.channelId), draft.authorId)
    const body = readMessageBody(raw)
    if (body.enforceNonce && body.nonce !== undefined) {
      const first = world.byNonce(draft.channelId, draft.authorId, body.nonce)
      if (first !== undefined) return first
    }
    const reference = draft.reference ?? replyReference(world, draft, body)
    const attachments = attach(body, uploads, [])
    const content = body.content ?? ""
    const empty = content === "" && attachments.length === 0 && !body.embeds?.length && !body.components?.length
    if (empty && draft.mayBeEmpty !== true) throw refuse.emptyMessage()
    joinAndOpen(world, place, draft.authorId)
    const now = new Date().toISOString()
    const message: StoredMessage = {
      id: draft.id ?? world.ids.next(),
      channelId: draft.channelId,
      authorId: draft.authorId,
      type: draft.type ?? (reference?.messageId === undefined ? MessageKind.default : MessageKind.reply),
      content,
      flags: ((body.flags ?? 0) & ownFlags) | (draft.flags ?? 0),
      timestamp: now,
      editedTimestamp: null,
      embeds: body.embeds ?? [],
      components: body.components ?? [],
      attachments,
      ...mentionsIn(world, content, body.allowedMentions, reference),
      reactions: [],
      pinned: false,
      ...(reference === undefined ? {} : { reference }),
      ...(body.nonce === undefined ? {} : { nonce: body.nonce }),
      ...(body.enforceNonce ? { enforceNonce: true } : {}),
      ...(draft.interaction === undefined ? {} : { interaction: draft.interaction }),
      ...(draft.visibleTo === undefined ? {} : { visibleTo: draft.visibleTo })
    }
    world.commit({ kind: "message", value: message })
    return message
  }

  const edit: Messages["edit"] = (message, editorId, raw, uploads) => {
    if (message.authorId !== editorId) throw refuse.notTheAuthor()
    if (isSystem(message)) throw new DiscordError(403, 50021, "Cannot execute action on a system message")
    if (channel(message.channelId).thread?.archived === true) throw refuse.archived()
    const body = readMessageBody(raw, message)
    const attachments = attach(body, uploads, message.attachments)
    const content = body.content ?? message.content
    const next: StoredMessage = {
      ...message,
      content,
      // The newer layout cannot be taken back; waiting for a deferred answer ends with its first edit.
      flags:
        (message.flags & ~(body.flags === undefined ? Flag.loading : Flag.loading | Flag.suppressEmbeds)) |
        ((body.flags ?? 0) & ownFlags),
      editedTimestamp: (message.flags & Flag.loading) === 0 ? new Date().toISOString() : message.editedTimestamp,
      embeds: body.embeds ?? message.embeds,
      components: body.components ?? message.components,
      attachments,
      ...mentionsIn(world, content, body.allowedMentions, message.reference)
    }
    if (!next.content && next.embeds.length + next.components.length + attachments.length === 0)
      throw refuse.emptyMessage()
    world.commit({ kind: "message", value: next })
    return next
  }

  return {
    channel,
    find: (channelId, messageId, viewerId) => {
      channel(channelId)
      const message = world.message(channelId, messageId)
      if (message === undefined || !sees(message, viewerId)) throw refuse.unknownMessage()
      return message
    },
    create,
    edit,
    delete: (message, userId) => {
      const own = message.authorId === userId || message.visibleTo === userId
      if (!own && !isModerator(world, userId)) throw refuse.missingPermissions()
      if (channel(message.channelId).thread?.archived === true) throw refuse.archived()
      world.commit({ kind: "message_gone", channelId: message.channelId, id: message.id })
    },
    react: (message, userId, emoji, add) => {
      const reactions = changeReactions(message.reactions, userId, readEmoji(emoji), add)
      if (reactions.length > 20) throw refuse.tooManyReactions()
      if (reactions !== message.reactions) world.commit({ kind: "message", value: { ...message, reactions } })
    },
    upload
  }
}

/** Refuses people in locked threads and messages where none can be. */
const openForWriting = (world: World, channel: StoredChannel, authorId: string): StoredChannel => {
  if (channel.type === ChannelKind.forum) throw refuse.notInChannelType()
  if (channel.thread?.locked === true && !isModerator(world, authorId)) throw refuse.threadLocked()
  return channel
}

/** Writing in a thread makes its author a member and opens it again. */
const joinAndOpen = (world: World, { thread, ...channel }: StoredChannel, authorId: string): void => {
  if (thread === undefined) return
  const opened = thread.archived ? { ...thread, archived: false, archiveTimestamp: new Date().toISOString() } : thread
  if (opened !== thread) world.commit({ kind: "channel", value: { ...channel, thread: opened } })
  if (thread.memberIds.includes(authorId)) return
  const joined = { ...opened, memberIds: [...thread.memberIds, authorId] }
  world.commit({ kind: "channel", value: { ...channel, thread: joined } })
}

const replyReference = (world: World, draft: Draft, body: MessageBody): StoredMessage["reference"] => {
  if (body.replyTo === undefined) return undefined
  const { failIfGone, messageId } = body.replyTo
  const found = world.message(draft.channelId, messageId)
  if (found !== undefined && sees(found, draft.authorId)) return { channelId: draft.channelId, messageId }
  if (!failIfGone) return undefined
  throw new DiscordError(400, 50035, "Invalid Form Body", {
    message_reference: { _errors: [{ code: "REPLIES_UNKNOWN_MESSAGE", message: "Unknown message" }] }
  })
}

const mentionsIn = (
  world: World,
  content: string,
  allowed: AllowedMentions | undefined,
  reference: StoredMessage["reference"]
): Pick<StoredMessage, "mentionIds" | "mentionEveryone"> => {
  const named = [...content.matchAll(/<@!?(\d{17,19})>/g)].flatMap(([, id]) => (id === undefined ? [] : [id]))
  const replied =
    reference?.messageId === undefined ? undefined : world.message(reference.channelId, reference.messageId)
  const pinged = replied !== undefined && (allowed === undefined || allowed.repliedUser) ? [replied.authorId] : []
  const wanted =
    allowed === undefined || allowed.parse.includes("users") ? named : named.filter((id) => allowed.users.includes(id))
  return {
    mentionIds: [...new Set([...pinged, ...wanted])].filter((id) => world.users.has(id)),
    mentionEveryone: /@(everyone|here)\b/.test(content) && (allowed === undefined || allowed.parse.includes("everyone"))
  }
}

const isShown = (body: MessageBody, file: StoredAttachment): boolean =>
  body.embeds !== undefined && JSON.stringify(body.embeds).includes(`/${file.id}/`)

const readEmoji = (text: string): StoredReaction["emoji"] => {
  const custom = /^(\w{2,32}):(\d{17,19})$/.exec(text)
  if (custom?.[1] !== undefined && custom[2] !== undefined) return { name: custom[1], id: custom[2] }
  if (!/\p{Extended_Pictographic}|\p{Regional_Indicator}|\u20E3/u.test(text) || [...text].length > 12)
    throw refuse.unknownEmoji()
  return { name: text, id: null }
}

const changeReactions = (
  reactions: ReadonlyArray<StoredReaction>,
  userId: string,
  emoji: StoredReaction["emoji"],
  add: boolean
): ReadonlyArray<StoredReaction> => {
  const same = (one: StoredReaction): boolean =>
    one.emoji.id === emoji.id && (emoji.id !== null || one.emoji.name === emoji.name)
  const found = reactions.find(same)
  if (add === (found?.userIds.includes(userId) ?? false)) return reactions
  if (found === undefined) return [...reactions, { emoji, userIds: [userId] }]
  const userIds = add ? [...found.userIds, userId] : found.userIds.filter((id) => id !== userId)
  return reactions.map((one) => (same(one) ? { ...one, userIds } : one)).filter((one) => one.userIds.length > 0)
}
