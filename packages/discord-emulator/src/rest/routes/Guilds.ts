import type { Context } from "../../context/Context.ts"
import { Permission } from "../../model/Constants.ts"
import type { StoredChannel } from "../../model/Records.ts"
import { renderThreadMember } from "../../render/RenderThreadMember.ts"
import { canView, requirePermissions } from "../../state/Permissions.ts"
import { readGuild } from "../../validate/Guild.ts"
import { type Call, inGuild, isSet, noContent, ok, type Reply, type Route, route } from "../routing/Router.ts"

const guildPath = "/guilds/:guild"

/** The guild, its channels and active threads. */
export const guildRoutes = (context: Context): ReadonlyArray<Route> => {
  const { channels, render, webhooks } = context
  return inGuild(context, [
    // The emulator has none of these.
    ...["emojis", "stickers", "scheduled-events"].map((kind) => route("GET", `${guildPath}/${kind}`, () => ok([]))),
    route("GET", guildPath, (call) => getGuild(context, call)),
    route("PATCH", guildPath, (call) => modifyGuild(context, call)),
    route("GET", `${guildPath}/preview`, () => previewGuild(context)),
    route("GET", `${guildPath}/channels`, () => ok(guildChannels(context).map((channel) => render.channel(channel)))),
    route("POST", `${guildPath}/channels`, (call) => ({
      status: 201,
      body: render.channel(channels.create(call.actorId, call.json))
    })),
    route("PATCH", `${guildPath}/channels`, (call) => {
      channels.setPositions(call.actorId, call.json)
      return noContent
    }),
    route("GET", `${guildPath}/threads/active`, (call) => activeThreads(context, call)),
    route("GET", `${guildPath}/webhooks`, (call) => {
      const guildWebhooks = guildChannels(context).flatMap((channel) => webhooks.inChannel(channel, call.actorId))
      return ok(guildWebhooks.map((webhook) => render.webhook(webhook, { withUser: true })))
    })
  ])
}

const guildChannels = ({ store }: Context): ReadonlyArray<StoredChannel> =>
  [...store.channels.values()].filter((channel) => channel.guildId !== undefined && channel.thread === undefined)

const getGuild = ({ render, store }: Context, call: Call): Reply => {
  const { size } = store.members
  const counts = { approximate_member_count: size, approximate_presence_count: size }
  return ok({ ...render.guild(), ...(isSet(call, "with_counts") ? counts : {}) })
}

const modifyGuild = ({ render, store }: Context, call: Call): Reply => {
  requirePermissions(store, call.actorId, Permission.manageGuild)
  const { name, preferred_locale: locale, ...changes } = readGuild(call.json)
  const value = {
    ...store.guild,
    ...(name === undefined ? {} : { guildName: name }),
    ...(locale === undefined ? {} : { locale }),
    guild: { ...store.guild.guild, ...changes }
  }
  // The journal on disk calls the record of the guild and its application "realm".
  store.commit({ kind: "realm", value })
  return ok(render.guild())
}

const previewFields = [
  "id",
  "name",
  "icon",
  "description",
  "home_header",
  "splash",
  "discovery_splash",
  "features",
  "emojis",
  "stickers"
]

const previewGuild = ({ render, store }: Context): Reply => {
  const rendered = render.guild()
  const { size } = store.members
  return ok({
    ...Object.fromEntries(previewFields.map((key) => [key, rendered[key]])),
    approximate_member_count: size,
    approximate_presence_count: size
  })
}

const activeThreads = ({ render, store }: Context, call: Call): Reply => {
  const active = [...store.channels.values()]
    .filter((channel) => channel.thread?.archived === false && canView(store, call.actorId, channel))
    .toReversed()
  return ok({
    threads: active.map((thread) => render.channel(thread)),
    members: active.flatMap((thread) => renderThreadMember(thread, call.actorId) ?? []),
    has_more: false
  })
}
