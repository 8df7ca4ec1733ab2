import type { Parts } from "../../context/Context.ts"
import { Permission } from "../../model/Constants.ts"
import { canView, demand } from "../../state/Permissions.ts"
import { readGuild } from "../../validate/Guild.ts"
import { inGuild, noContent, ok, type Route } from "../routing/Router.ts"

/** The guild, its channels and open threads. */
export const guildRoutes = (parts: Parts): ReadonlyArray<Route> => {
  const { channels, render, threads, webhooks, world } = parts
  const guildChannels = () => [...world.channels.values()].filter((channel) => channel.guildId !== undefined)
  // Nothing here makes any, so there are none.
  const none = ["emojis", "stickers", "scheduled-events"].map((kind): Route => ({
    method: "GET",
    path: `/guilds/:guild/${kind}`,
    handle: () => ok([])
  }))
  return inGuild(parts, [
    ...none,
    {
      method: "GET",
      path: "/guilds/:guild",
      handle: (call) => {
        const counts = { approximate_member_count: world.members.size, approximate_presence_count: world.members.size }
        return ok({ ...render.guild(), ...(call.query.get("with_counts") === "true" ? counts : {}) })
      }
    },
    {
      method: "PATCH",
      path: "/guilds/:guild",
      handle: (call) => {
        demand(world, call.by, Permission.manageGuild)
        const { name, preferred_locale: locale, ...guild } = readGuild(call.json)
        world.commit({
          kind: "realm",
          value: {
            ...world.realm,
            ...(name === undefined ? {} : { guildName: name }),
            ...(locale === undefined ? {} : { locale }),
            guild: { ...world.realm.guild, ...guild }
          }
        })
        return ok(render.guild())
      }
    },
    {
      method: "GET",
      path: "/guilds/:guild/preview",
      handle: () => {
        const { description, discovery_splash, emojis, features, home_header, icon, id, name, splash, stickers } =
          render.guild()
        const count = world.members.size
        return ok({
          id,
          name,
          icon,
          description,
          home_header,
          splash,
          discovery_splash,
          features,
          emojis,
          stickers,
          approximate_member_count: count,
          approximate_presence_count: count
        })
      }
    },
    {
      method: "GET",
      path: "/guilds/:guild/channels",
      handle: () =>
        ok(
          guildChannels()
            .filter((channel) => channel.thread === undefined)
            .map((channel) => render.channel(channel))
        )
    },
    {
      method: "POST",
      path: "/guilds/:guild/channels",
      handle: (call) => ({ status: 201, body: render.channel(channels.create(call.by, call.json)) })
    },
    {
      method: "PATCH",
      path: "/guilds/:guild/channels",
      handle: (call) => {
        channels.setPositions(call.by, call.json)
        return noContent
      }
    },
    {
      method: "GET",
      path: "/guilds/:guild/threads/active",
      handle: (call) => {
        const active = guildChannels()
          .filter((channel) => channel.thread?.archived === false && canView(world, call.by, channel))
          .toReversed()
        return ok({
          threads: active.map((thread) => render.channel(thread)),
          members: active.flatMap((thread) => threads.membership(thread, call.by) ?? [])
        })
      }
    },
    {
      method: "GET",
      path: "/guilds/:guild/webhooks",
      handle: (call) =>
        ok(
          guildChannels()
            .filter((channel) => channel.thread === undefined)
            .flatMap((channel) => webhooks.inChannel(channel, call.by))
            .map((webhook) => render.webhook(webhook, true))
        )
    }
  ])
}
