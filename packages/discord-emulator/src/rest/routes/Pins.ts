import type { Context } from "../../context/Context.ts"
import { Permission } from "../../model/Constants.ts"
import type { StoredMessage } from "../../model/Records.ts"
import { findChannel, findMessage } from "../../state/Lookups.ts"
import { can, requirePermissions } from "../../state/Permissions.ts"
import { type Call, noContent, ok, param, type Route } from "../routing/Router.ts"
import { Form } from "../../validate/Form.ts"

const path = "/channels/:channel/messages/pins"
const older = "/channels/:channel/pins"

/** Pinned messages, on the routes of today and those of before. */
export const pinRoutes = ({ messages, render, store }: Context): ReadonlyArray<Route> => {
  const pin = (pinned: boolean) => (call: Call) => {
    const message = findMessage(store, param(call, "channel"), param(call, "message"), call.by)
    messages.pin(message, call.by, pinned)
    return noContent
  }
  const pinnedAt = (message: StoredMessage): string => message.pinnedAt ?? message.timestamp
  /** The last pinned first. */
  const pinned = (call: Call): ReadonlyArray<StoredMessage> => {
    const channel = findChannel(store, param(call, "channel"))
    requirePermissions(store, call.by, Permission.viewChannel, channel)
    if (!can(store, call.by, Permission.readHistory, channel)) return []
    return store.messages
      .in(channel.id)
      .filter((message) => message.pinned)
      .toReversed()
      .toSorted((a, b) => pinnedAt(b).localeCompare(pinnedAt(a)))
  }
  return [
    {
      method: "GET",
      path,
      handle: (call) => {
        const form = new Form()
        const query = Object.fromEntries(call.query)
        const limit = form.integer(query, "limit", [], { min: 1, max: 50 }) ?? 50
        form.check()
        const before = Date.parse(query["before"] ?? "")
        const all = pinned(call).filter((message) => Number.isNaN(before) || Date.parse(pinnedAt(message)) < before)
        const items = all.slice(0, limit).map((message) => ({
          pinned_at: pinnedAt(message),
          message: render.message(message, call.by)
        }))
        return ok({ items, has_more: all.length > limit })
      }
    },
    { method: "PUT", path: `${path}/:message`, handle: pin(true) },
    { method: "DELETE", path: `${path}/:message`, handle: pin(false) },
    {
      method: "GET",
      path: older,
      handle: (call) =>
        ok(
          pinned(call)
            .slice(0, 50)
            .map((message) => render.message(message, call.by))
        )
    },
    { method: "PUT", path: `${older}/:message`, handle: pin(true) },
    { method: "DELETE", path: `${older}/:message`, handle: pin(false) }
  ]
}
