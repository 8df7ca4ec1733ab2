import { Flag, MessageKind, Permission } from "../../model/Constants.ts"
import { apiErrors } from "../../model/DiscordError.ts"
import type { StoredChannel, StoredMessage } from "../../model/Records.ts"
import { findChannel } from "../../state/Lookups.ts"
import { isVisibleTo } from "../../state/MessageVisibility.ts"
import { can } from "../../state/Permissions.ts"
import type { Store } from "../../state/Store.ts"
import { withThreadMember } from "../../state/ThreadMembers.ts"
import { type MessageBody, readMessageBody } from "../../validate/MessageBody.ts"
import { type MessageContext, requireReferencedFiles, updateAttachments, type UploadedFile } from "./Attachments.ts"
import { snapshotForForward } from "./Forwards.ts"
import { mentionsIn } from "./Mentions.ts"
import { requireContent, senderFlags } from "./MessageContent.ts"
import { requireSendable, requireTextChannel } from "./SendRules.ts"

/** The sender and channel of a new message, and the fields that the caller has decided. */
export interface MessageDraft {
  readonly channelId: string
  readonly authorId: string
  /** Set where a message shares the id of its forum post. */
  readonly id?: string
  readonly type?: number
  readonly flags?: number
  /** The first message of a forum post needs the permission to post, not the one to write in threads. */
  readonly isFirstInPost?: true
  readonly interaction?: StoredMessage["interaction"]
  readonly visibleTo?: string
  readonly webhook?: StoredMessage["webhook"]
  readonly reference?: StoredMessage["reference"]
  /** The users that a system message is about. */
  readonly mentionIds?: ReadonlyArray<string>
  /** Thread starters and loading responses are empty. */
  readonly mayBeEmpty?: boolean
}

/** Checks and stores a new message. A repeated nonce returns the first message. Throws `DiscordError`. */
export const createMessage = (
  context: MessageContext,
  draft: MessageDraft,
  rawBody: unknown,
  uploads: ReadonlyArray<UploadedFile>
): StoredMessage => {
  const { store } = context
  const channel = findChannel(store, draft.channelId)
  requireTextChannel(channel)
  const body = readMessageBody(rawBody)
  if (!skipsPermissions(draft))
    requireSendable(store, channel, { authorId: draft.authorId, body, fileCount: uploads.length })
  const duplicate =
    body.enforceNonce && body.nonce !== undefined
      ? store.messages.findByNonce(draft.channelId, draft.authorId, body.nonce)
      : undefined
  if (duplicate !== undefined) return duplicate
  const content = readContent(context, draft, body, uploads)
  if (draft.mayBeEmpty !== true && content.snapshot === undefined) requireContent(content)
  if (draft.webhook === undefined) joinAndUnarchive(store, channel, draft.authorId)
  const message = messageRecord(store, channel, draft, body, content)
  store.commit({ kind: "message", value: message })
  return message
}

/** Responses to interactions, webhooks and system messages need no permissions of their own. */
const skipsPermissions = ({ interaction, isFirstInPost, mayBeEmpty, webhook }: MessageDraft): boolean =>
  interaction !== undefined || webhook !== undefined || mayBeEmpty === true || isFirstInPost === true

/** The content of a new message, with its files stored. */
type Content = Pick<
  StoredMessage,
  "attachments" | "components" | "content" | "embeds" | "flags" | "reference" | "snapshot"
>

const readContent = (
  context: MessageContext,
  draft: MessageDraft,
  body: MessageBody,
  uploads: ReadonlyArray<UploadedFile>
): Content => {
  const { components = [], content = "", embeds = [], forward } = body
  const snapshot = forward === undefined ? undefined : snapshotForForward(context, draft.authorId, body, uploads.length)
  const reference =
    draft.reference ??
    (forward === undefined ? replyReference(context.store, draft, body) : { ...forward, forward: true as const })
  const attachments = updateAttachments(context, body, uploads, [])
  requireReferencedFiles(components, attachments)
  const flags = ((body.flags ?? 0) & senderFlags) | (draft.flags ?? 0) | (snapshot === undefined ? 0 : Flag.hasSnapshot)
  return {
    content,
    embeds,
    components,
    attachments,
    flags,
    ...(reference === undefined ? {} : { reference }),
    ...(snapshot === undefined ? {} : { snapshot })
  }
}

const messageRecord = (
  store: Store,
  channel: StoredChannel,
  draft: MessageDraft,
  body: MessageBody,
  { attachments, components, content, embeds, flags, reference, snapshot }: Content
): StoredMessage => {
  const { authorId, interaction, webhook } = draft
  const repliesTo = snapshot === undefined ? reference : undefined
  const isReply = repliesTo?.messageId !== undefined
  const usersOnly = interaction !== undefined || webhook !== undefined
  const tts = body.tts && (skipsPermissions(draft) || can(store, authorId, Permission.sendSpoken, channel))
  const { mentionEveryone, mentionIds, mentionRoleIds } =
    draft.mentionIds === undefined
      ? mentionsIn(
          store,
          { channel, authorId, content, components, reference: repliesTo, usersOnly },
          body.allowedMentions
        )
      : { mentionIds: draft.mentionIds, mentionEveryone: false, mentionRoleIds: undefined }
  return {
    id: draft.id ?? store.ids.next(),
    channelId: draft.channelId,
    authorId,
    type: draft.type ?? (isReply ? MessageKind.reply : MessageKind.default),
    content,
    flags,
    timestamp: store.timestamp(),
    editedTimestamp: null,
    embeds,
    components,
    attachments,
    mentionIds,
    mentionEveryone,
    reactions: [],
    pinned: false,
    ...(mentionRoleIds === undefined ? {} : { mentionRoleIds }),
    ...(reference === undefined ? {} : { reference }),
    ...(snapshot === undefined ? {} : { snapshot }),
    ...(tts ? { tts } : {}),
    ...(body.nonce === undefined ? {} : { nonce: body.nonce }),
    ...(body.enforceNonce ? { enforceNonce: true } : {}),
    ...(interaction === undefined ? {} : { interaction }),
    ...(webhook === undefined ? {} : { webhook }),
    ...(draft.visibleTo === undefined ? {} : { visibleTo: draft.visibleTo })
  }
}

/** Writing in a thread makes its author a member and unarchives it. */
const joinAndUnarchive = (store: Store, { thread, ...channel }: StoredChannel, authorId: string): void => {
  if (thread === undefined) return
  const unarchived = thread.archived ? { ...thread, archived: false, archiveTimestamp: store.timestamp() } : thread
  if (unarchived !== thread) store.commit({ kind: "channel", value: { ...channel, thread: unarchived } })
  if (thread.memberIds.includes(authorId)) return
  store.commit({ kind: "channel", value: { ...channel, thread: withThreadMember(store, unarchived, authorId) } })
}

const replyReference = (store: Store, draft: MessageDraft, body: MessageBody): StoredMessage["reference"] => {
  if (body.replyTo === undefined) return undefined
  const { failIfNotExists, messageId } = body.replyTo
  const target = store.messages.get(draft.channelId, messageId)
  if (target !== undefined && isVisibleTo(target, draft.authorId)) return { channelId: draft.channelId, messageId }
  if (!failIfNotExists) return undefined
  throw apiErrors.unknownReferencedMessage()
}
