import type {
  APIAttachment,
  APIChannel,
  APIEmbed,
  APIMessage,
  APIMessageInteractionMetadata,
  APIRole,
  APIUser,
  APIWebhook
} from "discord-api-types/v10"
import { checkedAs } from "../validate/Form.ts"
import { mapEmbedMedia } from "../validate/Embeds.ts"
import { ChannelKind, Flag, MessageKind } from "../model/Constants.ts"
import type {
  AnsweredInteraction,
  MessageSnapshot,
  StoredAttachment,
  StoredChannel,
  StoredMessage,
  StoredRole,
  StoredUser,
  StoredWebhook
} from "../model/Records.ts"
import { renderComponents, type ShownFile } from "./RenderComponents.ts"
import { renderGuild, renderRole } from "./RenderGuild.ts"
import { membership } from "./ThreadMember.ts"
import type { World } from "../state/World.ts"

/** Turns records into the objects of Discord's API. `base` is put before the paths of files. */
export interface Render {
  readonly user: (id: string) => APIUser
  /** Who somebody is in the guild. */
  readonly member: (id: string) => Record<string, unknown>
  readonly role: (role: StoredRole) => APIRole
  /** With a viewer, a thread also tells of their membership, and a direct channel of the other one in it. */
  readonly channel: (channel: StoredChannel, viewerId?: string) => APIChannel
  readonly webhook: (webhook: StoredWebhook, withUser: boolean) => APIWebhook
  /** `viewerId` decides what `me` of a reaction says. */
  readonly message: (message: StoredMessage, viewerId: string, depth?: number) => APIMessage
  readonly attachment: (channelId: string, attachment: StoredAttachment) => APIAttachment
  readonly guild: () => Record<string, unknown>
}

