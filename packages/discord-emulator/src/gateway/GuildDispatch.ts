import type { Context } from "../context/Context.ts"
import type {
  StoredGuild,
  StoredMember,
  StoredMessage,
  StoredRole,
  StoredUser,
  StoredWebhook
} from "../model/Records.ts"
import type { Committed } from "../state/Store.ts"
import { Intent } from "./Codes.ts"
import type { Dispatch } from "./Dispatch.ts"

/** The events of roles, members, webhooks, the guild and bulk deletions. */
export const guildDispatches = (context: Context, { before, change }: Committed): ReadonlyArray<Dispatch> => {
  const { render, store } = context
  const guild_id = store.guild.guildId
  const event = (name: string, intents: number, data: object): ReadonlyArray<Dispatch> => [
    { event: name, data: { guild_id, ...data }, intents, isDirectMessage: false }
  ]
  switch (change.kind) {
    case "role": {
      const name = before === undefined ? "GUILD_ROLE_CREATE" : "GUILD_ROLE_UPDATE"
      return event(name, Intent.guilds, { role: render.role(change.value) })
    }
    case "role_gone":
      return event("GUILD_ROLE_DELETE", Intent.guilds, { role_id: (before as StoredRole | undefined)?.id })
    case "realm": {
      const previous = before as StoredGuild | undefined
      const { guild, guildName, locale } = change.value
      const isUnchanged =
        previous === undefined ||
        (previous.guild === guild && previous.guildName === guildName && previous.locale === locale)
      return isUnchanged
        ? []
        : [{ event: "GUILD_UPDATE", data: render.guild(), intents: Intent.guilds, isDirectMessage: false }]
    }
    case "user":
      if (change.value.id === store.guild.botId && before !== undefined)
        return [{ event: "USER_UPDATE", data: render.user(change.value.id), intents: 0, isDirectMessage: false }]
      // A new user is a new member; the guild sends no event for a changed user.
      return before === undefined ? event("GUILD_MEMBER_ADD", Intent.guildMembers, render.member(change.value.id)) : []
    case "member":
      return event(
        before === undefined ? "GUILD_MEMBER_ADD" : "GUILD_MEMBER_UPDATE",
        // A bot receives its own updates without the members intent.
        change.value.id === store.guild.botId ? Intent.guilds : Intent.guildMembers,
        render.member(change.value.id)
      )
    case "member_gone": {
      // A bot that is removed receives the deletion of the guild.
      if (change.id === store.guild.botId)
        return [{ event: "GUILD_DELETE", data: { id: guild_id }, intents: Intent.guilds, isDirectMessage: false }]
      const id = (before as StoredMember | StoredUser | undefined)?.id ?? change.id
      return event("GUILD_MEMBER_REMOVE", Intent.guildMembers, { user: render.user(id) })
    }
    case "webhook":
      return event("WEBHOOKS_UPDATE", Intent.guildWebhooks, { channel_id: change.value.channelId })
    case "webhook_gone":
      return event("WEBHOOKS_UPDATE", Intent.guildWebhooks, {
        channel_id: (before as StoredWebhook | undefined)?.channelId
      })
    case "messages_gone": {
      const ids = (before as ReadonlyArray<StoredMessage>).flatMap(({ id, visibleTo }) =>
        visibleTo === undefined ? [id] : []
      )
      return ids.length === 0
        ? []
        : event("MESSAGE_DELETE_BULK", Intent.guildMessages, { ids, channel_id: change.channelId })
    }
    default:
      return []
  }
}
