import type { Context } from "../../context/Context.ts"
import { Permission } from "../../model/Constants.ts"
import { apiErrors, DiscordError } from "../../model/DiscordError.ts"
import type { StoredMessage } from "../../model/Records.ts"
import { isSnowflake, timeOf } from "../../model/Snowflake.ts"
import { findChannel, findMessage } from "../../state/Lookups.ts"
import { can, requirePermissions } from "../../state/Permissions.ts"
import { Form } from "../../validate/Form.ts"
import { type Call, noContent, ok, param, type Reply, type Route, route } from "../routing/Router.ts"

/** Edits of messages older than this have a limit of their own, in milliseconds. */
const oldMessageMs = 3_600_000

const path = "/channels/:channel/messages"
const one = `${path}/:message`

/** Messages of a channel. */
export const messageRoutes = (context: Context): ReadonlyArray<Route> => {
  const { messages, render, store } = context
  const find = (call: Call): StoredMessage =>
    findMessage(store, param(call, "channel"), param(call, "message"), call.by)
  const reply = (message: StoredMessage, call: Call): Reply => ok(render.message(message, call.by))
  const isOld = (id: string): boolean => isSnowflake(id) && store.clock.now() - timeOf(id) > oldMessageMs
  return [
    route("GET", path, (call) => listMessages(context, call)),
    route(
      "POST",
      path,
      (call) => {
        const draft = { channelId: param(call, "channel"), authorId: call.by }
        return reply(messages.create(draft, call.json, call.files), call)
      },
      { bucket: () => ["messages"] }
    ),
    route("POST", `${path}/bulk-delete`, (call) => bulkDelete(context, call)),
    route("GET", one, (call) => {
      const message = find(call)
      requirePermissions(store, call.by, Permission.readHistory, findChannel(store, message.channelId))
      return reply(message, call)
    }),
    route("PATCH", one, (call) => reply(messages.edit(find(call), call.by, call.json, call.files), call), {
      bucket: (call) => (isOld(param(call, "message")) ? ["messages", "oldEdit"] : ["messages"])
    }),
    route("POST", `${one}/crosspost`, (call) => reply(messages.crosspost(find(call), call.by), call), {
      bucket: () => ["messages"]
    }),
    route(
      "DELETE",
      one,
      (call) => {
        messages.delete(find(call), call.by)
        return noContent
      },
      { bucket: () => ["delete"] }
    )
  ]
}

const listMessages = ({ render, store }: Context, call: Call): Reply => {
  const form = new Form()
  const query = Object.fromEntries(call.query)
  const limit = form.integer(query, "limit", [], { min: 1, max: 100 }) ?? 50
  const after = form.id(query, "after", [])
  const around = form.id(query, "around", [])
  const before = form.id(query, "before", [])
  form.check()
  const channel = findChannel(store, param(call, "channel"))
  requirePermissions(store, call.by, Permission.viewChannel, channel)
  if (!can(store, call.by, Permission.readHistory, channel)) return ok([])
  const window = { limit, after, around, before }
  const found = store.messages.history(channel.id, window, (message) => message.visibleTo === undefined)
  return ok(found.toReversed().map((message) => render.message(message, call.by)))
}

const bulkDelete = ({ messages, store }: Context, call: Call): Reply => {
  const channel = findChannel(store, param(call, "channel"))
  if (channel.guildId === undefined) throw apiErrors.noDirect()
  requirePermissions(store, call.by, Permission.manageMessages, channel)
  const form = new Form()
  const fields = form.object(call.json ?? {}, []) ?? {}
  const ids = form.ids(fields, "messages", [], { max: Number.MAX_SAFE_INTEGER }) ?? []
  if (!("messages" in fields)) form.required(["messages"])
  form.check()
  if (ids.length < 2 || ids.length > 100) throw new DiscordError(400, 50_016, bulkDeleteLimits)
  if (new Set(ids).size < ids.length) form.add(["messages"], "BASE_TYPE_DUPLICATE", "Message ids must be unique")
  form.check()
  messages.bulkDelete(channel.id, ids, call.by)
  return noContent
}

const bulkDeleteLimits =
  "Provided too few or too many messages to delete. Must provide at least 2 and at most 100 messages to delete"
