import type { Context } from "../context/Context.ts"
import { ChannelKind } from "../model/Constants.ts"
import type { StoredMessage, StoredReaction } from "../model/Records.ts"
import { Intent } from "./Codes.ts"
import { type Dispatch, isDirectChannel, messageIntents, guildField } from "./Dispatch.ts"

/** The events of a created, edited, pinned or reacted message. */
export const messageChange = (
  context: Context,
  after: StoredMessage,
  before: StoredMessage | undefined,
  cleared: "all" | StoredReaction["emoji"] | undefined
): ReadonlyArray<Dispatch> => {
  if (after.visibleTo !== undefined) return []
  const { botId } = context.store.guild
  const isDirectMessage = isDirectChannel(context, after.channelId)
  if (before !== undefined && before.reactions !== after.reactions)
    return reactionChange(context, after, before, isDirectMessage, cleared)
  const { user: _, ...member } = context.render.member(after.authorId)
  const pinDispatches =
    before === undefined || before.pinned === after.pinned ? [] : [pinsUpdate(context, after, isDirectMessage)]
  const data = {
    ...context.render.message(after, botId),
    ...guildField(context, isDirectMessage),
    ...(isDirectMessage || after.webhook !== undefined ? {} : { member }),
    ...(before === undefined && isDirectMessage ? { channel_type: ChannelKind.dm } : {})
  }
  return [
    {
      event: before === undefined ? "MESSAGE_CREATE" : "MESSAGE_UPDATE",
      data,
      intents: messageIntents(isDirectMessage),
      isDirectMessage,
      needsContentIntent: !isDirectMessage && after.authorId !== botId && !after.mentionIds.includes(botId)
    },
    ...pinDispatches
  ]
}

const pinsUpdate = (context: Context, { channelId, pinnedAt }: StoredMessage, isDirectMessage: boolean): Dispatch => ({
  event: "CHANNEL_PINS_UPDATE",
  data: { channel_id: channelId, last_pin_timestamp: pinnedAt ?? null, ...guildField(context, isDirectMessage) },
  intents: isDirectMessage ? Intent.directMessages : Intent.guilds,
  isDirectMessage
})

const reactionChange = (
  context: Context,
  after: StoredMessage,
  before: StoredMessage,
  isDirectMessage: boolean,
  cleared: "all" | StoredReaction["emoji"] | undefined
): ReadonlyArray<Dispatch> => {
  const reactionsByKey = (message: StoredMessage) =>
    new Map(
      message.reactions.flatMap(({ emoji, userIds }) =>
        userIds.map((userId) => [`${emoji.id ?? emoji.name} ${userId}`, { emoji, userId }] as const)
      )
    )
  const previous = reactionsByKey(before)
  const current = reactionsByKey(after)
  const shared = {
    channel_id: after.channelId,
    message_id: after.id,
    ...guildField(context, isDirectMessage),
    burst: false,
    type: 0
  }
  const intents = isDirectMessage ? Intent.directMessageReactions : Intent.guildMessageReactions
  if (cleared !== undefined) {
    const data = { channel_id: after.channelId, message_id: after.id, ...guildField(context, isDirectMessage) }
    return cleared === "all"
      ? [{ event: "MESSAGE_REACTION_REMOVE_ALL", data, intents, isDirectMessage }]
      : [{ event: "MESSAGE_REACTION_REMOVE_EMOJI", data: { ...data, emoji: cleared }, intents, isDirectMessage }]
  }
  const added = [...current].filter(([key]) => !previous.has(key))
  const removed = [...previous].filter(([key]) => !current.has(key))
  return [
    ...added.map(([, { emoji, userId }]): Dispatch => {
      const member = context.render.member(userId)
      const data = {
        ...shared,
        user_id: userId,
        emoji,
        message_author_id: after.authorId,
        burst_colors: [],
        ...(isDirectMessage ? {} : { member })
      }
      return { event: "MESSAGE_REACTION_ADD", data, intents, isDirectMessage }
    }),
    ...removed.map(([, { emoji, userId }]): Dispatch => ({
      event: "MESSAGE_REACTION_REMOVE",
      data: { ...shared, user_id: userId, emoji },
      intents,
      isDirectMessage
    }))
  ]
}
