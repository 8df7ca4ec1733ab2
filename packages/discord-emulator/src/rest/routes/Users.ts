import type { Context } from "../../context/Context.ts"
import { openDirectChannel } from "../../resources/channels/DirectChannels.ts"
import { guildPermissions } from "../../state/Permissions.ts"
import { apiErrors } from "../../model/DiscordError.ts"
import { noContent, ok, param, type Route } from "../routing/Router.ts"
import { Form, isJsonObject } from "../../validate/Form.ts"

/** Gateway address, users and direct channels. */
export const userRoutes = ({ members, origin, render, settings, starts, store }: Context): ReadonlyArray<Route> => {
  const gateway = (): string => origin().replace(/^http/, "ws")
  const me = (id: string) => ({
    ...render.user(id),
    verified: true,
    mfa_enabled: true,
    email: null,
    locale: "en-US"
  })
  const user = (id: string): object => {
    if (!store.users.has(id)) throw apiErrors.unknownUser()
    return render.user(id)
  }
  return [
    { method: "GET", path: "/gateway", tokenInPath: true, handle: () => ok({ url: gateway() }) },
    {
      method: "GET",
      path: "/gateway/bot",
      handle: () =>
        ok({
          url: gateway(),
          shards: settings.shards,
          session_start_limit: starts.status()
        })
    },
    { method: "GET", path: "/users/@me", handle: (call) => ok(me(call.by)) },
    {
      method: "PATCH",
      path: "/users/@me",
      handle: ({ by, json }) => {
        const form = new Form()
        const fields = form.object(json ?? {}, []) ?? {}
        const username = form.text(fields, "username", [], { min: 2, max: 32 })
        form.unsupported(fields, ["avatar", "banner"])
        form.check()
        const user = store.users.get(by)
        if (user !== undefined && username !== undefined) store.commit({ kind: "user", value: { ...user, username } })
        return ok(me(by))
      }
    },
    {
      method: "DELETE",
      path: "/users/@me/guilds/:guild",
      handle: (call) => {
        if (param(call, "guild") !== store.realm.guildId || !store.members.has(call.by)) throw apiErrors.unknownGuild()
        members.remove(members.find(call.by), call.by)
        return noContent
      }
    },
    {
      method: "GET",
      path: "/users/@me/guilds",
      handle: ({ by }) => {
        if (!store.members.has(by)) return ok([])
        const permissions = String(guildPermissions(store, by))
        const { banner, features, icon, id, name } = render.guild()
        return ok([{ id, name, icon, banner, owner: by === store.realm.ownerId, permissions, features }])
      }
    },
    {
      method: "POST",
      path: "/users/@me/channels",
      handle: ({ by, json }) => {
        const form = new Form()
        const recipientId = isJsonObject(json) ? form.id(json, "recipient_id", []) : undefined
        form.check()
        const recipient = store.users.get(recipientId ?? "")
        if (recipient === undefined) throw apiErrors.invalidRecipient()
        // Direct channels are between the bot and one person; others have none here.
        const asBot = by === store.realm.botId
        if (asBot === recipient.bot) throw apiErrors.cannotMessageUser()
        return ok(render.channel(openDirectChannel(store, asBot ? recipient.id : by), by))
      }
    },
    { method: "GET", path: "/users/:user", handle: (call) => ok(user(param(call, "user"))) }
  ]
}
