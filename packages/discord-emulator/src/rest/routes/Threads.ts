import type { Parts } from "../../Parts.ts"
import { ChannelKind } from "../../state/Codes.ts"
import { refuse } from "../DiscordError.ts"
import { type Call, noContent, ok, param, type Route } from "../Router.ts"

/** Opening threads, their members, and the archived ones. */
export const threadRoutes = ({ messages, render, threads, world }: Parts): ReadonlyArray<Route> => {
  const bot = (): string => world.realm.botId
  const person = (call: Call): string => {
    const id = param(call, "user")
    if (id === "@me") return bot()
    if (!world.users.has(id)) throw refuse.unknownUser()
    return id
  }
  const member = (channelId: string, userId: string): object => ({
    id: channelId,
    user_id: userId,
    join_timestamp: messages.channel(channelId).thread?.createTimestamp,
    flags: 0
  })
  const setMember = (is: boolean) => (call: Call) => {
    threads.setMember(messages.channel(param(call, "channel")), person(call), is)
    return noContent
  }
  return [
    {
      method: "POST",
      path: "/channels/:channel/messages/:message/threads",
      bucket: () => ["threads"],
      handle: (call) => {
        const message = messages.find(param(call, "channel"), param(call, "message"), bot())
        return { status: 201, body: render.channel(threads.fromMessage(message, bot(), call.json)) }
      }
    },
    {
      method: "POST",
      path: "/channels/:channel/threads",
      bucket: () => ["threads"],
      handle: (call) => {
        const parent = messages.channel(param(call, "channel"))
        if (parent.type !== ChannelKind.forum)
          return { status: 201, body: render.channel(threads.withoutMessage(parent, bot(), call.json)) }
        const post = threads.forumPost(parent, bot(), call.json, call.files)
        return { status: 201, body: { ...render.channel(post.thread), message: render.message(post.message, bot()) } }
      }
    },
    {
      method: "GET",
      path: "/channels/:channel/threads/archived/public",
      handle: (call) => {
        const parent = messages.channel(param(call, "channel"))
        const archived = [...world.channels.values()].filter(
          (channel) => channel.parentId === parent.id && channel.thread?.archived === true
        )
        return ok({ threads: archived.map(render.channel), members: [], has_more: false })
      }
    },
    {
      method: "GET",
      path: "/channels/:channel/thread-members",
      handle: (call) => {
        const channel = messages.channel(param(call, "channel"))
        return ok((channel.thread?.memberIds ?? []).map((id) => member(channel.id, id)))
      }
    },
    {
      method: "GET",
      path: "/channels/:channel/thread-members/:user",
      handle: (call) => {
        const channel = messages.channel(param(call, "channel"))
        const id = person(call)
        if (channel.thread?.memberIds.includes(id) !== true) throw refuse.unknownMember()
        return ok(member(channel.id, id))
      }
    },
    { method: "PUT", path: "/channels/:channel/thread-members/:user", handle: setMember(true) },
    { method: "DELETE", path: "/channels/:channel/thread-members/:user", handle: setMember(false) }
  ]
}
