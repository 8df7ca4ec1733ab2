import type { Context } from "../../context/Context.ts"
import { ChannelKind, Permission } from "../../model/Constants.ts"
import { apiErrors } from "../../model/DiscordError.ts"
import type { StoredChannel } from "../../model/Records.ts"
import { compareIds } from "../../model/Snowflake.ts"
import { renderThreadMember } from "../../render/RenderThreadMember.ts"
import { findChannel, findMessage } from "../../state/Lookups.ts"
import { requirePermissions } from "../../state/Permissions.ts"
import { Form } from "../../validate/Form.ts"
import { type Call, isSet, noContent, ok, param, type Reply, type Route, route } from "../routing/Router.ts"

const threadMembersPath = "/channels/:channel/thread-members"

/** Creating threads, and their members. */
export const threadRoutes = (context: Context): ReadonlyArray<Route> => {
  const bucket = () => ["threads" as const]
  return [
    route("POST", "/channels/:channel/messages/:message/threads", (call) => createFromMessage(context, call), {
      bucket
    }),
    route("POST", "/channels/:channel/threads", (call) => createThread(context, call), { bucket }),
    route("GET", threadMembersPath, (call) => listMembers(context, call)),
    route("GET", `${threadMembersPath}/:user`, (call) => getMember(context, call)),
    route("PUT", `${threadMembersPath}/:user`, (call) => setMember(context, call, true)),
    route("DELETE", `${threadMembersPath}/:user`, (call) => setMember(context, call, false))
  ]
}

const createFromMessage = ({ render, store, threads }: Context, call: Call): Reply => {
  const message = findMessage(store, param(call, "channel"), param(call, "message"), call.actorId)
  return {
    status: 201,
    body: render.channel(threads.createFromMessage(message, call.actorId, call.json), call.actorId)
  }
}

const createThread = ({ render, store, threads }: Context, call: Call): Reply => {
  const parent = findChannel(store, param(call, "channel"))
  if (parent.type !== ChannelKind.forum)
    return { status: 201, body: render.channel(threads.create(parent, call.actorId, call.json), call.actorId) }
  const post = threads.createPost(parent, call.actorId, call.json, call.files)
  const message = render.message(post.message, call.actorId)
  return { status: 201, body: { ...render.channel(post.thread, call.actorId), message } }
}

const listMembers = (context: Context, call: Call): Reply => {
  const channel = findChannel(context.store, param(call, "channel"))
  requirePermissions(context.store, call.actorId, Permission.viewChannel, channel)
  const form = new Form()
  const query = Object.fromEntries(call.query)
  const after = form.id(query, "after", []) ?? "0"
  const limit = form.integer(query, "limit", [], { min: 1, max: 100 }) ?? 100
  form.throwIfInvalid()
  const ids = (channel.thread?.memberIds ?? []).toSorted(compareIds).filter((id) => compareIds(id, after) > 0)
  // Discord pages the list only when `with_member` is set.
  const page = includesMember(call) ? ids.slice(0, limit) : ids
  return ok(page.flatMap((id) => renderRequestedMember(context, channel, id, call) ?? []))
}

const getMember = (context: Context, call: Call): Reply => {
  const channel = findChannel(context.store, param(call, "channel"))
  requirePermissions(context.store, call.actorId, Permission.viewChannel, channel)
  const member = renderRequestedMember(context, channel, userOf(context, call), call)
  if (member === undefined) throw apiErrors.unknownMember()
  return ok(member)
}

const setMember = (context: Context, call: Call, isMember: boolean): Reply => {
  const channel = findChannel(context.store, param(call, "channel"))
  context.threads.setMember(channel, call.actorId, userOf(context, call), isMember)
  return noContent
}

const userOf = ({ store }: Context, call: Call): string => {
  const id = param(call, "user")
  if (id === "@me") return call.actorId
  if (!store.users.has(id)) throw apiErrors.unknownUser()
  return id
}

const includesMember = (call: Call): boolean => isSet(call, "with_member")

const renderRequestedMember = (
  { render }: Context,
  channel: StoredChannel,
  userId: string,
  call: Call
): object | undefined => {
  const member = renderThreadMember(channel, userId)
  return member === undefined || !includesMember(call) ? member : { ...member, member: render.member(userId) }
}