export const makeRender = (world: World, base: () => string): Render => {
  const user = (id: string): APIUser => renderUser(world.users.get(id) ?? deletedUser(id))

  const member: Render["member"] = (id) => {
    const stored = world.members.get(id)
    return {
      user: user(id),
      nick: stored?.nick ?? null,
      avatar: null,
      banner: null,
      roles: stored?.roleIds ?? [],
      joined_at: stored?.joinedAt ?? world.realm.createdAt,
      premium_since: null,
      deaf: false,
      mute: false,
      flags: 0,
      pending: false,
      communication_disabled_until: stored?.timeoutUntil ?? null
    }
  }

  const attachment: Render["attachment"] = (channelId, stored) => {
    const url = `${base()}/attachments/${channelId}/${stored.id}/${encodeURIComponent(stored.filename)}`
    return {
      id: stored.id,
      filename: stored.filename,
      size: stored.size,
      url,
      proxy_url: url,
      content_type: stored.contentType,
      ...(stored.title === undefined ? {} : { title: stored.title }),
      ...(stored.description === undefined ? {} : { description: stored.description }),
      ...(stored.width === undefined ? {} : { width: stored.width }),
      ...(stored.height === undefined ? {} : { height: stored.height })
    }
  }

  const webhook: Render["webhook"] = (stored, withUser) =>
    checkedAs({
      id: stored.id,
      type: 1,
      name: stored.name,
      avatar: null,
      channel_id: stored.channelId,
      guild_id: world.realm.guildId,
      application_id: null,
      ...ownerOf(stored.id),
      token: stored.token,
      url: `${base()}/api/webhooks/${stored.id}/${stored.token}`,
      ...(withUser ? { user: user(stored.creatorId) } : {})
    })

  const channel: Render["channel"] = (stored, viewerId) => {
    if (stored.recipientId !== undefined) {
      const recipients = [user(stored.recipientId === viewerId ? world.realm.botId : stored.recipientId)]
      return checkedAs({
        id: stored.id,
        type: ChannelKind.dm,
        flags: 0,
        last_message_id: world.lastMessageId(stored.id),
        recipients
      })
    }
    const shared = {
      id: stored.id,
      type: stored.type,
      name: stored.name,
      guild_id: stored.guildId,
      parent_id: stored.parentId,
      last_message_id: world.lastMessageId(stored.id),
      rate_limit_per_user: stored.slowmode,
      flags: stored.flags ?? 0,
      ...(stored.lastPinAt === undefined ? {} : { last_pin_timestamp: stored.lastPinAt })
    }
    if (stored.thread === undefined) {
      const forum = stored.type === ChannelKind.forum
      return {
        ...shared,
        topic: stored.topic,
        position: stored.position,
        permission_overwrites: stored.overwrites ?? [],
        nsfw: stored.nsfw ?? false,
        ...(stored.defaultAutoArchiveDuration === undefined
          ? {}
          : { default_auto_archive_duration: stored.defaultAutoArchiveDuration }),
        ...(stored.defaultThreadSlowmode === undefined
          ? {}
          : { default_thread_rate_limit_per_user: stored.defaultThreadSlowmode }),
        ...(forum
          ? {
              available_tags: stored.availableTags ?? [],
              default_reaction_emoji: stored.defaultReaction ?? null,
              default_sort_order: stored.defaultSortOrder ?? null,
              default_forum_layout: stored.defaultLayout ?? 0
            }
          : {})
      } as APIChannel
    }
    const { thread } = stored
    const { ever, present } = world.messageCounts(stored.id)
    return {
      ...shared,
      owner_id: stored.ownerId,
      thread_metadata: {
        archived: thread.archived,
        archive_timestamp: thread.archiveTimestamp,
        auto_archive_duration: thread.autoArchiveDuration,
        locked: thread.locked,
        create_timestamp: thread.createTimestamp,
        ...(stored.type === ChannelKind.privateThread ? { invitable: thread.invitable } : {})
      },
      message_count: present,
      member_count: thread.memberIds.length,
      total_message_sent: ever,
      applied_tags: stored.appliedTags ?? [],
      ...(viewerId === undefined ? {} : { member: membership(stored, viewerId) })
    } as APIChannel
  }

  const metadata = (interaction: AnsweredInteraction): APIMessageInteractionMetadata => {
    const { id, interactedMessageId, openedBy, originalId, targetMessageId, targetUserId, type, userId } = interaction
    return checkedAs({
      id,
      type,
      user: user(userId),
      authorizing_integration_owners: { "0": world.realm.guildId },
      ...(originalId === undefined ? {} : { original_response_message_id: originalId }),
      ...(interactedMessageId === undefined ? {} : { interacted_message_id: interactedMessageId }),
      ...(targetMessageId === undefined ? {} : { target_message_id: targetMessageId }),
      ...(targetUserId === undefined ? {} : { target_user: user(targetUserId) }),
      ...(openedBy === undefined ? {} : { triggering_interaction_metadata: metadata(openedBy) })
    })
  }

  const message: Render["message"] = (stored, viewerId, depth = 0) => {
    // The newest file of a name is the one meant.
    const files = stored.attachments.map((file) => ({ file, url: attachment(stored.channelId, file).url })).toReversed()
    const shown = new Set<StoredAttachment>()
    const find = (url: string): ShownFile | undefined => {
      const name = url.startsWith("attachment://") ? url.slice("attachment://".length) : undefined
      // An address given out earlier still means the file when this emulator now has another one.
      return files.find((one) => (name === undefined ? pathOf(one.url) === pathOf(url) : one.file.filename === name))
    }
    const show = (url: string): string => {
      const found = find(url)
      if (found !== undefined) shown.add(found.file)
      return found?.url ?? url
    }
    const embeds = stored.embeds.map((embed) => withProxies(mapEmbedMedia(embed, show)))
    const components = renderComponents(stored.components, stored.id, find)
    const { interaction, reference } = stored
    const referenced =
      reference?.messageId === undefined ? undefined : world.message(reference.channelId, reference.messageId)
    const thread = (stored.flags & Flag.hasThread) !== 0 ? world.channels.get(stored.id) : undefined
    return {
      id: stored.id,
      channel_id: stored.channelId,
      type: stored.type,
      content: stored.content,
      author:
        stored.webhook === undefined ? user(stored.authorId) : renderUser(speaker(stored.authorId, stored.webhook)),
      timestamp: stored.timestamp,
      edited_timestamp: stored.editedTimestamp,
      tts: stored.tts ?? false,
      mention_everyone: stored.mentionEveryone,
      mentions: stored.mentionIds.map(user),
      mention_roles: [...(stored.mentionRoleIds ?? [])],
      // A file that an embed shows is not listed a second time.
      attachments: stored.attachments
        .filter((file) => !shown.has(file))
        .map((file) => attachment(stored.channelId, file)),
      embeds,
      components,
      pinned: stored.pinned,
      flags: stored.flags,
      ...(stored.reactions.length === 0
        ? {}
        : {
            reactions: stored.reactions.map(({ emoji, userIds }) => ({
              emoji,
              count: userIds.length,
              count_details: { normal: userIds.length, burst: 0 },
              me: userIds.includes(viewerId),
              me_burst: false,
              burst_colors: []
            }))
          }),
      ...(stored.nonce === undefined ? {} : { nonce: stored.nonce }),
      ...(reference === undefined
        ? {}
        : {
            message_reference: {
              type: reference.forward === true ? 1 : 0,
              channel_id: reference.channelId,
              ...(reference.messageId === undefined ? {} : { message_id: reference.messageId }),
              guild_id: world.realm.guildId
            },
            ...(depth > 0 || reference.messageId === undefined || reference.forward === true
              ? {}
              : { referenced_message: referenced === undefined ? null : message(referenced, viewerId, depth + 1) })
          }),
      ...(stored.snapshot === undefined
        ? {}
        : { message_snapshots: [{ message: snapshot(stored, stored.snapshot, viewerId) }] }),
      ...(stored.webhook === undefined ? {} : { webhook_id: stored.authorId, ...ownerOf(stored.authorId) }),
      ...(interaction === undefined
        ? {}
        : {
            application_id: world.realm.applicationId,
            webhook_id: world.realm.applicationId,
            interaction_metadata: metadata(interaction),
            ...(interaction.name === undefined
              ? {}
              : {
                  interaction: { id: interaction.id, type: 2, name: interaction.name, user: user(interaction.userId) }
                })
          }),
      ...(thread === undefined ? {} : { thread: channel(thread) })
    } as APIMessage
  }

  /** What a forward shows: the message of then, without who wrote it and where. */
  const snapshot = (forward: StoredMessage, shown: MessageSnapshot, viewerId: string): object => {
    const { id, channelId, authorId, reactions, pinned, mentionEveryone } = forward
    const carried = { id, channelId, authorId, reactions, pinned, mentionEveryone, ...shown }
    const {
      attachments,
      components,
      content,
      edited_timestamp,
      embeds,
      flags,
      mention_roles,
      mentions,
      timestamp,
      type
    } = message(carried, viewerId, 1)
    return {
      type,
      content,
      mentions,
      mention_roles,
      attachments,
      embeds,
      timestamp,
      edited_timestamp,
      flags,
      components
    }
  }

  /** What a webhook made by the application tells of it. */
  const ownerOf = (webhookId: string): { readonly application_id?: string } =>
    world.webhooks.get(webhookId)?.creatorId === world.realm.botId ? { application_id: world.realm.applicationId } : {}

  const role: Render["role"] = (stored) => renderRole(world, stored)

  return { user, member, role, webhook, channel, message, attachment, guild: () => renderGuild(world) }
}

