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
 * The message that a body forwards, as it is now; its files are copied, so that they stay when it goes. Throws 160011
 * when the forward says something itself, 160009 when its sender cannot read the message.
 */
export const snapshotForForward = (
  { files, store }: MessageContext,
  authorId: string,
  body: MessageBody,
  uploads: number
): MessageSnapshot => {
  const { channelId = "", messageId = "" } = body.forward ?? {}
  const said = [body.embeds, body.components, body.attachments].some((list) => list !== undefined && list.length > 0)
  if (body.content || said || uploads > 0) throw apiErrors.forwardWithContent()
  const channel = store.channels.get(channelId)
  const found = store.messages.get(channelId, messageId)
  if (channel === undefined || found === undefined || !isVisibleTo(found, authorId))
    throw apiErrors.unknownReferencedMessage()
  if (!can(store, authorId, Permission.viewChannel | Permission.readHistory, channel))
    throw apiErrors.missingReadHistoryToForward()
  if (!forwardable.includes(found.type)) throw apiErrors.systemMessage()
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
  } = found.snapshot ?? found
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
