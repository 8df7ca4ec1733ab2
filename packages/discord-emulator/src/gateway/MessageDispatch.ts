import type { Context } from "../context/Context.ts"
import { ChannelKind } from "../model/Constants.ts"
import type { StoredMessage, StoredReaction } from "../model/Records.ts"
import { Intent } from "./Codes.ts"
import { type Dispatch, isDirect, messageIntents, guildField } from "./Dispatch.ts"

export const messageChange = (
  context: Context,
  now: StoredMessage,
  before: StoredMessage | undefined,
  cleared: "all" | StoredReaction["emoji"] | undefined
): ReadonlyArray<Dispatch> => {
  if (now.visibleTo !== undefined) return []
  const { realm } = context.store
  const direct = isDirect(context, now.channelId)
  if (before !== undefined && before.reactions !== now.reactions)
    return reactionChange(context, now, before, direct, cleared)
  const { user: _, ...member } = context.render.member(now.authorId)
  const pinned = before === undefined || before.pinned === now.pinned ? [] : [pinsUpdate(context, now, direct)]
  const data = {
    ...context.render.message(now, realm.botId),
    ...guildField(context, direct),
    ...(direct || now.webhook !== undefined ? {} : { member }),
    ...(before === undefined && direct ? { channel_type: ChannelKind.dm } : {})
  }
  return [
    {
      event: before === undefined ? "MESSAGE_CREATE" : "MESSAGE_UPDATE",
      data,
      intents: messageIntents(direct),
      direct,
      contentProtected: !direct && now.authorId !== realm.botId && !now.mentionIds.includes(realm.botId)
    },
    ...pinned
  ]
}

const pinsUpdate = (context: Context, { channelId, pinnedAt }: StoredMessage, direct: boolean): Dispatch => ({
  event: "CHANNEL_PINS_UPDATE",
  data: { channel_id: channelId, last_pin_timestamp: pinnedAt ?? null, ...guildField(context, direct) },
  intents: direct ? Intent.directMessages : Intent.guilds,
  direct
})

const reactionChange = (
  context: Context,
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
  const shared = {
    channel_id: now.channelId,
    message_id: now.id,
    ...guildField(context, direct),
    burst: false,
    type: 0
  }
  const intents = direct ? Intent.directReactions : Intent.reactions
  if (cleared !== undefined) {
    const data = { channel_id: now.channelId, message_id: now.id, ...guildField(context, direct) }
    return cleared === "all"
      ? [{ event: "MESSAGE_REACTION_REMOVE_ALL", data, intents, direct }]
      : [{ event: "MESSAGE_REACTION_REMOVE_EMOJI", data: { ...data, emoji: cleared }, intents, direct }]
  }
  const added = [...fresh].filter(([key]) => !old.has(key))
  const removed = [...old].filter(([key]) => !fresh.has(key))
  return [
    ...added.map(([, { emoji, userId }]): Dispatch => {
      const member = context.render.member(userId)
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
