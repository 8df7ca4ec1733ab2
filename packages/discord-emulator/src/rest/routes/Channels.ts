import type { Parts } from "../../Parts.ts"
import { noContent, ok, param, type Route } from "../Router.ts"
import { isFields } from "../validate/Form.ts"

/** Channels and threads as such. */
export const channelRoutes = ({ messages, render, signals, threads, world }: Parts): ReadonlyArray<Route> => [
  {
    method: "GET",
    path: "/channels/:channel",
    handle: (call) => ok(render.channel(messages.channel(param(call, "channel"))))
  },
  {
    method: "PATCH",
    path: "/channels/:channel",
    bucket: ({ json }) => (isFields(json) && ("name" in json || "topic" in json) ? ["channel", "rename"] : ["channel"]),
    handle: (call) =>
      ok(render.channel(threads.change(messages.channel(param(call, "channel")), world.realm.botId, call.json)))
  },
  {
    method: "DELETE",
    path: "/channels/:channel",
    bucket: () => ["channel"],
    handle: (call) => {
      const channel = messages.channel(param(call, "channel"))
      for (const thread of world.channels.values())
        if (thread.parentId === channel.id) world.commit({ kind: "channel_gone", id: thread.id })
      world.commit({ kind: "channel_gone", id: channel.id })
      return ok(render.channel(channel))
    }
  },
  {
    method: "POST",
    path: "/channels/:channel/typing",
    bucket: () => ["typing"],
    handle: (call) => {
      const { id } = messages.channel(param(call, "channel"))
      signals.emit({ type: "typing", channelId: id, userId: world.realm.botId })
      return noContent
    }
  }
]
