import type { Context } from "../../context/Context.ts"
import { Permission } from "../../model/Constants.ts"
import type { StoredChannel } from "../../model/Records.ts"
import { findChannel } from "../../state/Lookups.ts"
import { requirePermissions } from "../../state/Permissions.ts"
import { requireTextChannel } from "../../resources/messages/SendRules.ts"
import { type Call, noContent, ok, param, type Route } from "../routing/Router.ts"
import { isJsonObject } from "../../validate/Form.ts"

const one = "/channels/:channel"

/** Channels and threads, their overwrites, and the typing indicator. */
export const channelRoutes = ({ channels, render, transientEvents, threads, store }: Context): ReadonlyArray<Route> => {
  const found = (call: Call): StoredChannel => findChannel(store, param(call, "channel"))
  return [
    {
      method: "GET",
      path: one,
      handle: (call) => {
        const channel = found(call)
        requirePermissions(store, call.by, Permission.viewChannel, channel)
        return ok(render.channel(channel, call.by))
      }
    },
    {
      method: "PATCH",
      path: one,
      bucket: ({ json }) =>
        isJsonObject(json) && ("name" in json || "topic" in json) ? ["channel", "rename"] : ["channel"],
      handle: (call) => {
        const channel = found(call)
        const { modify } = channel.thread === undefined ? channels : threads
        return ok(render.channel(modify(channel, call.by, call.json), call.by))
      }
    },
    {
      method: "DELETE",
      path: one,
      bucket: () => ["channel"],
      handle: (call) => {
        const channel = found(call)
        const shown = render.channel(channel)
        channels.delete(channel, call.by)
        return ok(shown)
      }
    },
    {
      method: "PUT",
      path: `${one}/permissions/:overwrite`,
      bucket: () => ["channel"],
      handle: (call) => {
        channels.setOverwrite(found(call), call.by, param(call, "overwrite"), call.json)
        return noContent
      }
    },
    {
      method: "DELETE",
      path: `${one}/permissions/:overwrite`,
      bucket: () => ["channel"],
      handle: (call) => {
        channels.removeOverwrite(found(call), call.by, param(call, "overwrite"))
        return noContent
      }
    },
    {
      method: "POST",
      path: `${one}/typing`,
      bucket: () => ["typing"],
      handle: (call) => {
        const channel = found(call)
        requireTextChannel(channel)
        requirePermissions(
          store,
          call.by,
          channel.thread === undefined ? Permission.sendMessages : Permission.sendInThreads,
          channel
        )
        transientEvents.emit({ type: "typing", channelId: channel.id, userId: call.by })
        return noContent
      }
    }
  ]
}
