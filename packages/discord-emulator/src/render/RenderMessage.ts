import type { APIEmbed, APIMessage, APIMessageInteractionMetadata } from "discord-api-types/v10"
import { Flag, MessageReferenceType } from "../model/Constants.ts"
import type {
  AnsweredInteraction,
  MessageSnapshot,
  StoredAttachment,
  StoredMessage,
  StoredReaction
} from "../model/Records.ts"
import type { Store } from "../state/Store.ts"
import { mapEmbedMedia } from "../validate/Embeds.ts"
import { checkedAs } from "../validate/Form.ts"
import { makeFileFinder, renderAttachment } from "./RenderAttachment.ts"
import { renderChannel } from "./RenderChannel.ts"
import { renderComponents } from "./RenderComponents.ts"
import { renderUser, renderWebhookUser } from "./RenderUser.ts"
import { webhookOwner } from "./RenderWebhook.ts"

/** What rendering a message depends on; `viewerId` decides `me` of its reactions. */
interface MessageView {
  readonly store: Store
  readonly origin: string
  readonly viewerId: string
}

/** The message object. `depth` above 0 leaves out the message that it replies to. */
export const renderMessage = (view: MessageView, stored: StoredMessage, depth = 0): APIMessage => {
  const { store, viewerId } = view
  const thread = (stored.flags & Flag.hasThread) !== 0 ? store.channels.get(stored.id) : undefined
  const { attachments, components, embeds } = renderMedia(view, stored)
  return checkedAs({
    id: stored.id,
    channel_id: stored.channelId,
    type: stored.type,
    content: stored.content,
    author:
      stored.webhook === undefined
        ? renderUser(store, stored.authorId)
        : renderWebhookUser(stored.authorId, stored.webhook.name),
    timestamp: stored.timestamp,
    edited_timestamp: stored.editedTimestamp,
    tts: stored.tts ?? false,
    mention_everyone: stored.mentionEveryone,
    mentions: stored.mentionIds.map((id) => renderUser(store, id)),
    mention_roles: [...(stored.mentionRoleIds ?? [])],
    attachments,
    embeds,
    components,
    pinned: stored.pinned,
    flags: stored.flags,
    ...(stored.reactions.length === 0 ? {} : { reactions: renderReactions(stored.reactions, viewerId) }),
    ...(stored.nonce === undefined ? {} : { nonce: stored.nonce }),
    ...(stored.reference === undefined ? {} : referenceFields(view, stored.reference, depth)),
    ...(stored.snapshot === undefined
      ? {}
      : { message_snapshots: [{ message: renderSnapshot(view, stored, stored.snapshot) }] }),
    ...(stored.webhook === undefined ? {} : { webhook_id: stored.authorId, ...webhookOwner(store, stored.authorId) }),
    ...(stored.interaction === undefined ? {} : interactionFields(store, stored.interaction)),
    ...(thread === undefined ? {} : { thread: renderChannel(store, thread) })
  })
}

/** Attachments, embeds and components; a file that an embed shows is not listed again. */
const renderMedia = (
  { origin }: MessageView,
  stored: StoredMessage
): Pick<APIMessage, "attachments" | "embeds"> & { readonly components: ReadonlyArray<unknown> } => {
  const { attachments, channelId } = stored
  const find = makeFileFinder(origin, channelId, attachments)
  const embedded = new Set<StoredAttachment>()
  const embedUrl = (url: string): string => {
    const attachment = find(url)
    if (attachment !== undefined) embedded.add(attachment.file)
    return attachment?.url ?? url
  }
  const embeds = stored.embeds.map((embed) => withProxyUrls(mapEmbedMedia(embed, embedUrl)))
  return {
    attachments: attachments
      .filter((file) => !embedded.has(file))
      .map((file) => renderAttachment(origin, channelId, file)),
    embeds,
    components: renderComponents(stored.components, stored.id, find)
  }
}

const withProxyUrls = (embed: APIEmbed): APIEmbed => {
  const copy = { ...embed }
  for (const key of ["image", "thumbnail"] as const) {
    const found = copy[key]
    if (found !== undefined) copy[key] = { ...found, proxy_url: found.url }
  }
  return copy
}

const renderReactions = (reactions: ReadonlyArray<StoredReaction>, viewerId: string): ReadonlyArray<object> =>
  reactions.map(({ emoji, userIds }) => ({
    emoji,
    count: userIds.length,
    count_details: { normal: userIds.length, burst: 0 },
    me: userIds.includes(viewerId),
    me_burst: false,
    burst_colors: []
  }))

const referenceFields = (
  view: MessageView,
  reference: NonNullable<StoredMessage["reference"]>,
  depth: number
): object => {
  const { channelId, forward = false, messageId } = reference
  const message_reference = {
    type: forward ? MessageReferenceType.forward : MessageReferenceType.default,
    channel_id: channelId,
    ...(messageId === undefined ? {} : { message_id: messageId }),
    guild_id: view.store.guild.guildId
  }
  if (depth > 0 || messageId === undefined || forward) return { message_reference }
  const referenced = view.store.messages.get(channelId, messageId)
  return {
    message_reference,
    referenced_message: referenced === undefined ? null : renderMessage(view, referenced, depth + 1)
  }
}

/** What a forward shows: the message as it was then, without its author and channel. */
const renderSnapshot = (view: MessageView, forward: StoredMessage, snapshot: MessageSnapshot): object => {
  const { id, channelId, authorId, reactions, pinned, mentionEveryone } = forward
  const message = { id, channelId, authorId, reactions, pinned, mentionEveryone, ...snapshot }
  const rendered = renderMessage(view, message, 1)
  return {
    type: rendered.type,
    content: rendered.content,
    mentions: rendered.mentions,
    mention_roles: rendered.mention_roles,
    attachments: rendered.attachments,
    embeds: rendered.embeds,
    timestamp: rendered.timestamp,
    edited_timestamp: rendered.edited_timestamp,
    flags: rendered.flags,
    components: rendered.components
  }
}

const interactionFields = (store: Store, interaction: AnsweredInteraction): object => {
  const { id, name, userId } = interaction
  return {
    application_id: store.guild.applicationId,
    webhook_id: store.guild.applicationId,
    interaction_metadata: interactionMetadata(store, interaction),
    ...(name === undefined ? {} : { interaction: { id, type: 2, name, user: renderUser(store, userId) } })
  }
}

const interactionMetadata = (store: Store, interaction: AnsweredInteraction): APIMessageInteractionMetadata => {
  const { id, interactedMessageId, openedBy, originalId, targetMessageId, targetUserId, type, userId } = interaction
  return checkedAs({
    id,
    type,
    user: renderUser(store, userId),
    authorizing_integration_owners: { "0": store.guild.guildId },
    ...(originalId === undefined ? {} : { original_response_message_id: originalId }),
    ...(interactedMessageId === undefined ? {} : { interacted_message_id: interactedMessageId }),
    ...(targetMessageId === undefined ? {} : { target_message_id: targetMessageId }),
    ...(targetUserId === undefined ? {} : { target_user: renderUser(store, targetUserId) }),
    ...(openedBy === undefined ? {} : { triggering_interaction_metadata: interactionMetadata(store, openedBy) })
  })
}
