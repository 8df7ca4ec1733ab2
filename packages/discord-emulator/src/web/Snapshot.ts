import { localeOf, localizedCommandsFor } from "../actors/CommandInput.ts"
import type { Context } from "../context/Context.ts"
import { locales } from "../validate/Localizations.ts"
import { ChannelKind, Permission } from "../model/Constants.ts"
import type { StoredChannel } from "../model/Records.ts"
import { canView, can, guildPermissions } from "../state/Permissions.ts"

/** The state that one person sees, without messages; `botStatus` is the presence of the bot. */
export const snapshotFor = (context: Context, userId: string, botStatus: string): object => {
  const { render, store } = context
  const isMember = (id: string): boolean => store.members.has(id)
  return {
    me: userId,
    locale: localeOf(context, userId),
    locales: [...locales],
    botId: store.guild.botId,
    users: [...store.users.values()].map(({ id, username, globalName, bot, avatarColor }) => ({
      id,
      username,
      globalName,
      bot,
      avatarColor,
      nick: store.members.get(id)?.nick ?? null,
      roles: store.members.get(id)?.roleIds ?? [],
      member: isMember(id),
      status: bot ? botStatus : "online"
    })),
    roles: [...store.roles.values()].map((role) => render.role(role)),
    guild: {
      id: store.guild.guildId,
      name: store.guild.guildName,
      ownerId: store.guild.ownerId,
      locale: store.guild.locale ?? "en-US",
      canManage: (guildPermissions(store, userId) & Permission.manageGuild) !== 0n
    },
    channels: [...store.channels.values()]
      .filter((channel) => canView(context.store, userId, channel))
      .map((channel) => channelFor(context, channel, userId)),
    commands: localizedCommandsFor(context, userId)
  }
}

/** A channel as the page shows it to one person. */
export const channelFor = ({ store }: Context, channel: StoredChannel, userId: string): object => ({
  id: channel.id,
  name: channel.name,
  type: channel.type,
  position: channel.position,
  canSend: canSend(store, channel, userId),
  canManage: can(store, userId, Permission.manageMessages, channel),
  canThread: channel.thread === undefined && can(store, userId, Permission.createPublicThreads, channel),
  ...(channel.parentId === null ? {} : { parentId: channel.parentId }),
  ...(channel.topic === null ? {} : { topic: channel.topic }),
  ...(channel.ownerId === undefined ? {} : { ownerId: channel.ownerId }),
  ...(channel.type === ChannelKind.forum ? { tags: channel.availableTags ?? [] } : {}),
  ...(channel.appliedTags === undefined ? {} : { appliedTags: channel.appliedTags }),
  ...(channel.flags === undefined ? {} : { flags: channel.flags }),
  ...(channel.thread === undefined ? {} : { archived: channel.thread.archived, locked: channel.thread.locked })
})

const canSend = (store: Context["store"], channel: StoredChannel, userId: string): boolean => {
  if (channel.thread === undefined) return can(store, userId, Permission.sendMessages, channel)
  if (channel.thread.locked && !can(store, userId, Permission.manageThreads, channel)) return false
  return can(store, userId, Permission.sendInThreads, channel)
}
