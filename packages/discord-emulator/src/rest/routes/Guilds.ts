import type { Parts } from "../../Parts.ts"
import { ChannelKind } from "../../state/Codes.ts"
import { refuse } from "../DiscordError.ts"
import { type Call, ok, param, type Route } from "../Router.ts"
import { Form, isFields } from "../validate/Form.ts"
import { tagFrom } from "../../state/Threads.ts"

/** The guild, its channels and members. */
export const guildRoutes = ({ render, world }: Parts): ReadonlyArray<Route> => {
  const checked = (call: Call): Call => {
    if (param(call, "guild") !== world.realm.guildId) throw refuse.unknownGuild()
    return call
  }
  const memberOf = (id: string): object => {
    if (!world.users.has(id)) throw refuse.unknownMember()
    const { permissions: _, ...member } = render.member(id)
    return member
  }
  const guildChannels = () => [...world.channels.values()].filter((channel) => channel.guildId !== undefined)
  return [
    {
      method: "GET",
      path: "/guilds/:guild",
      handle: (call) => {
        checked(call)
        const counts = { approximate_member_count: world.users.size, approximate_presence_count: world.users.size }
        return ok({ ...render.guild(), ...(call.query.get("with_counts") === "true" ? counts : {}) })
      }
    },
    {
      method: "GET",
      path: "/guilds/:guild/channels",
      handle: (call) => {
        checked(call)
        return ok(
          guildChannels()
            .filter((channel) => channel.thread === undefined)
            .map(render.channel)
        )
      }
    },
    {
      method: "POST",
      path: "/guilds/:guild/channels",
      handle: (call) => {
        checked(call)
        const form = new Form()
        const fields = form.object(call.json ?? {}, []) ?? {}
        const name = form.text(fields, "name", [], { min: 1, max: 100, required: true }) ?? ""
        const type =
          form.choice(fields, "type", [], [ChannelKind.text, ChannelKind.announcement, ChannelKind.forum]) ?? 0
        const topic = form.text(fields, "topic", [], { max: 1024 }) ?? null
        const tags = form.list(fields, "available_tags", [], { max: 20 })
        form.check()
        const value = {
          id: world.ids.next(),
          type,
          name: name.toLowerCase().replaceAll(/\s+/g, "-"),
          guildId: world.realm.guildId,
          parentId: null,
          position: guildChannels().length,
          topic,
          slowmode: 0,
          ...(type === ChannelKind.forum
            ? { availableTags: (tags ?? []).filter(isFields).map((tag) => tagFrom(tag, () => world.ids.next())) }
            : {})
        }
        world.commit({ kind: "channel", value })
        return { status: 201, body: render.channel(value) }
      }
    },
    {
      method: "GET",
      path: "/guilds/:guild/roles",
      handle: (call) => {
        checked(call)
        return ok(render.guild()["roles"])
      }
    },
    {
      method: "GET",
      path: "/guilds/:guild/threads/active",
      handle: (call) => {
        checked(call)
        const threads = guildChannels().filter((channel) => channel.thread?.archived === false)
        return ok({ threads: threads.map(render.channel), members: [] })
      }
    },
    {
      method: "GET",
      path: "/guilds/:guild/members",
      handle: (call) => {
        checked(call)
        const limit = Number(call.query.get("limit") ?? 1)
        return ok([...world.users.keys()].slice(0, limit).map(memberOf))
      }
    },
    {
      method: "GET",
      path: "/guilds/:guild/members/search",
      handle: (call) => {
        checked(call)
        const query = (call.query.get("query") ?? "").toLowerCase()
        const found = [...world.users.values()].filter((user) => user.username.toLowerCase().startsWith(query))
        return ok(found.map((user) => memberOf(user.id)))
      }
    },
    {
      method: "GET",
      path: "/guilds/:guild/members/:user",
      handle: (call) => {
        checked(call)
        const id = param(call, "user")
        return ok(memberOf(id === "@me" ? world.realm.botId : id))
      }
    }
  ]
}
