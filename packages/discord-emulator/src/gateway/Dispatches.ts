import type { Parts } from "../context/Context.ts"
import type { StoredChannel, StoredMessage } from "../model/Records.ts"
import type { Committed } from "../state/World.ts"
import { channelChange, channelGone, ownMembership } from "./ChannelDispatch.ts"
import { Intent } from "./Codes.ts"
import { type Dispatch, isDirect, isSeen, messageIntents, place } from "./Dispatch.ts"
import { guildDispatches } from "./GuildDispatch.ts"
import { messageChange } from "./MessageDispatch.ts"
import { type Presence, renderPresence } from "./Presence.ts"

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
