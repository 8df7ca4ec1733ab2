import { ChannelKind } from "../state/Codes.ts"
import type { Parts } from "../Parts.ts"
import type { StoredChannel, StoredMessage, StoredReaction } from "../state/Model.ts"
import { membership } from "../state/Membership.ts"
import { canView } from "../state/Permissions.ts"
import type { Committed } from "../state/World.ts"
import { guildDispatches } from "./GuildDispatch.ts"
import { Intent } from "./Codes.ts"
import { type Presence, renderPresence } from "./Presence.ts"

/** An event for the application, with what decides who gets it and with how much in it. */
export interface Dispatch {
  readonly event: string
  readonly data: object
  /** Any of these intents lets it through; none means always. */
  readonly intents: number
  /** Direct messages go to the first shard. */
  readonly direct: boolean
  /** Set on messages whose content needs the message content intent. */
  readonly guarded?: boolean
}

/** What the application hears about a change; never ephemeral messages, nor anything in channels that it cannot see. */
export const dispatchesOf = (parts: Parts, committed: Committed): ReadonlyArray<Dispatch> => {
  const { before, change } = committed
  const inside =
    "channelId" in change ? change.channelId : change.kind === "message" ? change.value.channelId : undefined
  if (inside !== undefined && !isSeen(parts, parts.world.channels.get(inside))) return []
  switch (change.kind) {
    case "channel":
      if (change.quiet === true) return []
      return change.value.recipientId === undefined
        ? channelChange(parts, change.value, before as StoredChannel | undefined)
        : []
    case "channel_gone":
      return channelGone(parts, before as StoredChannel | undefined)
    case "message":
      return messageChange(parts, change.value, before as StoredMessage | undefined, change.cleared)
    case "message_gone": {
      const gone = before as StoredMessage | undefined
      if (gone === undefined || gone.visibleTo !== undefined) return []
      const direct = isDirect(parts, gone.channelId)
      const data = { id: gone.id, channel_id: gone.channelId, ...place(parts, direct) }
      return [{ event: "MESSAGE_DELETE", data, intents: messageIntents(direct), direct }]
    }
    default:
      return guildDispatches(parts, committed)
  }
}

/** Whether the bot sees a channel. */
const isSeen = ({ world }: Parts, channel: StoredChannel | undefined): boolean =>
  channel === undefined || canView(world, world.realm.botId, channel)

/** The dispatch of somebody's typing. */
export const typingDispatch = (parts: Parts, channelId: string, userId: string): ReadonlyArray<Dispatch> => {
  if (!isSeen(parts, parts.world.channels.get(channelId))) return []
  const direct = isDirect(parts, channelId)
  const member = parts.render.member(userId)
  const data = {
    channel_id: channelId,
    user_id: userId,
    timestamp: Math.floor(parts.world.clock.now() / 1000),
    ...place(parts, direct),
    ...(direct ? {} : { member })
  }
  return [{ event: "TYPING_START", data, intents: direct ? Intent.directTyping : Intent.typing, direct }]
}

/** The dispatch of what a person did with a command, a component or a modal. */
export const interactionDispatch = (payload: object): Dispatch => ({
  event: "INTERACTION_CREATE",
  data: payload,
  intents: 0,
  direct: !("guild_id" in payload)
})

/** The dispatch of how the bot shows itself. */
export const presenceDispatch = ({ world }: Parts, presence: Presence): Dispatch => ({
  event: "PRESENCE_UPDATE",
  data: renderPresence(world.realm.botId, world.realm.guildId, presence),
  intents: Intent.presences,
  direct: false
})

/** The guild while Discord cannot reach it. */
export const guildOutage = ({ world }: Parts): Dispatch => ({
  event: "GUILD_DELETE",
  data: { id: world.realm.guildId, unavailable: true },
  intents: Intent.guilds,
  direct: false
})

/**
 * The guild as a client gets it once it is ready. Without the presences intent it gets no members but itself; a guild
 * with more than `largeThreshold` members is large.
 */
