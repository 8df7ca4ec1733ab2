import type { Parts } from "../context/Context.ts"
import type {
  Realm,
  StoredChannel,
  StoredMember,
  StoredMessage,
  StoredRole,
  StoredUser,
  StoredWebhook
} from "../model/Records.ts"
import { canView } from "../state/Permissions.ts"
import type { Committed } from "../state/World.ts"
import { Intent } from "./Codes.ts"
import type { Dispatch } from "./Dispatch.ts"

/** What the application hears about roles, members, webhooks and messages that went many at once. */
export const guildDispatches = (parts: Parts, { before, change }: Committed): ReadonlyArray<Dispatch> => {
  const { render, world } = parts
  const guild_id = world.realm.guildId
  const event = (name: string, intents: number, data: object): ReadonlyArray<Dispatch> => [
    { event: name, data: { guild_id, ...data }, intents, direct: false }
  ]
  switch (change.kind) {
    case "role": {
      const name = before === undefined ? "GUILD_ROLE_CREATE" : "GUILD_ROLE_UPDATE"
      return event(name, Intent.guilds, { role: render.role(change.value) })
    }
    case "role_gone":
      return event("GUILD_ROLE_DELETE", Intent.guilds, { role_id: (before as StoredRole | undefined)?.id })
    case "realm": {
      const old = before as Realm | undefined
      const { guild, guildName, locale } = change.value
      const same = old === undefined || (old.guild === guild && old.guildName === guildName && old.locale === locale)
      return same ? [] : [{ event: "GUILD_UPDATE", data: render.guild(), intents: Intent.guilds, direct: false }]
    }
    case "user":
      if (change.value.id === world.realm.botId && before !== undefined)
        return [{ event: "USER_UPDATE", data: render.user(change.value.id), intents: 0, direct: false }]
      // A new user comes as a member; one that changes has nothing the guild shows.
      return before === undefined ? event("GUILD_MEMBER_ADD", Intent.members, render.member(change.value.id)) : []
    case "member":
      return event(
        before === undefined ? "GUILD_MEMBER_ADD" : "GUILD_MEMBER_UPDATE",
        // A bot always hears about itself.
        change.value.id === world.realm.botId ? Intent.guilds : Intent.members,
        render.member(change.value.id)
      )
    case "member_gone": {
      // A bot that is put out hears that its guild is gone.
      if (change.id === world.realm.botId)
        return [{ event: "GUILD_DELETE", data: { id: guild_id }, intents: Intent.guilds, direct: false }]
      const id = (before as StoredMember | StoredUser | undefined)?.id ?? change.id
      return event("GUILD_MEMBER_REMOVE", Intent.members, { user: render.user(id) })
    }
    case "webhook":
      return event("WEBHOOKS_UPDATE", Intent.webhooks, { channel_id: change.value.channelId })
    case "webhook_gone":
      return event("WEBHOOKS_UPDATE", Intent.webhooks, {
        channel_id: (before as StoredWebhook | undefined)?.channelId
      })
    case "messages_gone": {
      const ids = (before as ReadonlyArray<StoredMessage>).flatMap(({ id, visibleTo }) =>
        visibleTo === undefined ? [id] : []
      )
      return ids.length === 0
        ? []
        : event("MESSAGE_DELETE_BULK", Intent.messages, { ids, channel_id: change.channelId })
    }
    default:
      return []
  }
}

/** Notices when the bot comes to see channels that were hidden, and then tells of their open threads. */
export const makeAccess = (parts: Parts): ((committed: Committed) => ReadonlyArray<Dispatch>) => {
  const { render, threads, world } = parts
  const visible = (): ReadonlyArray<StoredChannel> =>
    [...world.channels.values()].filter(
      (channel) =>
        channel.guildId !== undefined && channel.thread === undefined && canView(world, world.realm.botId, channel)
    )
  const idsOf = (channels: ReadonlyArray<StoredChannel>): ReadonlySet<string> => new Set(channels.map(({ id }) => id))
  let seen = idsOf(visible())

  return ({ before, change }) => {
    const moved =
      change.kind === "role" ||
      change.kind === "role_gone" ||
      (change.kind === "member" && change.value.id === world.realm.botId) ||
      (change.kind === "channel" &&
        change.value.thread === undefined &&
        (before as StoredChannel | undefined)?.overwrites !== change.value.overwrites)
    if (!moved && change.kind !== "channel_gone") return []
    const now = idsOf(visible())
    const gained = [...now].filter((id) => !seen.has(id))
    seen = now
    // A channel that is new has no threads yet.
    const opened = gained.filter((id) => change.kind !== "channel" || before !== undefined || change.value.id !== id)
    if (opened.length === 0) return []
    const active = [...world.channels.values()].filter(
      (one) =>
        one.thread?.archived === false && opened.includes(one.parentId ?? "") && canView(world, world.realm.botId, one)
    )
    const data = {
      guild_id: world.realm.guildId,
      channel_ids: opened,
      threads: active.map((thread) => render.channel(thread)),
      members: active.flatMap((thread) => threads.membership(thread, world.realm.botId) ?? [])
    }
    return [{ event: "THREAD_LIST_SYNC", data, intents: Intent.guilds, direct: false }]
  }
}
