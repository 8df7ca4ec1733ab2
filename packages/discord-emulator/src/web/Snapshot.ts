import { canSee } from "../actors/Actor.ts"
import { localeOf, shownCommandsFor } from "../actors/CommandInput.ts"
import type { Parts } from "../context/Context.ts"
import { locales } from "../validate/Localizations.ts"
import { ChannelKind, Permission } from "../model/Constants.ts"
import type { StoredChannel } from "../model/Records.ts"
import { can, guildPermissions } from "../state/Permissions.ts"

/** All that one person sees but messages. `botStatus` is how the bot shows itself. */
export const snapshotFor = (parts: Parts, userId: string, botStatus: string): object => {
  const { render, world } = parts
  const shown = (id: string): boolean => world.members.has(id)
  return {
    me: userId,
    locale: localeOf(parts, userId),
    locales: [...locales],
    botId: world.realm.botId,
    users: [...world.users.values()].map(({ id, username, globalName, bot, avatarColor }) => ({
      id,
      username,
      globalName,
      bot,
      avatarColor,
      nick: world.members.get(id)?.nick ?? null,
      roles: world.members.get(id)?.roleIds ?? [],
      member: shown(id),
      status: bot ? botStatus : "online"
    })),
    roles: [...world.roles.values()].map((role) => render.role(role)),
    guild: {
      id: world.realm.guildId,
      name: world.realm.guildName,
      ownerId: world.realm.ownerId,
      locale: world.realm.locale ?? "en-US",
      canManage: (guildPermissions(world, userId) & Permission.manageGuild) !== 0n
    },
    channels: [...world.channels.values()]
      .filter((channel) => canSee(parts, channel, userId))
      .map((channel) => channelFor(parts, channel, userId)),
    commands: shownCommandsFor(parts, userId)
  }
}

/** A channel as the page shows it to one person. */
export const channelFor = ({ world }: Parts, channel: StoredChannel, userId: string): object => ({
  id: channel.id,
  name: channel.name,
  type: channel.type,
  position: channel.position,
  canSend: canSend(world, channel, userId),
  canManage: can(world, userId, Permission.manageMessages, channel),
  canThread: channel.thread === undefined && can(world, userId, Permission.createPublicThreads, channel),
  ...(channel.parentId === null ? {} : { parentId: channel.parentId }),
  ...(channel.topic === null ? {} : { topic: channel.topic }),
  ...(channel.ownerId === undefined ? {} : { ownerId: channel.ownerId }),
  ...(channel.type === ChannelKind.forum ? { tags: channel.availableTags ?? [] } : {}),
  ...(channel.appliedTags === undefined ? {} : { appliedTags: channel.appliedTags }),
  ...(channel.flags === undefined ? {} : { flags: channel.flags }),
  ...(channel.thread === undefined ? {} : { archived: channel.thread.archived, locked: channel.thread.locked })
})

const canSend = (world: Parts["world"], channel: StoredChannel, userId: string): boolean => {
  if (channel.thread === undefined) return can(world, userId, Permission.sendMessages, channel)
  if (channel.thread.locked && !can(world, userId, Permission.manageThreads, channel)) return false
  return can(world, userId, Permission.sendInThreads, channel)
}
