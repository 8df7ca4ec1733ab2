import type { APIChannel } from "discord-api-types/v10"
import { ChannelKind } from "../model/Constants.ts"
import type { StoredChannel } from "../model/Records.ts"
import type { Store } from "../state/Store.ts"
import { checkedAs } from "../validate/Form.ts"
import { renderUser } from "./RenderUser.ts"
import { renderThreadMember } from "./RenderThreadMember.ts"

/**
 * The channel object. `viewerId` adds the viewer's thread membership, and chooses the recipient of a direct channel.
 */
export const renderChannel = (store: Store, channel: StoredChannel, viewerId?: string): APIChannel => {
  if (channel.recipientId !== undefined) return directChannel(store, channel, channel.recipientId, viewerId)
  const shared = {
    id: channel.id,
    type: channel.type,
    name: channel.name,
    guild_id: channel.guildId,
    parent_id: channel.parentId,
    last_message_id: store.messages.lastId(channel.id),
    rate_limit_per_user: channel.slowmode,
    flags: channel.flags ?? 0,
    ...(channel.lastPinAt === undefined ? {} : { last_pin_timestamp: channel.lastPinAt })
  }
  const { thread } = channel
  return checkedAs({
    ...shared,
    ...(thread === undefined ? guildChannelFields(channel) : threadFields(store, channel, thread, viewerId))
  })
}

const directChannel = (
  store: Store,
  channel: StoredChannel,
  recipientId: string,
  viewerId: string | undefined
): APIChannel =>
  checkedAs({
    id: channel.id,
    type: ChannelKind.dm,
    flags: 0,
    last_message_id: store.messages.lastId(channel.id),
    recipients: [renderUser(store, recipientId === viewerId ? store.guild.botId : recipientId)]
  })

const guildChannelFields = (channel: StoredChannel): object => ({
  topic: channel.topic,
  position: channel.position,
  permission_overwrites: channel.overwrites ?? [],
  nsfw: channel.nsfw ?? false,
  ...(channel.defaultAutoArchiveDuration === undefined
    ? {}
    : { default_auto_archive_duration: channel.defaultAutoArchiveDuration }),
  ...(channel.defaultThreadSlowmode === undefined
    ? {}
    : { default_thread_rate_limit_per_user: channel.defaultThreadSlowmode }),
  ...(channel.type === ChannelKind.forum
    ? {
        available_tags: channel.availableTags ?? [],
        default_reaction_emoji: channel.defaultReaction ?? null,
        default_sort_order: channel.defaultSortOrder ?? null,
        default_forum_layout: channel.defaultLayout ?? 0
      }
    : {})
})

const threadFields = (
  store: Store,
  channel: StoredChannel,
  thread: NonNullable<StoredChannel["thread"]>,
  viewerId: string | undefined
): object => {
  const { total, current } = store.messages.counts(channel.id)
  return {
    owner_id: channel.ownerId,
    thread_metadata: {
      archived: thread.archived,
      archive_timestamp: thread.archiveTimestamp,
      auto_archive_duration: thread.autoArchiveDuration,
      locked: thread.locked,
      create_timestamp: thread.createTimestamp,
      ...(channel.type === ChannelKind.privateThread ? { invitable: thread.invitable } : {})
    },
    message_count: current,
    member_count: thread.memberIds.length,
    total_message_sent: total,
    applied_tags: channel.appliedTags ?? [],
    ...(viewerId === undefined ? {} : { member: renderThreadMember(channel, viewerId) })
  }
}
