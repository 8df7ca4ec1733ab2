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

const messagesPath = "/channels/:channel/messages"
const messagePath = `${messagesPath}/:message`

/** Messages of a channel. */
export const messageRoutes = (context: Context): ReadonlyArray<Route> => {
  const { messages, render, store } = context
  const findRequestedMessage = (call: Call): StoredMessage =>
    findMessage(store, param(call, "channel"), param(call, "message"), call.actorId)
  const renderReply = (message: StoredMessage, call: Call): Reply => ok(render.message(message, call.actorId))
  const isOld = (id: string): boolean => isSnowflake(id) && store.clock.now() - timeOf(id) > oldMessageMs
  return [
    route("GET", messagesPath, (call) => listMessages(context, call)),
    route(
      "POST",
      messagesPath,
      (call) => {
        const draft = { channelId: param(call, "channel"), authorId: call.actorId }
        return renderReply(messages.create(draft, call.json, call.files), call)
      },
      { bucket: () => ["messages"] }
    ),
    route("POST", `${messagesPath}/bulk-delete`, (call) => bulkDelete(context, call)),
    route("GET", messagePath, (call) => {
      const message = findRequestedMessage(call)
      requirePermissions(store, call.actorId, Permission.readHistory, findChannel(store, message.channelId))
      return renderReply(message, call)
    }),
    route(
      "PATCH",
      messagePath,
      (call) => renderReply(messages.edit(findRequestedMessage(call), call.actorId, call.json, call.files), call),
      {
        bucket: (call) => (isOld(param(call, "message")) ? ["messages", "oldEdit"] : ["messages"])
      }
    ),
    route(
      "POST",
      `${messagePath}/crosspost`,
      (call) => renderReply(messages.crosspost(findRequestedMessage(call), call.actorId), call),
      {
        bucket: () => ["messages"]
      }
    ),
    route(
      "DELETE",
      messagePath,
      (call) => {
        messages.delete(findRequestedMessage(call), call.actorId)
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
  form.throwIfInvalid()
  const channel = findChannel(store, param(call, "channel"))
  requirePermissions(store, call.actorId, Permission.viewChannel, channel)
  if (!can(store, call.actorId, Permission.readHistory, channel)) return ok([])
  const historyQuery = { limit, after, around, before }
  const history = store.messages.history(channel.id, historyQuery, (message) => message.visibleTo === undefined)
  return ok(history.toReversed().map((message) => render.message(message, call.actorId)))
}

const bulkDelete = ({ messages, store }: Context, call: Call): Reply => {
  const channel = findChannel(store, param(call, "channel"))
  if (channel.guildId === undefined) throw apiErrors.notInDirectChannel()
  requirePermissions(store, call.actorId, Permission.manageMessages, channel)
  const form = new Form()
  const fields = form.object(call.json ?? {}, []) ?? {}
  const ids = form.ids(fields, "messages", [], { max: Number.MAX_SAFE_INTEGER }) ?? []
  if (!("messages" in fields)) form.addRequiredError(["messages"])
  form.throwIfInvalid()
  if (ids.length < 2 || ids.length > 100) throw new DiscordError(400, 50_016, bulkDeleteCountMessage)
  if (new Set(ids).size < ids.length) form.addError(["messages"], "BASE_TYPE_DUPLICATE", "Message ids must be unique")
  form.throwIfInvalid()
  messages.bulkDelete(channel.id, ids, call.actorId)
  return noContent
}

const bulkDeleteCountMessage =
  "Provided too few or too many messages to delete. Must provide at least 2 and at most 100 messages to delete"
