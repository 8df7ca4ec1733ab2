import type { Parts } from "../../Parts.ts"
import { ChannelKind } from "../../state/Codes.ts"
import { refuse } from "../DiscordError.ts"
import { ok, param, type Route } from "../Router.ts"
import { isFields } from "../validate/Form.ts"

/** Gateway address, users and direct channels. */
export const userRoutes = ({ origin, render, settings, world }: Parts): ReadonlyArray<Route> => {
  const gateway = (): string => origin().replace(/^http/, "ws")
  const me = () => ({
    ...render.user(world.realm.botId),
    verified: true,
    mfa_enabled: true,
    email: null,
    locale: "en-US"
  })
  const user = (id: string): object => {
    if (!world.users.has(id)) throw refuse.unknownUser()
    return render.user(id)
  }
  return [
    { method: "GET", path: "/gateway", open: true, handle: () => ok({ url: gateway() }) },
    {
      method: "GET",
      path: "/gateway/bot",
      handle: () =>
        ok({
          url: gateway(),
          shards: 1,
          session_start_limit: { total: 1000, remaining: 1000, reset_after: 86_400_000, max_concurrency: 1 }
        })
    },
    { method: "GET", path: "/users/@me", handle: () => ok(me()) },
    {
      method: "GET",
      path: "/users/@me/guilds",
      handle: () =>
        ok([
          {
            ...render.guild(),
            owner: false,
            permissions: String(settings.botPermissions ?? render.member(world.realm.botId).permissions)
          }
        ])
    },
    {
      method: "POST",
      path: "/users/@me/channels",
      handle: ({ json }) => {
        const recipientId = isFields(json) ? String(json["recipient_id"]) : ""
        const recipient = world.users.get(recipientId)
        if (recipient === undefined) throw refuse.unknownUser()
        if (recipient.bot) throw refuse.cannotMessageUser()
        const found = [...world.channels.values()].find((channel) => channel.recipientId === recipientId)
        if (found !== undefined) return ok(render.channel(found))
        const value = {
          id: world.ids.next(),
          type: ChannelKind.dm,
          name: recipient.username,
          parentId: null,
          position: 0,
          topic: null,
          slowmode: 0,
          recipientId
        }
        world.commit({ kind: "channel", value })
        return ok(render.channel(value))
      }
    },
    { method: "GET", path: "/users/:user", handle: (call) => ok(user(param(call, "user"))) }
  ]
}
