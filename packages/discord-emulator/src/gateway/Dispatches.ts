import type { Context } from "../context/Context.ts"
import type { StoredChannel, StoredMessage } from "../model/Records.ts"
import type { Committed } from "../state/Store.ts"
import { channelChange, channelDeletion, botMembership } from "./ChannelDispatch.ts"
import { Intent } from "./Codes.ts"
import { type Dispatch, isDirectChannel, botCanView, messageIntents, guildField } from "./Dispatch.ts"
import { guildDispatches } from "./GuildDispatch.ts"
import { messageChange } from "./MessageDispatch.ts"
import { type Presence, renderPresence } from "./Presence.ts"

/** The events of a change, without ephemeral messages and channels that the bot cannot see. */
export const dispatchesOf = (context: Context, committed: Committed): ReadonlyArray<Dispatch> => {
  const { before, change } = committed
  const channelId =
    "channelId" in change ? change.channelId : change.kind === "message" ? change.value.channelId : undefined
  if (channelId !== undefined && !botCanView(context, context.store.channels.get(channelId))) return []
  switch (change.kind) {
    case "channel":
      if (change.quiet === true) return []
      return change.value.recipientId === undefined
        ? channelChange(context, change.value, before as StoredChannel | undefined)
        : []
    case "channel_gone":
      return channelDeletion(context, before as StoredChannel | undefined)
    case "message":
      return messageChange(context, change.value, before as StoredMessage | undefined, change.cleared)
    case "message_gone": {
      const deleted = before as StoredMessage | undefined
      if (deleted === undefined || deleted.visibleTo !== undefined) return []
      const isDirectMessage = isDirectChannel(context, deleted.channelId)
      const data = { id: deleted.id, channel_id: deleted.channelId, ...guildField(context, isDirectMessage) }
      return [{ event: "MESSAGE_DELETE", data, intents: messageIntents(isDirectMessage), isDirectMessage }]
    }
    default:
      return guildDispatches(context, committed)
  }
}

/** The TYPING_START dispatch of a user. */
export const typingDispatch = (context: Context, channelId: string, userId: string): ReadonlyArray<Dispatch> => {
  if (!botCanView(context, context.store.channels.get(channelId))) return []
  const isDirectMessage = isDirectChannel(context, channelId)
  const member = context.render.member(userId)
  const data = {
    channel_id: channelId,
    user_id: userId,
    timestamp: Math.floor(context.store.clock.now() / 1000),
    ...guildField(context, isDirectMessage),
    ...(isDirectMessage ? {} : { member })
  }
  return [
    {
      event: "TYPING_START",
      data,
      intents: isDirectMessage ? Intent.directMessageTyping : Intent.guildMessageTyping,
      isDirectMessage
    }
  ]
}

/** The INTERACTION_CREATE dispatch of a command, component or modal. */
export const interactionDispatch = (payload: object): Dispatch => ({
  event: "INTERACTION_CREATE",
  data: payload,
  intents: 0,
  isDirectMessage: !("guild_id" in payload)
})

/** The dispatch of the bot's presence. */
export const presenceDispatch = ({ store }: Context, presence: Presence): Dispatch => ({
  event: "PRESENCE_UPDATE",
  data: renderPresence(store.guild.botId, store.guild.guildId, presence),
  intents: Intent.guildPresences,
  isDirectMessage: false
})

/** The GUILD_DELETE dispatch that starts an outage. */
export const guildOutage = ({ store }: Context): Dispatch => ({
  event: "GUILD_DELETE",
  data: { id: store.guild.guildId, unavailable: true },
  intents: Intent.guilds,
  isDirectMessage: false
})

/**
 * The GUILD_CREATE dispatch after READY. Without the presences intent its only member is the bot; a guild
 * with more than `largeThreshold` members is large.
 */
export const guildCreate = (
  context: Context,
  client: { readonly intents: number; readonly largeThreshold: number; readonly presence: Presence }
): Dispatch => {
  const { render, store } = context
  const receivesPresences = (client.intents & Intent.guildPresences) !== 0
  const { botId, guildId } = store.guild
  const channels = [...store.channels.values()].filter((channel) => channel.guildId !== undefined)
  return {
    event: "GUILD_CREATE",
    data: {
      ...render.guild(),
      joined_at: store.guild.createdAt,
      large: store.members.size > client.largeThreshold,
      unavailable: false,
      member_count: store.members.size,
      members: (receivesPresences ? [...store.members.keys()] : [botId]).map(render.member),
      channels: channels.filter((channel) => channel.thread === undefined).map((channel) => render.channel(channel)),
      threads: channels
        .filter((channel) => channel.thread?.archived === false && botCanView(context, channel))
        .map((thread) => ({ ...render.channel(thread), ...botMembership(context, thread) })),
      presences: receivesPresences ? [renderPresence(botId, guildId, client.presence)] : [],
      voice_states: [],
      stage_instances: [],
      guild_scheduled_events: [],
      soundboard_sounds: []
    },
    intents: Intent.guilds,
    isDirectMessage: false
  }
}