export const guildCreate = (
  parts: Parts,
  client: { readonly intents: number; readonly largeThreshold: number; readonly presence: Presence }
): Dispatch => {
  const { render, world } = parts
  const open = (client.intents & Intent.presences) !== 0
  const { botId, guildId } = world.realm
  const channels = [...world.channels.values()].filter((channel) => channel.guildId !== undefined)
  return {
    event: "GUILD_CREATE",
    data: {
      ...render.guild(),
      joined_at: world.realm.createdAt,
      large: world.members.size > client.largeThreshold,
      unavailable: false,
      member_count: world.members.size,
      members: (open ? [...world.members.keys()] : [botId]).map(render.member),
      channels: channels.filter((channel) => channel.thread === undefined).map((channel) => render.channel(channel)),
      threads: channels
        .filter((channel) => channel.thread?.archived === false && isSeen(parts, channel))
        .map((thread) => ({ ...render.channel(thread), ...ownMembership(parts, thread) })),
      presences: open ? [renderPresence(botId, guildId, client.presence)] : [],
      voice_states: [],
      stage_instances: [],
      guild_scheduled_events: [],
      soundboard_sounds: []
    },
    intents: Intent.guilds,
    direct: false
  }
}

/** A message without what only the message content intent shows. */
export const withoutContent = (data: object): object => ({
  ...data,
  ...nothingSaid,
  ...("message_snapshots" in data && Array.isArray(data.message_snapshots)
    ? {
        message_snapshots: data.message_snapshots.map((snapshot: { readonly message: object }) => ({
          message: { ...snapshot.message, ...nothingSaid }
        }))
      }
    : {})
})

const nothingSaid = { content: "", embeds: [], attachments: [], components: [] }

const channelChange = (
  parts: Parts,
  now: StoredChannel,
  before: StoredChannel | undefined
): ReadonlyArray<Dispatch> => {
  const guild = (event: string, data: object): Dispatch => ({ event, data, intents: Intent.guilds, direct: false })
  const data = parts.render.channel(now)
  if (now.thread !== undefined && !isSeen(parts, now)) return lostMembership(parts, now, before)
  if (now.thread === undefined) return [guild(before === undefined ? "CHANNEL_CREATE" : "CHANNEL_UPDATE", data)]
  if (before === undefined)
    return [guild("THREAD_CREATE", { ...data, newly_created: true, ...ownMembership(parts, now) })]
  if (before.thread?.memberIds !== now.thread.memberIds) return membersChange(parts, now, before)
  const opened = before.thread?.archived === true && !now.thread.archived
  const own = membership(now, parts.world.realm.botId)
  // Whoever comes back to a thread may not have it any more, nor their place in it.
  return opened && own !== undefined
    ? [guild("THREAD_UPDATE", data), guild("THREAD_MEMBER_UPDATE", { ...own, guild_id: now.guildId })]
    : [guild("THREAD_UPDATE", data)]
}

/** Even who sees a thread no more hears of having been taken out of it. */
const lostMembership = (
  parts: Parts,
  now: StoredChannel,
  before: StoredChannel | undefined
): ReadonlyArray<Dispatch> => {
  const { botId } = parts.world.realm
  const was = before?.thread?.memberIds.includes(botId) === true
  return before !== undefined && was && now.thread?.memberIds.includes(botId) !== true
    ? membersChange(parts, now, before)
    : []
}

const membersChange = (parts: Parts, now: StoredChannel, before: StoredChannel): ReadonlyArray<Dispatch> => {
  const memberIds = now.thread?.memberIds ?? []
  const old = before.thread?.memberIds ?? []
  const added = memberIds.filter((id) => !old.includes(id))
  const removed = old.filter((id) => !memberIds.includes(id))
  const changes = {
    id: now.id,
    guild_id: now.guildId,
    member_count: memberIds.length,
    added_members: added.flatMap((id) => membership(now, id) ?? []),
    removed_member_ids: removed
  }
  // Without the members intent a bot only hears about itself.
  const own = [...added, ...removed].includes(parts.world.realm.botId)
  const update: Dispatch = {
    event: "THREAD_MEMBERS_UPDATE",
    data: changes,
    intents: own ? Intent.guilds : Intent.members,
    direct: false
  }
  if (!added.includes(parts.world.realm.botId)) return [update]
  // Whoever comes into a thread gets it first: they may not have seen it before.
  const data = { ...parts.render.channel(now), ...ownMembership(parts, now) }
  return [{ event: "THREAD_CREATE", data, intents: Intent.guilds, direct: false }, update]
}

