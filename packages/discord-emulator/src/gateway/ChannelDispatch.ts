import type { Context } from "../context/Context.ts"
import type { StoredChannel } from "../model/Records.ts"
import { renderThreadMember } from "../render/RenderThreadMember.ts"
import { Intent } from "./Codes.ts"
import { type Dispatch, isSeen } from "./Dispatch.ts"

export const channelChange = (
  context: Context,
  now: StoredChannel,
  before: StoredChannel | undefined
): ReadonlyArray<Dispatch> => {
  const guild = (event: string, data: object): Dispatch => ({ event, data, intents: Intent.guilds, direct: false })
  const data = context.render.channel(now)
  if (now.thread !== undefined && !isSeen(context, now)) return removedMembership(context, now, before)
  if (now.thread === undefined) return [guild(before === undefined ? "CHANNEL_CREATE" : "CHANNEL_UPDATE", data)]
  if (before === undefined)
    return [guild("THREAD_CREATE", { ...data, newly_created: true, ...ownMembership(context, now) })]
  if (before.thread?.memberIds !== now.thread.memberIds) return memberChanges(context, now, before)
  const opened = before.thread?.archived === true && !now.thread.archived
  const own = renderThreadMember(now, context.store.realm.botId)
  // A client may have dropped an archived thread and its own membership.
  return opened && own !== undefined
    ? [guild("THREAD_UPDATE", data), guild("THREAD_MEMBER_UPDATE", { ...own, guild_id: now.guildId })]
    : [guild("THREAD_UPDATE", data)]
}

/** A bot is told of its own removal even when it no longer sees the thread. */
const removedMembership = (
  context: Context,
  now: StoredChannel,
  before: StoredChannel | undefined
): ReadonlyArray<Dispatch> => {
  const { botId } = context.store.realm
  const was = before?.thread?.memberIds.includes(botId) === true
  return before !== undefined && was && now.thread?.memberIds.includes(botId) !== true
    ? memberChanges(context, now, before)
    : []
}

const memberChanges = (context: Context, now: StoredChannel, before: StoredChannel): ReadonlyArray<Dispatch> => {
  const memberIds = now.thread?.memberIds ?? []
  const old = before.thread?.memberIds ?? []
  const added = memberIds.filter((id) => !old.includes(id))
  const removed = old.filter((id) => !memberIds.includes(id))
  const changes = {
    id: now.id,
    guild_id: now.guildId,
    member_count: memberIds.length,
    added_members: added.flatMap((id) => renderThreadMember(now, id) ?? []),
    removed_member_ids: removed
  }
  // Without the members intent a bot receives only its own changes.
  const own = [...added, ...removed].includes(context.store.realm.botId)
  const update: Dispatch = {
    event: "THREAD_MEMBERS_UPDATE",
    data: changes,
    intents: own ? Intent.guilds : Intent.members,
    direct: false
  }
  if (!added.includes(context.store.realm.botId)) return [update]
  // A new member may not know the thread, so the thread comes first.
  const data = { ...context.render.channel(now), ...ownMembership(context, now) }
  return [{ event: "THREAD_CREATE", data, intents: Intent.guilds, direct: false }, update]
}

export const channelGone = (context: Context, gone: StoredChannel | undefined): ReadonlyArray<Dispatch> => {
  if (gone === undefined || gone.recipientId !== undefined) return []
  if (gone.thread !== undefined && !isSeen(context, gone)) return []
  const data =
    gone.thread === undefined
      ? context.render.channel(gone)
      : { id: gone.id, guild_id: gone.guildId, parent_id: gone.parentId, type: gone.type }
  const event = gone.thread === undefined ? "CHANNEL_DELETE" : "THREAD_DELETE"
  return [{ event, data, intents: Intent.guilds, direct: false }]
}

export const ownMembership = (context: Context, channel: StoredChannel): object => {
  const own = renderThreadMember(channel, context.store.realm.botId)
  return own === undefined ? {} : { member: own }
}
