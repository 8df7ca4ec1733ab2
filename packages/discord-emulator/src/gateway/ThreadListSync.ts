import type { Context } from "../context/Context.ts"
import type { StoredChannel } from "../model/Records.ts"
import { renderThreadMember } from "../render/RenderThreadMember.ts"
import { canView } from "../state/Permissions.ts"
import type { Committed, Store } from "../state/Store.ts"
import { Intent } from "./Codes.ts"
import type { Dispatch } from "./Dispatch.ts"

/** Makes the function that sends THREAD_LIST_SYNC when the bot gains access to channels. */
export const makeThreadListSync = (context: Context): ((committed: Committed) => ReadonlyArray<Dispatch>) => {
  const { store } = context
  let visibleBefore = visibleChannelIds(store)
  return (committed) => {
    const { before, change } = committed
    if (!changesAccess(store, committed)) return []
    const visibleAfter = visibleChannelIds(store)
    const gained = [...visibleAfter].filter((id) => !visibleBefore.has(id))
    visibleBefore = visibleAfter
    // A new channel has no threads yet.
    const existing = gained.filter((id) => change.kind !== "channel" || before !== undefined || change.value.id !== id)
    return existing.length === 0 ? [] : [threadList(context, existing)]
  }
}

const visibleChannelIds = (store: Store): ReadonlySet<string> =>
  new Set(
    [...store.channels.values()]
      .filter(
        (channel) =>
          channel.guildId !== undefined && channel.thread === undefined && canView(store, store.guild.botId, channel)
      )
      .map(({ id }) => id)
  )

/** Whether a change can show or hide channels. */
const changesAccess = (store: Store, { before, change }: Committed): boolean => {
  switch (change.kind) {
    case "role":
    case "role_gone":
    case "channel_gone":
      return true
    case "member":
      return change.value.id === store.guild.botId
    case "channel":
      return (
        change.value.thread === undefined &&
        (before as StoredChannel | undefined)?.overwrites !== change.value.overwrites
      )
    default:
      return false
  }
}

const threadList = ({ render, store }: Context, channelIds: ReadonlyArray<string>): Dispatch => {
  const { botId, guildId } = store.guild
  const active = [...store.channels.values()].filter(
    (thread) =>
      thread.thread?.archived === false && channelIds.includes(thread.parentId ?? "") && canView(store, botId, thread)
  )
  const data = {
    guild_id: guildId,
    channel_ids: channelIds,
    threads: active.map((thread) => render.channel(thread)),
    members: active.flatMap((thread) => renderThreadMember(thread, botId) ?? [])
  }
  return { event: "THREAD_LIST_SYNC", data, intents: Intent.guilds, isDirectMessage: false }
}
