import { DiscordError, refuse } from "../../model/DiscordError.ts"
import type { MessageBody } from "../../validate/MessageBody.ts"
import { Flag, MessageKind, Permission } from "../../model/Constants.ts"
import type { Files } from "../../storage/Files.ts"
import type { MessageSnapshot, StoredAttachment } from "../../model/Records.ts"
import { can } from "../../state/Permissions.ts"
import { sees } from "../../render/Render.ts"
import type { World } from "../../state/World.ts"

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
export const forwarded = (
  world: World,
  files: Files,
  { authorId }: { readonly authorId: string },
  body: MessageBody,
  uploads: number
): MessageSnapshot => {
  const { channelId = "", messageId = "" } = body.forward ?? {}
  const said = [body.embeds, body.components, body.attachments].some((list) => list !== undefined && list.length > 0)
  if (body.content || said || uploads > 0) throw refuse.forwardWithContent()
  const channel = world.channels.get(channelId)
  const found = world.message(channelId, messageId)
  if (channel === undefined || found === undefined || !sees(found, authorId)) throw unknown()
  if (!can(world, authorId, Permission.viewChannel | Permission.readHistory, channel)) throw refuse.noHistoryToForward()
  if (!forwardable.includes(found.type)) throw refuse.systemMessage()
  const copy = (file: StoredAttachment): StoredAttachment => {
    const bytes = files.get(file.id)
    const id = world.ids.next()
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

const unknown = (): DiscordError =>
  new DiscordError(400, 50035, "Invalid Form Body", {
    message_reference: { _errors: [{ code: "REPLIES_UNKNOWN_MESSAGE", message: "Unknown message" }] }
  })
