import { apiErrors } from "../../model/DiscordError.ts"
import type { MessageBody } from "../../validate/MessageBody.ts"
import { Flag, MessageKind, Permission } from "../../model/Constants.ts"
import type { MessageContext } from "./Attachments.ts"
import type { MessageSnapshot, StoredAttachment } from "../../model/Records.ts"
import { can } from "../../state/Permissions.ts"
import { isVisibleTo } from "../../state/MessageVisibility.ts"

const forwardable: ReadonlyArray<number> = [
  MessageKind.default,
  MessageKind.reply,
  MessageKind.chatInput,
  MessageKind.contextMenu
]

/**
 * A snapshot of the message that a body forwards. Its files are copied, so that they outlive the message. Throws 160011
 * when the forward has content of its own, 160009 when its sender cannot read the message.
 */
export const snapshotForForward = (
  { files, store }: MessageContext,
  authorId: string,
  body: MessageBody,
  uploadCount: number
): MessageSnapshot => {
  const { channelId = "", messageId = "" } = body.forward ?? {}
  const hasContent = [body.embeds, body.components, body.attachments].some(
    (list) => list !== undefined && list.length > 0
  )
  if (body.content || hasContent || uploadCount > 0) throw apiErrors.forwardWithContent()
  const channel = store.channels.get(channelId)
  const original = store.messages.get(channelId, messageId)
  if (channel === undefined || original === undefined || !isVisibleTo(original, authorId))
    throw apiErrors.unknownReferencedMessage()
  if (!can(store, authorId, Permission.viewChannel | Permission.readHistory, channel))
    throw apiErrors.missingReadHistoryToForward()
  if (!forwardable.includes(original.type)) throw apiErrors.systemMessage()
  const copy = (file: StoredAttachment): StoredAttachment => {
    const bytes = files.get(file.id)
    const id = store.ids.next()
    if (bytes !== undefined) files.put(id, bytes)
    return { ...file, id }
  }
  // What a forward of a forward shows is what the first one did.
  const {
    content,
    editedTimestamp,
    embeds,
    components,
    attachments,
    flags,
    mentionIds,
    mentionRoleIds,
    timestamp,
    type
  } = original.snapshot ?? original
  return {
    type,
    content,
    flags: flags & ~(Flag.hasThread | Flag.ephemeral | Flag.loading),
    timestamp,
    editedTimestamp,
    embeds,
    components,
    attachments: attachments.map(copy),
    mentionIds,
    ...(mentionRoleIds === undefined ? {} : { mentionRoleIds })
  }
}
