import type { Context } from "../../context/Context.ts"
import { Permission } from "../../model/Constants.ts"
import type { StoredMessage } from "../../model/Records.ts"
import { findChannel, findMessage } from "../../state/Lookups.ts"
import { requirePermissions } from "../../state/Permissions.ts"
import { readEmoji, sameEmoji } from "../../resources/messages/Reactions.ts"
import { compareIds } from "../../model/Snowflake.ts"
import { type Call, noContent, ok, param, type Route } from "../routing/Router.ts"
import { Form } from "../../validate/Form.ts"

const path = "/channels/:channel/messages/:message/reactions"

/** Reactions below a message. */
export const reactionRoutes = ({ messages, render, store }: Context): ReadonlyArray<Route> => {
  const found = (call: Call): StoredMessage =>
    findMessage(store, param(call, "channel"), param(call, "message"), call.by)
  const bucket = () => ["reactions" as const]
  const react = (userOf: (call: Call) => string, add: boolean) => (call: Call) => {
    const userId = userOf(call)
    if (userId !== call.by) requireManager(call)
    messages.react(found(call), userId, param(call, "emoji"), add)
    return noContent
  }
  const requireManager = (call: Call): void =>
    requirePermissions(store, call.by, Permission.manageMessages, findChannel(store, param(call, "channel")))
  const clear = (call: Call) => {
    const message = found(call)
    requireManager(call)
    messages.clearReactions(message, call.params["emoji"])
    return noContent
  }
  const me = (call: Call): string => call.by
  return [
    { method: "PUT", path: `${path}/:emoji/@me`, bucket, handle: react(me, true) },
    { method: "DELETE", path: `${path}/:emoji/@me`, bucket, handle: react(me, false) },
    { method: "DELETE", path: `${path}/:emoji/:user`, bucket, handle: react((call) => param(call, "user"), false) },
    {
      method: "GET",
      path: `${path}/:emoji`,
      handle: (call) => {
        const message = found(call)
        requirePermissions(store, call.by, Permission.readHistory, findChannel(store, message.channelId))
        const form = new Form()
        const query = Object.fromEntries(call.query)
        const limit = form.integer(query, "limit", [], { min: 1, max: 100 }) ?? 25
        const after = form.id(query, "after", []) ?? "0"
        form.check()
        const emoji = readEmoji(param(call, "emoji"))
        const { type } = query
        const reaction = message.reactions.find((one) => sameEmoji(one.emoji, emoji))
        // The emulator has no burst reactions.
        const ids = type === "1" ? [] : (reaction?.userIds ?? [])
        const page = ids.filter((id) => compareIds(id, after) > 0).toSorted(compareIds)
        return ok(page.slice(0, limit).map(render.user))
      }
    },
    { method: "DELETE", path: `${path}/:emoji`, bucket, handle: clear },
    { method: "DELETE", path, bucket, handle: clear }
  ]
}
