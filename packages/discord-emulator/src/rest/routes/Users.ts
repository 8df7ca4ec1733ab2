import type { Context } from "../../context/Context.ts"
import { openDirectChannel } from "../../resources/channels/DirectChannels.ts"
import { guildPermissions } from "../../state/Permissions.ts"
import { apiErrors } from "../../model/DiscordError.ts"
import { noContent, ok, param, type Route } from "../routing/Router.ts"
import { Form, isJsonObject } from "../../validate/Form.ts"

/** Gateway address, users and direct channels. */
export const userRoutes = ({
  members,
  origin,
  render,
  settings,
  sessionStarts,
  store
}: Context): ReadonlyArray<Route> => {
  const gatewayUrl = (): string => origin().replace(/^http/, "ws")
  const renderCurrentUser = (id: string) => ({
    ...render.user(id),
    verified: true,
    mfa_enabled: true,
    email: null,
    locale: "en-US"
  })
  const renderKnownUser = (id: string): object => {
    if (!store.users.has(id)) throw apiErrors.unknownUser()
    return render.user(id)
  }
  return [
    { method: "GET", path: "/gateway", tokenInPath: true, handle: () => ok({ url: gatewayUrl() }) },
    {
      method: "GET",
      path: "/gateway/bot",
      handle: () =>
        ok({
          url: gatewayUrl(),
          shards: settings.shards,
          session_start_limit: sessionStarts.status()
        })
    },
    { method: "GET", path: "/users/@me", handle: (call) => ok(renderCurrentUser(call.actorId)) },
    {
      method: "PATCH",
      path: "/users/@me",
      handle: ({ actorId, json }) => {
        const form = new Form()
        const fields = form.object(json ?? {}, []) ?? {}
        const username = form.text(fields, "username", [], { min: 2, max: 32 })
        form.addUnsupportedErrors(fields, ["avatar", "banner"])
        form.throwIfInvalid()
        const user = store.users.get(actorId)
        if (user !== undefined && username !== undefined) store.commit({ kind: "user", value: { ...user, username } })
        return ok(renderCurrentUser(actorId))
      }
    },
    {
      method: "DELETE",
      path: "/users/@me/guilds/:guild",
      handle: (call) => {
        if (param(call, "guild") !== store.guild.guildId || !store.members.has(call.actorId))
          throw apiErrors.unknownGuild()
        members.remove(members.find(call.actorId), call.actorId)
        return noContent
      }
    },
    {
      method: "GET",
      path: "/users/@me/guilds",
      handle: ({ actorId }) => {
        if (!store.members.has(actorId)) return ok([])
        const permissions = String(guildPermissions(store, actorId))
        const { banner, features, icon, id, name } = render.guild()
        return ok([{ id, name, icon, banner, owner: actorId === store.guild.ownerId, permissions, features }])
      }
    },
    {
      method: "POST",
      path: "/users/@me/channels",
      handle: ({ actorId, json }) => {
        const form = new Form()
        const recipientId = isJsonObject(json) ? form.id(json, "recipient_id", []) : undefined
        form.throwIfInvalid()
        const recipient = store.users.get(recipientId ?? "")
        if (recipient === undefined) throw apiErrors.invalidRecipient()
        // A direct channel connects the bot and one person.
        const asBot = actorId === store.guild.botId
        if (asBot === recipient.bot) throw apiErrors.cannotMessageUser()
        return ok(render.channel(openDirectChannel(store, asBot ? recipient.id : actorId), actorId))
      }
    },
    { method: "GET", path: "/users/:user", handle: (call) => ok(renderKnownUser(param(call, "user"))) }
  ]
}
