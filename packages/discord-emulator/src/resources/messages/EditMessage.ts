import { Flag, Permission } from "../../model/Constants.ts"
import { apiErrors } from "../../model/DiscordError.ts"
import type { StoredMessage } from "../../model/Records.ts"
import { findChannel } from "../../state/Lookups.ts"
import { isSystemMessage } from "../../state/MessageVisibility.ts"
import { can } from "../../state/Permissions.ts"
import type { Store } from "../../state/Store.ts"
import { isJsonObject } from "../../validate/Form.ts"
import { readMessageBody } from "../../validate/MessageBody.ts"
import { type MessageContext, requireReferencedFiles, updateAttachments, type UploadedFile } from "./Attachments.ts"
import { mentionsIn } from "./Mentions.ts"
import { requireContent, senderFlags } from "./MessageContent.ts"
import { requireUnlocked } from "./SendRules.ts"

/** Checks and stores an edit. A moderator may only suppress the embeds of another author. Throws `DiscordError`. */
export const editMessage = (
  context: MessageContext,
  message: StoredMessage,
  editorId: string,
  rawBody: unknown,
  uploads: ReadonlyArray<UploadedFile>
): StoredMessage => {
  const { store } = context
  const channel = findChannel(store, message.channelId)
  if (message.authorId !== editorId) return suppressEmbeds(store, message, editorId, rawBody)
  if (isSystemMessage(message)) throw apiErrors.systemMessage()
  if (message.snapshot !== undefined) throw apiErrors.forwardWithContent()
  if (channel.thread?.archived === true) throw apiErrors.threadArchived()
  const isOwn = message.interaction === undefined && message.webhook === undefined
  if (isOwn) requireUnlocked(store, channel, editorId)
  const body = readMessageBody(rawBody, message)
  const attachments = updateAttachments(context, body, uploads, message.attachments)
  requireReferencedFiles(body.components ?? [], attachments)
  const { components = message.components, content = message.content, embeds = message.embeds } = body
  const { authorId, reference } = message
  const mentionSource = { channel, authorId, content, components, reference, usersOnly: !isOwn }
  const next: StoredMessage = {
    ...message,
    content,
    // Components V2 stay set. The first edit of a deferred response ends its loading state.
    flags:
      (message.flags & ~(body.flags === undefined ? Flag.loading : Flag.loading | Flag.suppressEmbeds)) |
      ((body.flags ?? 0) & senderFlags),
    editedTimestamp: (message.flags & Flag.loading) === 0 ? store.timestamp() : message.editedTimestamp,
    embeds,
    components,
    attachments,
    ...mentionsIn(store, mentionSource, body.allowedMentions)
  }
  requireContent(next)
  store.commit({ kind: "message", value: next })
  return next
}

const suppressEmbeds = (store: Store, message: StoredMessage, editorId: string, rawBody: unknown): StoredMessage => {
  const otherKeys = ["content", "embeds", "components", "attachments"]
  const onlyFlags =
    isJsonObject(rawBody) && rawBody["flags"] !== undefined && otherKeys.every((key) => rawBody[key] === undefined)
  if (!onlyFlags || !can(store, editorId, Permission.manageMessages, findChannel(store, message.channelId)))
    throw apiErrors.notAuthor()
  const { flags = 0 } = readMessageBody(rawBody, message)
  const next = { ...message, flags: (message.flags & ~Flag.suppressEmbeds) | (flags & Flag.suppressEmbeds) }
  store.commit({ kind: "message", value: next })
  return next
}