const channelGone = (parts: Parts, gone: StoredChannel | undefined): ReadonlyArray<Dispatch> => {
  if (gone === undefined || gone.recipientId !== undefined) return []
  if (gone.thread !== undefined && !isSeen(parts, gone)) return []
  const data =
    gone.thread === undefined
      ? parts.render.channel(gone)
      : { id: gone.id, guild_id: gone.guildId, parent_id: gone.parentId, type: gone.type }
  const event = gone.thread === undefined ? "CHANNEL_DELETE" : "THREAD_DELETE"
  return [{ event, data, intents: Intent.guilds, direct: false }]
}

const messageChange = (
  parts: Parts,
  now: StoredMessage,
  before: StoredMessage | undefined,
  cleared: "all" | StoredReaction["emoji"] | undefined
): ReadonlyArray<Dispatch> => {
  if (now.visibleTo !== undefined) return []
  const { realm } = parts.world
  const direct = isDirect(parts, now.channelId)
  if (before !== undefined && before.reactions !== now.reactions)
    return reactionChange(parts, now, before, direct, cleared)
  const { user: _, ...member } = parts.render.member(now.authorId)
  const pinned = before === undefined || before.pinned === now.pinned ? [] : [pinsUpdate(parts, now, direct)]
  const data = {
    ...parts.render.message(now, realm.botId),
    ...place(parts, direct),
    ...(direct || now.webhook !== undefined ? {} : { member }),
    ...(before === undefined && direct ? { channel_type: ChannelKind.dm } : {})
  }
  return [
    {
      event: before === undefined ? "MESSAGE_CREATE" : "MESSAGE_UPDATE",
      data,
      intents: messageIntents(direct),
      direct,
      guarded: !direct && now.authorId !== realm.botId && !now.mentionIds.includes(realm.botId)
    },
    ...pinned
  ]
}

const pinsUpdate = (parts: Parts, { channelId, pinnedAt }: StoredMessage, direct: boolean): Dispatch => ({
  event: "CHANNEL_PINS_UPDATE",
  data: { channel_id: channelId, last_pin_timestamp: pinnedAt ?? null, ...place(parts, direct) },
  intents: direct ? Intent.directMessages : Intent.guilds,
  direct
})

const reactionChange = (
  parts: Parts,
  now: StoredMessage,
  before: StoredMessage,
  direct: boolean,
  cleared: "all" | StoredReaction["emoji"] | undefined
): ReadonlyArray<Dispatch> => {
  const pairs = (message: StoredMessage) =>
    new Map(
      message.reactions.flatMap(({ emoji, userIds }) =>
        userIds.map((userId) => [`${emoji.id ?? emoji.name} ${userId}`, { emoji, userId }] as const)
      )
    )
  const old = pairs(before)
  const fresh = pairs(now)
  const shared = { channel_id: now.channelId, message_id: now.id, ...place(parts, direct), burst: false, type: 0 }
  const intents = direct ? Intent.directReactions : Intent.reactions
  if (cleared !== undefined) {
    const data = { channel_id: now.channelId, message_id: now.id, ...place(parts, direct) }
    return cleared === "all"
      ? [{ event: "MESSAGE_REACTION_REMOVE_ALL", data, intents, direct }]
      : [{ event: "MESSAGE_REACTION_REMOVE_EMOJI", data: { ...data, emoji: cleared }, intents, direct }]
  }
  const added = [...fresh].filter(([key]) => !old.has(key))
  const removed = [...old].filter(([key]) => !fresh.has(key))
  return [
    ...added.map(([, { emoji, userId }]): Dispatch => {
      const member = parts.render.member(userId)
      const data = {
        ...shared,
        user_id: userId,
        emoji,
        message_author_id: now.authorId,
        burst_colors: [],
        ...(direct ? {} : { member })
      }
      return { event: "MESSAGE_REACTION_ADD", data, intents, direct }
    }),
    ...removed.map(([, { emoji, userId }]): Dispatch => ({
      event: "MESSAGE_REACTION_REMOVE",
      data: { ...shared, user_id: userId, emoji },
      intents,
      direct
    }))
  ]
}

const isDirect = (parts: Parts, channelId: string): boolean =>
  parts.world.channels.get(channelId)?.recipientId !== undefined

const place = (parts: Parts, direct: boolean): object => (direct ? {} : { guild_id: parts.world.realm.guildId })

const messageIntents = (direct: boolean): number => (direct ? Intent.directMessages : Intent.messages)

const ownMembership = (parts: Parts, channel: StoredChannel): object => {
  const own = membership(channel, parts.world.realm.botId)
  return own === undefined ? {} : { member: own }
}
