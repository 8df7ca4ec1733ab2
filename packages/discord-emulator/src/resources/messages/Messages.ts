import { isFields } from "../../validate/Form.ts"
import { legacyFields, type MessageBody, readMessageBody } from "../../validate/MessageBody.ts"
import { DiscordError, refuse } from "../../model/DiscordError.ts"
import { ChannelKind, Flag, MessageKind, Permission } from "../../model/Constants.ts"
import { type Attachments, demandAttached, makeAttachments, type UploadedFile } from "./Attachments.ts"
import type { Files } from "../../storage/Files.ts"
import { forwarded } from "./Forwards.ts"
import { joining } from "../../render/ThreadMember.ts"
import { mentionsIn } from "./Mentions.ts"
import type { StoredChannel, StoredMessage } from "../../model/Records.ts"
import { can, canView, demand } from "../../state/Permissions.ts"
import { changeReactions, readEmoji, sameEmoji } from "./Reactions.ts"
import { isSystem, sees } from "../../render/Render.ts"
import { demandTextual, demandUnlocked, demandWriting } from "./SendRules.ts"
import { timeOf } from "../../model/Snowflake.ts"
import type { World } from "../../state/World.ts"

/** Who sends, where, and what is already decided about the message. */
interface Draft {
  readonly channelId: string
  readonly authorId: string
  /** Given where two things share one id, as a forum post and its first message. */
  readonly id?: string
  readonly type?: number
  readonly flags?: number
  /** The first message of a post needs the right to post, not that to write in threads. */
  readonly first?: true
  readonly interaction?: StoredMessage["interaction"]
  readonly visibleTo?: string
  readonly webhook?: StoredMessage["webhook"]
  readonly reference?: StoredMessage["reference"]
  /** Whom a system message is about. */
  readonly mentionIds?: ReadonlyArray<string>
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
  /** Deletes those of the messages that the user sees. */
  readonly bulkDelete: (channelId: string, ids: ReadonlyArray<string>, userId: string) => void
  readonly react: (message: StoredMessage, userId: string, emoji: string, add: boolean) => void
  /** Takes all reactions of a message away, or those with one emoji. */
  readonly clearReactions: (message: StoredMessage, emoji?: string) => void
  readonly pin: (message: StoredMessage, userId: string, pinned: boolean) => void
  /** Sends an announcement to the channels that follow. */
  readonly crosspost: (message: StoredMessage, userId: string) => StoredMessage
  /** A message that Discord itself writes into a channel. */
  readonly announce: (draft: Draft, content?: string) => StoredMessage
  /** Stores a file for something that is not a message yet, such as a command option. */
  readonly upload: Attachments["upload"]
}

const mostPins = 250
const twoWeeksMs = 14 * 86_400_000

/** Flags that a sender may set. */
const ownFlags = Flag.suppressEmbeds | Flag.suppressNotifications | Flag.componentsV2

