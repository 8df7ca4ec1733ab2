import type { Parts } from "../../context/Context.ts"
import { ChannelKind, Permission } from "../../model/Constants.ts"
import type { StoredChannel } from "../../model/Records.ts"
import { demand } from "../../state/Permissions.ts"
import { compareIds } from "../../model/Snowflake.ts"
import { refuse } from "../../model/DiscordError.ts"
import { type Call, noContent, ok, param, type Reply, type Route } from "../routing/Router.ts"
import { Form } from "../../validate/Form.ts"

const members = "/channels/:channel/thread-members"

/** Opening threads, their members, and the archived ones. */
export const threadRoutes = ({ messages, render, threads, world }: Parts): ReadonlyArray<Route> => {
  const found = (call: Call): StoredChannel => messages.channel(param(call, "channel"))
  const person = (call: Call): string => {
    const id = param(call, "user")
    if (id === "@me") return call.by
    if (!world.users.has(id)) throw refuse.unknownUser()
    return id
  }
  const member = (channel: StoredChannel, userId: string, call: Call): object | undefined => {
    const membership = threads.membership(channel, userId)
    if (membership === undefined || call.query.get("with_member") !== "true") return membership
    return { ...membership, member: render.member(userId) }
  }
  const setMember = (is: boolean) => (call: Call) => {
    threads.setMember(found(call), call.by, person(call), is)
    return noContent
  }

  /** One page of archived threads; which, in which order, and by what the page before ends. */
  const archived = (
    call: Call,
    wanted: (thread: StoredChannel) => boolean,
    isBefore: (thread: StoredChannel, before: string) => boolean,
    order: (a: StoredChannel, b: StoredChannel) => number
  ): Reply => {
    const parent = found(call)
    const form = new Form()
    const query = Object.fromEntries(call.query)
    const limit = form.integer(query, "limit", [], { min: 2, max: 100 }) ?? 50
    form.check()
    const { before } = query
    const all = [...world.channels.values()]
      .filter((one) => one.parentId === parent.id && one.thread?.archived === true && wanted(one))
      .filter((one) => before === undefined || isBefore(one, before))
      .toSorted(order)
    const page = all.slice(0, limit)
    return ok({
      threads: page.map((thread) => render.channel(thread)),
      members: page.flatMap((thread) => threads.membership(thread, call.by) ?? []),
      has_more: all.length > page.length
    })
  }
  const archivedAt = (thread: StoredChannel): number => Date.parse(thread.thread?.archiveTimestamp ?? "")
  const byTime = (call: Call, wanted: (thread: StoredChannel) => boolean): Reply =>
    archived(
      call,
      wanted,
      (thread, before) => archivedAt(thread) < Date.parse(before),
      (a, b) => archivedAt(b) - archivedAt(a) || compareIds(b.id, a.id)
    )

  return [
    {
      method: "POST",
      path: "/channels/:channel/messages/:message/threads",
      bucket: () => ["threads"],
      handle: (call) => {
        const message = messages.find(param(call, "channel"), param(call, "message"), call.by)
        return { status: 201, body: render.channel(threads.fromMessage(message, call.by, call.json), call.by) }
      }
    },
    {
      method: "POST",
      path: "/channels/:channel/threads",
      bucket: () => ["threads"],
      handle: (call) => {
        const parent = found(call)
        if (parent.type !== ChannelKind.forum)
          return { status: 201, body: render.channel(threads.withoutMessage(parent, call.by, call.json), call.by) }
        const post = threads.forumPost(parent, call.by, call.json, call.files)
        return {
          status: 201,
          body: { ...render.channel(post.thread, call.by), message: render.message(post.message, call.by) }
        }
      }
    },
    {
      method: "GET",
      path: "/channels/:channel/threads/archived/public",
      handle: (call) => {
        demand(world, call.by, Permission.readHistory, found(call))
        return byTime(call, ({ type }) => type !== ChannelKind.privateThread)
      }
    },
    {
      method: "GET",
      path: "/channels/:channel/threads/archived/private",
      handle: (call) => {
        demand(world, call.by, Permission.readHistory | Permission.manageThreads, found(call))
        return byTime(call, ({ type }) => type === ChannelKind.privateThread)
      }
    },
    {
      method: "GET",
      path: "/channels/:channel/users/@me/threads/archived/private",
      handle: (call) => {
        demand(world, call.by, Permission.readHistory, found(call))
        return archived(
          call,
          ({ thread, type }) => type === ChannelKind.privateThread && thread?.memberIds.includes(call.by) === true,
          (thread, before) => compareIds(thread.id, before) < 0,
          (a, b) => compareIds(b.id, a.id)
        )
      }
    },
    {
      method: "GET",
      path: members,
      handle: (call) => {
        const channel = found(call)
        demand(world, call.by, Permission.viewChannel, channel)
        const form = new Form()
        const query = Object.fromEntries(call.query)
        const after = form.id(query, "after", []) ?? "0"
        const limit = form.integer(query, "limit", [], { min: 1, max: 100 }) ?? 100
        form.check()
        const ids = (channel.thread?.memberIds ?? []).toSorted(compareIds).filter((id) => compareIds(id, after) > 0)
        const paged = call.query.get("with_member") === "true" ? ids.slice(0, limit) : ids
        return ok(paged.flatMap((id) => member(channel, id, call) ?? []))
      }
    },
    {
      method: "GET",
      path: `${members}/:user`,
      handle: (call) => {
        const channel = found(call)
        demand(world, call.by, Permission.viewChannel, channel)
        const shown = member(channel, person(call), call)
        if (shown === undefined) throw refuse.unknownMember()
        return ok(shown)
      }
    },
    { method: "PUT", path: `${members}/:user`, handle: setMember(true) },
    { method: "DELETE", path: `${members}/:user`, handle: setMember(false) }
  ]
}
