import type { Context } from "../../context/Context.ts"
import { Permission } from "../../model/Constants.ts"
import type { StoredChannel } from "../../model/Records.ts"
import { findChannel } from "../../state/Lookups.ts"
import { requirePermissions } from "../../state/Permissions.ts"
import { requireTextChannel } from "../../resources/messages/SendRules.ts"
import { type Call, noContent, ok, param, type Route } from "../routing/Router.ts"
import { isJsonObject } from "../../validate/Form.ts"

const channelPath = "/channels/:channel"

/** Channels and threads, their overwrites, and the typing indicator. */
export const channelRoutes = ({ channels, render, transientEvents, threads, store }: Context): ReadonlyArray<Route> => {
  const findRequestedChannel = (call: Call): StoredChannel => findChannel(store, param(call, "channel"))
  return [
    {
      method: "GET",
      path: channelPath,
      handle: (call) => {
        const channel = findRequestedChannel(call)
        requirePermissions(store, call.actorId, Permission.viewChannel, channel)
        return ok(render.channel(channel, call.actorId))
      }
    },
    {
      method: "PATCH",
      path: channelPath,
      bucket: ({ json }) =>
        isJsonObject(json) && ("name" in json || "topic" in json) ? ["channel", "rename"] : ["channel"],
      handle: (call) => {
        const channel = findRequestedChannel(call)
        const { modify } = channel.thread === undefined ? channels : threads
        return ok(render.channel(modify(channel, call.actorId, call.json), call.actorId))
      }
    },
    {
      method: "DELETE",
      path: channelPath,
      bucket: () => ["channel"],
      handle: (call) => {
        const channel = findRequestedChannel(call)
        const deleted = render.channel(channel)
        channels.delete(channel, call.actorId)
        return ok(deleted)
      }
    },
    {
      method: "PUT",
      path: `${channelPath}/permissions/:overwrite`,
      bucket: () => ["channel"],
      handle: (call) => {
        channels.setOverwrite(findRequestedChannel(call), call.actorId, param(call, "overwrite"), call.json)
        return noContent
      }
    },
    {
      method: "DELETE",
      path: `${channelPath}/permissions/:overwrite`,
      bucket: () => ["channel"],
      handle: (call) => {
        channels.removeOverwrite(findRequestedChannel(call), call.actorId, param(call, "overwrite"))
        return noContent
      }
    },
    {
      method: "POST",
      path: `${channelPath}/typing`,
      bucket: () => ["typing"],
      handle: (call) => {
        const channel = findRequestedChannel(call)
        requireTextChannel(channel)
        requirePermissions(
          store,
          call.actorId,
          channel.thread === undefined ? Permission.sendMessages : Permission.sendInThreads,
          channel
        )
        transientEvents.emit({ type: "typing", channelId: channel.id, userId: call.actorId })
        return noContent
      }
    }
  ]
}
