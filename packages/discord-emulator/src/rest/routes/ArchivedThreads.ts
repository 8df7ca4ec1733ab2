import type { Context } from "../../context/Context.ts"
import { ChannelKind, Permission } from "../../model/Constants.ts"
import type { StoredChannel } from "../../model/Records.ts"
import { compareIds } from "../../model/Snowflake.ts"
import { renderThreadMember } from "../../render/RenderThreadMember.ts"
import { findChannel } from "../../state/Lookups.ts"
import { requirePermissions } from "../../state/Permissions.ts"
import { Form } from "../../validate/Form.ts"
import { type Call, ok, param, type Reply, type Route, route } from "../routing/Router.ts"

/** The archived threads of a channel, in pages. */
export const archivedThreadRoutes = (context: Context): ReadonlyArray<Route> => {
  const { store } = context
  const findParent = (call: Call, permissions: bigint): StoredChannel => {
    const parent = findChannel(store, param(call, "channel"))
    requirePermissions(store, call.actorId, permissions, parent)
    return parent
  }
  return [
    route("GET", "/channels/:channel/threads/archived/public", (call) => {
      const parent = findParent(call, Permission.readHistory)
      return listArchived(context, call, parent, byArchiveTime, ({ type }) => type !== ChannelKind.privateThread)
    }),
    route("GET", "/channels/:channel/threads/archived/private", (call) => {
      const parent = findParent(call, Permission.readHistory | Permission.manageThreads)
      return listArchived(context, call, parent, byArchiveTime, ({ type }) => type === ChannelKind.privateThread)
    }),
    route("GET", "/channels/:channel/users/@me/threads/archived/private", (call) => {
      const parent = findParent(call, Permission.readHistory)
      const isJoined = ({ thread, type }: StoredChannel): boolean =>
        type === ChannelKind.privateThread && thread?.memberIds.includes(call.actorId) === true
      return listArchived(context, call, parent, byId, isJoined)
    })
  ]
}

/** How a list is sorted, newest first, and which threads come after a `before` parameter. */
interface PageOrder {
  readonly compare: (a: StoredChannel, b: StoredChannel) => number
  readonly isBefore: (thread: StoredChannel, before: string) => boolean
}

const archivedAt = ({ thread }: StoredChannel): number => Date.parse(thread?.archiveTimestamp ?? "")

const byArchiveTime: PageOrder = {
  compare: (a, b) => archivedAt(b) - archivedAt(a) || compareIds(b.id, a.id),
  isBefore: (thread, before) => archivedAt(thread) < Date.parse(before)
}

const byId: PageOrder = {
  compare: (a, b) => compareIds(b.id, a.id),
  isBefore: (thread, before) => compareIds(thread.id, before) < 0
}

const listArchived = (
  { render, store }: Context,
  call: Call,
  parent: StoredChannel,
  { compare, isBefore }: PageOrder,
  isListed: (thread: StoredChannel) => boolean
): Reply => {
  const form = new Form()
  const query = Object.fromEntries(call.query)
  const limit = form.integer(query, "limit", [], { min: 2, max: 100 }) ?? 50
  form.throwIfInvalid()
  const { before } = query
  const all = [...store.channels.values()]
    .filter((thread) => thread.parentId === parent.id && thread.thread?.archived === true && isListed(thread))
    .filter((thread) => before === undefined || isBefore(thread, before))
    .toSorted(compare)
  const page = all.slice(0, limit)
  return ok({
    threads: page.map((thread) => render.channel(thread)),
    members: page.flatMap((thread) => renderThreadMember(thread, call.actorId) ?? []),
    has_more: all.length > page.length
  })
}
