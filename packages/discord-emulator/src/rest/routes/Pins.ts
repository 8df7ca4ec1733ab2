import type { Context } from "../../context/Context.ts"
import { Permission } from "../../model/Constants.ts"
import type { StoredMessage } from "../../model/Records.ts"
import { findChannel, findMessage } from "../../state/Lookups.ts"
import { can, requirePermissions } from "../../state/Permissions.ts"
import { type Call, noContent, ok, param, type Route } from "../routing/Router.ts"
import { Form } from "../../validate/Form.ts"

const pinsPath = "/channels/:channel/messages/pins"
const legacyPinsPath = "/channels/:channel/pins"

/** Pinned messages, on the current routes and the deprecated ones. */
export const pinRoutes = ({ messages, render, store }: Context): ReadonlyArray<Route> => {
  const makeSetPinned = (pinned: boolean) => (call: Call) => {
    const message = findMessage(store, param(call, "channel"), param(call, "message"), call.actorId)
    messages.pin(message, call.actorId, pinned)
    return noContent
  }
  const pinnedAt = (message: StoredMessage): string => message.pinnedAt ?? message.timestamp
  /** The most recently pinned message first. */
  const listPinned = (call: Call): ReadonlyArray<StoredMessage> => {
    const channel = findChannel(store, param(call, "channel"))
    requirePermissions(store, call.actorId, Permission.viewChannel, channel)
    if (!can(store, call.actorId, Permission.readHistory, channel)) return []
    return store.messages
      .in(channel.id)
      .filter((message) => message.pinned)
      .toReversed()
      .toSorted((a, b) => pinnedAt(b).localeCompare(pinnedAt(a)))
  }
  return [
    {
      method: "GET",
      path: pinsPath,
      handle: (call) => {
        const form = new Form()
        const query = Object.fromEntries(call.query)
        const limit = form.integer(query, "limit", [], { min: 1, max: 50 }) ?? 50
        form.throwIfInvalid()
        const before = Date.parse(query["before"] ?? "")
        const all = listPinned(call).filter((message) => Number.isNaN(before) || Date.parse(pinnedAt(message)) < before)
        const items = all.slice(0, limit).map((message) => ({
          pinned_at: pinnedAt(message),
          message: render.message(message, call.actorId)
        }))
        return ok({ items, has_more: all.length > limit })
      }
    },
    { method: "PUT", path: `${pinsPath}/:message`, handle: makeSetPinned(true) },
    { method: "DELETE", path: `${pinsPath}/:message`, handle: makeSetPinned(false) },
    {
      method: "GET",
      path: legacyPinsPath,
      handle: (call) =>
        ok(
          listPinned(call)
            .slice(0, 50)
            .map((message) => render.message(message, call.actorId))
        )
    },
    { method: "PUT", path: `${legacyPinsPath}/:message`, handle: makeSetPinned(true) },
    { method: "DELETE", path: `${legacyPinsPath}/:message`, handle: makeSetPinned(false) }
  ]
}
