import { ChannelType, type Client, GuildPremiumTier, PermissionFlagsBits } from "discord.js"

/** The data that the client has without a call. */
export interface GatewayCache {
  /** A guild's upload limit in bytes; boosts raise it. */
  readonly uploadLimitOf: (guildId: string) => number
  /** A guild; undefined when the bot is not in it. */
  readonly guild: (guildId: string) => KnownGuild | undefined
  /** How many threads of a guild the bot sees that are not archived. */
  readonly activeThreads: (guildId: string) => number
  /** A thread; undefined when it is archived or gone. */
  readonly thread: (threadId: string) => KnownThread | undefined
  /** The forum of a post's thread; undefined outside of forums or when unknown. */
  readonly forum: (threadId: string) => KnownForum | undefined
}

/** A guild that the bot is in. */
export interface KnownGuild {
  readonly name: string
  /** The guild's locale, such as `zh-CN`. */
  readonly locale: string
  /** The bot's permissions outside of channel overrides; undefined when unknown. */
  readonly permissions: bigint | undefined
}

/** A thread that is not archived. */
export interface KnownThread {
  readonly lastMessageId: string | undefined
  readonly locked: boolean
  /** The bot may write there, as far as the cache knows. */
  readonly mayWrite: boolean
}

/** A forum with its tags and the tags of the post. */
export interface KnownForum {
  readonly forumId: string
  readonly tags: ReadonlyArray<ForumTag>
  readonly applied: ReadonlyArray<string>
}

/** A forum's tag; without an id it does not exist yet. */
export interface ForumTag {
  readonly id?: string
  readonly name: string
  readonly moderated?: boolean
  readonly emojiId?: string | null
  readonly emojiName?: string | null
}

export const make = (client: Client): GatewayCache => ({
  uploadLimitOf: (guildId) =>
    uploadLimits[client.guilds.cache.get(guildId)?.premiumTier ?? GuildPremiumTier.None] * 1024 * 1024,
  guild: (guildId) => {
    const guild = client.guilds.cache.get(guildId)
    if (guild === undefined) return undefined
    return { name: guild.name, locale: guild.preferredLocale, permissions: guild.members.me?.permissions.bitfield }
  },
  activeThreads: (guildId) =>
    client.guilds.cache
      .get(guildId)
      ?.channels.cache.filter((channel) => channel.isThread() && channel.archived !== true).size ?? 0,
  thread: (threadId) => {
    const thread = client.channels.cache.get(threadId)
    if (thread?.isThread() !== true || thread.archived === true) return undefined
    const { me } = thread.guild.members
    return {
      lastMessageId: thread.lastMessageId ?? undefined,
      locked: thread.locked === true,
      mayWrite: me === null || thread.permissionsFor(me)?.has(writing) !== false
    }
  },
  forum: (threadId) => {
    const thread = client.channels.cache.get(threadId)
    if (thread?.isThread() !== true || thread.parent?.type !== ChannelType.GuildForum) return undefined
    return {
      forumId: thread.parent.id,
      tags: thread.parent.availableTags.map(({ emoji, id, moderated, name }) => ({
        id,
        name,
        moderated,
        emojiId: emoji?.id ?? null,
        emojiName: emoji?.name ?? null
      })),
      applied: thread.appliedTags
    }
  }
})

const writing = PermissionFlagsBits.ViewChannel | PermissionFlagsBits.SendMessagesInThreads

/** By boost tier, in MiB. */
const uploadLimits = {
  [GuildPremiumTier.None]: 10,
  [GuildPremiumTier.Tier1]: 10,
  [GuildPremiumTier.Tier2]: 50,
  [GuildPremiumTier.Tier3]: 100
} as const
