import type { Context } from "../../context/Context.ts"
import { Permission } from "../../model/Constants.ts"
import type { StoredMessage } from "../../model/Records.ts"
import { findChannel, findMessage } from "../../state/Lookups.ts"
import { requirePermissions } from "../../state/Permissions.ts"
import { readEmoji, sameEmoji } from "../../resources/messages/Reactions.ts"
import { compareIds } from "../../model/Snowflake.ts"
import { type Call, noContent, ok, param, type Route } from "../routing/Router.ts"
import { Form } from "../../validate/Form.ts"

const reactionsPath = "/channels/:channel/messages/:message/reactions"

/** The reactions to a message. */
export const reactionRoutes = ({ messages, render, store }: Context): ReadonlyArray<Route> => {
  const findRequestedMessage = (call: Call): StoredMessage =>
    findMessage(store, param(call, "channel"), param(call, "message"), call.actorId)
  const bucket = () => ["reactions" as const]
  const makeSetReaction = (userOf: (call: Call) => string, isAdded: boolean) => (call: Call) => {
    const userId = userOf(call)
    if (userId !== call.actorId) requireManageMessages(call)
    messages.react(findRequestedMessage(call), userId, param(call, "emoji"), isAdded)
    return noContent
  }
  const requireManageMessages = (call: Call): void =>
    requirePermissions(store, call.actorId, Permission.manageMessages, findChannel(store, param(call, "channel")))
  const clearReactions = (call: Call) => {
    const message = findRequestedMessage(call)
    requireManageMessages(call)
    messages.clearReactions(message, call.params["emoji"])
    return noContent
  }
  const actorOf = (call: Call): string => call.actorId
  return [
    { method: "PUT", path: `${reactionsPath}/:emoji/@me`, bucket, handle: makeSetReaction(actorOf, true) },
    { method: "DELETE", path: `${reactionsPath}/:emoji/@me`, bucket, handle: makeSetReaction(actorOf, false) },
    {
      method: "DELETE",
      path: `${reactionsPath}/:emoji/:user`,
      bucket,
      handle: makeSetReaction((call) => param(call, "user"), false)
    },
    {
      method: "GET",
      path: `${reactionsPath}/:emoji`,
      handle: (call) => {
        const message = findRequestedMessage(call)
        requirePermissions(store, call.actorId, Permission.readHistory, findChannel(store, message.channelId))
        const form = new Form()
        const query = Object.fromEntries(call.query)
        const limit = form.integer(query, "limit", [], { min: 1, max: 100 }) ?? 25
        const after = form.id(query, "after", []) ?? "0"
        form.throwIfInvalid()
        const emoji = readEmoji(param(call, "emoji"))
        const { type } = query
        const reaction = message.reactions.find((candidate) => sameEmoji(candidate.emoji, emoji))
        // The emulator has no burst reactions.
        const ids = type === "1" ? [] : (reaction?.userIds ?? [])
        const page = ids.filter((id) => compareIds(id, after) > 0).toSorted(compareIds)
        return ok(page.slice(0, limit).map(render.user))
      }
    },
    { method: "DELETE", path: `${reactionsPath}/:emoji`, bucket, handle: clearReactions },
    { method: "DELETE", path: reactionsPath, bucket, handle: clearReactions }
  ]
}