/** Whether `userId` may see a message: ephemeral ones only for whom they are meant, and for the bot that sent them. */
export const sees = (message: StoredMessage, userId: string): boolean =>
  message.visibleTo === undefined || message.visibleTo === userId

/** System messages have no text of their own and cannot be edited. */
export const isSystem = (message: StoredMessage): boolean => system.includes(message.type)

const system: ReadonlyArray<number> = [
  MessageKind.recipientAdd,
  MessageKind.recipientRemove,
  MessageKind.nameChange,
  MessageKind.pinned,
  MessageKind.threadCreated,
  MessageKind.threadStarter
]

const renderUser = (user: StoredUser): APIUser =>
  checkedAs({
    id: user.id,
    username: user.username,
    discriminator: user.bot ? "0000" : "0",
    global_name: user.globalName,
    avatar: null,
    avatar_decoration_data: null,
    collectibles: null,
    banner: null,
    accent_color: null,
    primary_guild: null,
    public_flags: 0,
    flags: 0,
    ...(user.bot ? { bot: true } : {})
  })

const deletedUser = (id: string): StoredUser => ({
  id,
  username: "deleted_user",
  globalName: "Deleted User",
  bot: false,
  avatarColor: "#4d5a6b"
})

const speaker = (id: string, { name }: { readonly name: string }): StoredUser => ({
  id,
  username: name,
  globalName: null,
  bot: true,
  avatarColor: "#4d5a6b"
})

const pathOf = (url: string): string => url.slice(Math.max(0, url.indexOf("/attachments/")))

const withProxies = (embed: APIEmbed): APIEmbed => {
  const copy = { ...embed }
  for (const key of ["image", "thumbnail"] as const) {
    const found = copy[key]
    if (found !== undefined) copy[key] = { ...found, proxy_url: found.url }
  }
  return copy
}
