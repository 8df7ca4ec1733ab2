import type { Context } from "../context/Context.ts"
import type { StoredChannel } from "../model/Records.ts"
import { renderThreadMember } from "../render/RenderThreadMember.ts"
import { Intent } from "./Codes.ts"
import { type Dispatch, botCanView } from "./Dispatch.ts"

/** The events of a created or changed guild channel or thread. */
export const channelChange = (
  context: Context,
  after: StoredChannel,
  before: StoredChannel | undefined
): ReadonlyArray<Dispatch> => {
  const guildDispatch = (event: string, data: object): Dispatch => ({
    event,
    data,
    intents: Intent.guilds,
    isDirectMessage: false
  })
  const data = context.render.channel(after)
  if (after.thread !== undefined && !botCanView(context, after)) return removedMembership(context, after, before)
  if (after.thread === undefined)
    return [guildDispatch(before === undefined ? "CHANNEL_CREATE" : "CHANNEL_UPDATE", data)]
  if (before === undefined)
    return [guildDispatch("THREAD_CREATE", { ...data, newly_created: true, ...botMembership(context, after) })]
  if (before.thread?.memberIds !== after.thread.memberIds) return memberChanges(context, after, before)
  const wasUnarchived = before.thread?.archived === true && !after.thread.archived
  const ownMember = renderThreadMember(after, context.store.guild.botId)
  // A client may have dropped an archived thread and its own membership.
  return wasUnarchived && ownMember !== undefined
    ? [
        guildDispatch("THREAD_UPDATE", data),
        guildDispatch("THREAD_MEMBER_UPDATE", { ...ownMember, guild_id: after.guildId })
      ]
    : [guildDispatch("THREAD_UPDATE", data)]
}

/** A bot receives its own removal even when it no longer sees the thread. */
const removedMembership = (
  context: Context,
  after: StoredChannel,
  before: StoredChannel | undefined
): ReadonlyArray<Dispatch> => {
  const { botId } = context.store.guild
  const wasMember = before?.thread?.memberIds.includes(botId) === true
  return before !== undefined && wasMember && after.thread?.memberIds.includes(botId) !== true
    ? memberChanges(context, after, before)
    : []
}

const memberChanges = (context: Context, after: StoredChannel, before: StoredChannel): ReadonlyArray<Dispatch> => {
  const memberIds = after.thread?.memberIds ?? []
  const previousIds = before.thread?.memberIds ?? []
  const added = memberIds.filter((id) => !previousIds.includes(id))
  const removed = previousIds.filter((id) => !memberIds.includes(id))
  const data = {
    id: after.id,
    guild_id: after.guildId,
    member_count: memberIds.length,
    added_members: added.flatMap((id) => {
      const threadMember = renderThreadMember(after, id)
      return threadMember === undefined ? [] : { ...threadMember, member: context.render.member(id), presence: null }
    }),
    removed_member_ids: removed
  }
  // Without the members intent a bot receives only its own changes.
  const concernsBot = [...added, ...removed].includes(context.store.guild.botId)
  const update: Dispatch = {
    event: "THREAD_MEMBERS_UPDATE",
    data,
    intents: concernsBot ? Intent.guilds : Intent.guildMembers,
    isDirectMessage: false
  }
  if (!added.includes(context.store.guild.botId)) return [update]
  // A bot that joins may not know the thread, so the thread comes first.
  const thread = { ...context.render.channel(after), ...botMembership(context, after) }
  return [{ event: "THREAD_CREATE", data: thread, intents: Intent.guilds, isDirectMessage: false }, update]
}

/** The event of a deleted channel; none for a direct channel. */
export const channelDeletion = (context: Context, deleted: StoredChannel | undefined): ReadonlyArray<Dispatch> => {
  if (deleted === undefined || deleted.recipientId !== undefined) return []
  if (deleted.thread !== undefined && !botCanView(context, deleted)) return []
  const data =
    deleted.thread === undefined
      ? context.render.channel(deleted)
      : { id: deleted.id, guild_id: deleted.guildId, parent_id: deleted.parentId, type: deleted.type }
  const event = deleted.thread === undefined ? "CHANNEL_DELETE" : "THREAD_DELETE"
  return [{ event, data, intents: Intent.guilds, isDirectMessage: false }]
}

/** The `member` field of a thread that the bot is in. */
export const botMembership = (context: Context, channel: StoredChannel): object => {
  const ownMember = renderThreadMember(channel, context.store.guild.botId)
  return ownMember === undefined ? {} : { member: ownMember }
}
