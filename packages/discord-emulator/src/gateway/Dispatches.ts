import type { Context } from "../context/Context.ts"
import type { StoredChannel, StoredMessage } from "../model/Records.ts"
import type { Committed } from "../state/Store.ts"
import { channelChange, channelGone, ownMembership } from "./ChannelDispatch.ts"
import { Intent } from "./Codes.ts"
import { type Dispatch, isDirect, isSeen, messageIntents, guildField } from "./Dispatch.ts"
import { guildDispatches } from "./GuildDispatch.ts"
import { messageChange } from "./MessageDispatch.ts"
import { type Presence, renderPresence } from "./Presence.ts"

/** The events of a change, without ephemeral messages and channels that the bot cannot see. */
export const dispatchesOf = (context: Context, committed: Committed): ReadonlyArray<Dispatch> => {
  const { before, change } = committed
  const inside =
    "channelId" in change ? change.channelId : change.kind === "message" ? change.value.channelId : undefined
  if (inside !== undefined && !isSeen(context, context.store.channels.get(inside))) return []
  switch (change.kind) {
    case "channel":
      if (change.quiet === true) return []
      return change.value.recipientId === undefined
        ? channelChange(context, change.value, before as StoredChannel | undefined)
        : []
    case "channel_gone":
      return channelGone(context, before as StoredChannel | undefined)
    case "message":
      return messageChange(context, change.value, before as StoredMessage | undefined, change.cleared)
    case "message_gone": {
      const gone = before as StoredMessage | undefined
      if (gone === undefined || gone.visibleTo !== undefined) return []
      const direct = isDirect(context, gone.channelId)
      const data = { id: gone.id, channel_id: gone.channelId, ...guildField(context, direct) }
      return [{ event: "MESSAGE_DELETE", data, intents: messageIntents(direct), direct }]
    }
    default:
      return guildDispatches(context, committed)
  }
}

/** The dispatch of somebody's typing. */
export const typingDispatch = (context: Context, channelId: string, userId: string): ReadonlyArray<Dispatch> => {
  if (!isSeen(context, context.store.channels.get(channelId))) return []
  const direct = isDirect(context, channelId)
  const member = context.render.member(userId)
  const data = {
    channel_id: channelId,
    user_id: userId,
    timestamp: Math.floor(context.store.clock.now() / 1000),
    ...guildField(context, direct),
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
export const presenceDispatch = ({ store }: Context, presence: Presence): Dispatch => ({
  event: "PRESENCE_UPDATE",
  data: renderPresence(store.realm.botId, store.realm.guildId, presence),
  intents: Intent.presences,
  direct: false
})

/** The guild while Discord cannot reach it. */
export const guildOutage = ({ store }: Context): Dispatch => ({
  event: "GUILD_DELETE",
  data: { id: store.realm.guildId, unavailable: true },
  intents: Intent.guilds,
  direct: false
})

/**
 * The guild as a client gets it once it is ready. Without the presences intent it gets no members but itself; a guild
 * with more than `largeThreshold` members is large.
 */
export const guildCreate = (
  context: Context,
  client: { readonly intents: number; readonly largeThreshold: number; readonly presence: Presence }
): Dispatch => {
  const { render, store } = context
  const open = (client.intents & Intent.presences) !== 0
  const { botId, guildId } = store.realm
  const channels = [...store.channels.values()].filter((channel) => channel.guildId !== undefined)
  return {
    event: "GUILD_CREATE",
    data: {
      ...render.guild(),
      joined_at: store.realm.createdAt,
      large: store.members.size > client.largeThreshold,
      unavailable: false,
      member_count: store.members.size,
      members: (open ? [...store.members.keys()] : [botId]).map(render.member),
      channels: channels.filter((channel) => channel.thread === undefined).map((channel) => render.channel(channel)),
      threads: channels
        .filter((channel) => channel.thread?.archived === false && isSeen(context, channel))
        .map((thread) => ({ ...render.channel(thread), ...ownMembership(context, thread) })),
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
