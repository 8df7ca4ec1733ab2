import type { Parts } from "../../context/Context.ts"
import { Permission } from "../../model/Constants.ts"
import type { StoredMessage } from "../../model/Records.ts"
import { can, demand } from "../../state/Permissions.ts"
import { DiscordError, refuse } from "../../model/DiscordError.ts"
import { type Call, noContent, ok, param, type Route } from "../routing/Router.ts"
import { isSnowflake, timeOf } from "../../model/Snowflake.ts"
import { Form } from "../../validate/Form.ts"

/** Messages older than this have a limit of their own for edits. */
const oldMs = 3_600_000

const path = "/channels/:channel/messages"
const one = `${path}/:message`

/** Messages of a channel. */
export const messageRoutes = ({ messages, render, world }: Parts): ReadonlyArray<Route> => {
  const found = (call: Call): StoredMessage => messages.find(param(call, "channel"), param(call, "message"), call.by)
  const isOld = (id: string): boolean => isSnowflake(id) && world.clock.now() - timeOf(id) > oldMs
  return [
    {
      method: "GET",
      path,
      handle: (call) => {
        const form = new Form()
        const query = Object.fromEntries(call.query)
        const limit = form.integer(query, "limit", [], { min: 1, max: 100 }) ?? 50
        const after = form.id(query, "after", [])
        const around = form.id(query, "around", [])
        const before = form.id(query, "before", [])
        form.check()
        const channel = messages.channel(param(call, "channel"))
        demand(world, call.by, Permission.viewChannel, channel)
        if (!can(world, call.by, Permission.readHistory, channel)) return ok([])
        const window = {
          limit,
          ...(after === undefined ? {} : { after }),
          ...(around === undefined ? {} : { around }),
          ...(before === undefined ? {} : { before })
        }
        const list = world.history(channel.id, window, (message) => message.visibleTo === undefined)
        return ok(list.toReversed().map((message) => render.message(message, call.by)))
      }
    },
    {
      method: "POST",
      path,
      bucket: () => ["messages"],
      handle: (call) => {
        const draft = { channelId: param(call, "channel"), authorId: call.by }
        return ok(render.message(messages.create(draft, call.json, call.files), call.by))
      }
    },
    {
      method: "POST",
      path: `${path}/bulk-delete`,
      handle: (call) => {
        const channel = messages.channel(param(call, "channel"))
        if (channel.guildId === undefined) throw refuse.noDirect()
        demand(world, call.by, Permission.manageMessages, channel)
        const form = new Form()
        const fields = form.object(call.json ?? {}, []) ?? {}
        const ids = form.ids(fields, "messages", [], { max: Number.MAX_SAFE_INTEGER }) ?? []
        if (!("messages" in fields)) form.required(["messages"])
        form.check()
        if (ids.length < 2 || ids.length > 100) throw new DiscordError(400, 50_016, bulkLimits)
        if (new Set(ids).size < ids.length) form.add(["messages"], "BASE_TYPE_DUPLICATE", "Message ids must be unique")
        form.check()
        messages.bulkDelete(channel.id, ids, call.by)
        return noContent
      }
    },
    {
      method: "GET",
      path: one,
      handle: (call) => {
        const message = found(call)
        demand(world, call.by, Permission.readHistory, messages.channel(message.channelId))
        return ok(render.message(message, call.by))
      }
    },
    {
      method: "PATCH",
      path: one,
      bucket: (call) => (isOld(param(call, "message")) ? ["messages", "oldEdit"] : ["messages"]),
      handle: (call) => ok(render.message(messages.edit(found(call), call.by, call.json, call.files), call.by))
    },
    {
      method: "POST",
      path: `${one}/crosspost`,
      bucket: () => ["messages"],
      handle: (call) => ok(render.message(messages.crosspost(found(call), call.by), call.by))
    },
    {
      method: "DELETE",
      path: one,
      bucket: () => ["delete"],
      handle: (call) => {
        messages.delete(found(call), call.by)
        return noContent
      }
    }
  ]
}

const bulkLimits =
  "Provided too few or too many messages to delete. Must provide at least 2 and at most 100 messages to delete"