export const makeMessages = (world: World, files: Files): Messages => {
  const { attach, upload } = makeAttachments(world, files)
  const channel = (channelId: string): StoredChannel => {
    const found = world.channels.get(channelId)
    if (found === undefined) throw refuse.unknownChannel()
    return found
  }

  const create: Messages["create"] = (draft, raw, uploads) => {
    const place = channel(draft.channelId)
    demandTextual(place)
    const body = readMessageBody(raw)
    const { authorId, interaction, webhook } = draft
    // Answers to interactions and webhooks need no permission of their own, and system messages have no sender.
    const free = interaction !== undefined || webhook !== undefined || draft.mayBeEmpty === true || draft.first === true
    if (!free) demandWriting(world, place, { authorId, body, files: uploads.length })
    if (body.enforceNonce && body.nonce !== undefined) {
      const first = world.byNonce(draft.channelId, draft.authorId, body.nonce)
      if (first !== undefined) return first
    }
    const snapshot = body.forward === undefined ? undefined : forwarded(world, files, draft, body, uploads.length)
    const reference =
      draft.reference ??
      (body.forward === undefined ? replyReference(world, draft, body) : { ...body.forward, forward: true as const })
    const attachments = attach(body, uploads, [])
    demandAttached(body.components ?? [], attachments)
    const content = body.content ?? ""
    const flags = ((body.flags ?? 0) & ownFlags) | (draft.flags ?? 0) | (snapshot === undefined ? 0 : Flag.hasSnapshot)
    const spoken = body.tts && (free || can(world, authorId, Permission.sendSpoken, place))
    if (draft.mayBeEmpty !== true && snapshot === undefined)
      demandShown({ content, flags, embeds: body.embeds ?? [], components: body.components ?? [], attachments })
    if (webhook === undefined) joinAndOpen(world, place, authorId)
    const now = world.timestamp()
    const message: StoredMessage = {
      id: draft.id ?? world.ids.next(),
      channelId: draft.channelId,
      authorId: draft.authorId,
      type:
        draft.type ??
        (reference?.messageId === undefined || snapshot !== undefined ? MessageKind.default : MessageKind.reply),
      content,
      flags,
      timestamp: now,
      editedTimestamp: null,
      embeds: body.embeds ?? [],
      components: body.components ?? [],
      attachments,
      ...(draft.mentionIds === undefined
        ? mentionsIn(
            world,
            {
              channel: place,
              authorId,
              content,
              components: body.components ?? [],
              reference: snapshot === undefined ? reference : undefined,
              usersOnly: interaction !== undefined || webhook !== undefined
            },
            body.allowedMentions
          )
        : { mentionIds: draft.mentionIds, mentionEveryone: false }),
      reactions: [],
      pinned: false,
      ...(reference === undefined ? {} : { reference }),
      ...(snapshot === undefined ? {} : { snapshot }),
      ...(spoken ? { tts: true } : {}),
      ...(body.nonce === undefined ? {} : { nonce: body.nonce }),
      ...(body.enforceNonce ? { enforceNonce: true } : {}),
      ...(interaction === undefined ? {} : { interaction }),
      ...(webhook === undefined ? {} : { webhook }),
      ...(draft.visibleTo === undefined ? {} : { visibleTo: draft.visibleTo })
    }
    world.commit({ kind: "message", value: message })
    return message
  }

  const edit: Messages["edit"] = (message, editorId, raw, uploads) => {
    const place = channel(message.channelId)
    if (message.authorId !== editorId) return suppress(message, editorId, raw)
    if (isSystem(message)) throw refuse.systemMessage()
    if (message.snapshot !== undefined) throw refuse.forwardWithContent()
    if (place.thread?.archived === true) throw refuse.archived()
    if (message.interaction === undefined && message.webhook === undefined) demandUnlocked(world, place, editorId)
    const body = readMessageBody(raw, message)
    const attachments = attach(body, uploads, message.attachments)
    demandAttached(body.components ?? [], attachments)
    const content = body.content ?? message.content
    const next: StoredMessage = {
      ...message,
      content,
      // The newer layout cannot be taken back; waiting for a deferred answer ends with its first edit.
      flags:
        (message.flags & ~(body.flags === undefined ? Flag.loading : Flag.loading | Flag.suppressEmbeds)) |
        ((body.flags ?? 0) & ownFlags),
      editedTimestamp: (message.flags & Flag.loading) === 0 ? world.timestamp() : message.editedTimestamp,
      embeds: body.embeds ?? message.embeds,
      components: body.components ?? message.components,
      attachments,
      ...mentionsIn(
        world,
        {
          channel: place,
          authorId: message.authorId,
          content,
          components: body.components ?? message.components,
          reference: message.reference,
          usersOnly: message.interaction !== undefined || message.webhook !== undefined
        },
        body.allowedMentions
      )
    }
    demandShown(next)
    world.commit({ kind: "message", value: next })
    return next
  }

  /** Moderators may hide the embeds of others, and nothing else. */
  const suppress = (message: StoredMessage, editorId: string, raw: unknown): StoredMessage => {
    const words = ["content", "embeds", "components", "attachments"]
    const onlyFlags = isFields(raw) && raw["flags"] !== undefined && words.every((key) => raw[key] === undefined)
    if (!onlyFlags || !can(world, editorId, Permission.manageMessages, channel(message.channelId)))
      throw refuse.notTheAuthor()
    const { flags = 0 } = readMessageBody(raw, message)
    const next = { ...message, flags: (message.flags & ~Flag.suppressEmbeds) | (flags & Flag.suppressEmbeds) }
    world.commit({ kind: "message", value: next })
    return next
  }

  const announce: Messages["announce"] = (draft, content = "") =>
    create({ mentionIds: [], ...draft, mayBeEmpty: true }, { content }, [])

  return {
    channel,
    announce,
    find: (channelId, messageId, viewerId) => {
      if (!canView(world, viewerId, channel(channelId))) throw refuse.missingAccess()
      const message = world.message(channelId, messageId)
      if (message === undefined || !sees(message, viewerId)) throw refuse.unknownMessage()
      return message
    },
    create,
    edit,
    delete: (message, userId) => {
      const own = message.authorId === userId || message.visibleTo === userId
      const place = channel(message.channelId)
      if (!own) demand(world, userId, Permission.manageMessages, place)
      // What is deleted stays possible in an archived thread, but not in one that is locked as well.
      if (place.thread?.archived === true) demandUnlocked(world, place, userId)
      world.commit({ kind: "message_gone", channelId: message.channelId, id: message.id })
    },
    bulkDelete: (channelId, ids, userId) => {
      const found = ids.filter((id) => {
        const message = world.message(channelId, id)
        return message !== undefined && sees(message, userId)
      })
      if (ids.some((id) => world.clock.now() - timeOf(id) > twoWeeksMs)) throw refuse.tooOldToDelete()
      if (found.length > 0) world.commit({ kind: "messages_gone", channelId, ids: found })
    },
    react: (message, userId, text, add) => {
      const place = channel(message.channelId)
      const emoji = readEmoji(text)
      if (place.thread?.archived === true) throw refuse.archived()
      if (add) {
        // A guild without emojis of its own knows no others.
        if (emoji.id !== null) throw refuse.unknownEmoji()
        const first = !message.reactions.some((one) => sameEmoji(one.emoji, emoji))
        demand(world, userId, first ? Permission.readHistory | Permission.addReactions : Permission.readHistory, place)
      }
      const reactions = changeReactions(message.reactions, userId, emoji, add)
      if (reactions !== message.reactions) world.commit({ kind: "message", value: { ...message, reactions } })
    },
    clearReactions: (message, text) => {
      const emoji = text === undefined ? undefined : readEmoji(text)
      const reactions = emoji === undefined ? [] : message.reactions.filter((one) => !sameEmoji(one.emoji, emoji))
      if (reactions.length === message.reactions.length) return
      const cleared = emoji === undefined ? ("all" as const) : emoji
      world.commit({ kind: "message", value: { ...message, reactions }, cleared })
    },
    pin: (message, userId, pinned) => {
      const place = channel(message.channelId)
      demand(world, userId, Permission.pinMessages, place)
      if (isSystem(message)) throw refuse.systemMessage()
      if (place.thread?.archived === true) throw refuse.archived()
      if (message.pinned === pinned) return
      const others = world.messagesIn(place.id).filter((one) => one.pinned).length
      if (pinned && others >= mostPins) throw refuse.tooMany(30_003, "pins for the channel", mostPins)
      const pinnedAt = world.timestamp()
      world.commit({ kind: "message", value: { ...message, pinned, ...(pinned ? { pinnedAt } : {}) } })
      if (!pinned) return
      world.commit({ kind: "channel", value: { ...place, lastPinAt: pinnedAt }, quiet: true })
      const reference = { channelId: place.id, messageId: message.id }
      announce({ channelId: place.id, authorId: userId, type: MessageKind.pinned, reference })
    },
    crosspost: (message, userId) => {
      const place = channel(message.channelId)
      const needed = message.authorId === userId ? Permission.sendMessages : Permission.manageMessages
      demand(world, userId, needed, place)
      if (place.type !== ChannelKind.announcement) throw refuse.notInChannelType()
      if (isSystem(message)) throw refuse.systemMessage()
      if ((message.flags & Flag.crossposted) !== 0) throw refuse.crosspostedTwice()
      const value = { ...message, flags: message.flags | Flag.crossposted }
      world.commit({ kind: "message", value })
      return value
    },
    upload
  }
}

/** Writing in a thread makes its author a member and opens it again. */
const joinAndOpen = (world: World, { thread, ...channel }: StoredChannel, authorId: string): void => {
  if (thread === undefined) return
  const opened = thread.archived ? { ...thread, archived: false, archiveTimestamp: world.timestamp() } : thread
  if (opened !== thread) world.commit({ kind: "channel", value: { ...channel, thread: opened } })
  if (thread.memberIds.includes(authorId)) return
  world.commit({ kind: "channel", value: { ...channel, thread: joining(world, opened, authorId) } })
}

/** Refuses messages with nothing in them, and the newer layout beside the older fields. */
const demandShown = (
  message: Pick<StoredMessage, "attachments" | "components" | "content" | "embeds" | "flags">
): void => {
  const { attachments, components, content, embeds, flags } = message
  if ((flags & Flag.componentsV2) === 0) {
    if (content === "" && embeds.length + components.length + attachments.length === 0) throw refuse.emptyMessage()
    return
  }
  if (components.length === 0) throw refuse.emptyMessage()
  const legacy = [...(content === "" ? [] : ["content"]), ...(embeds.length === 0 ? [] : ["embeds"])]
  if (legacy.length > 0) throw legacyFields(legacy)
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
