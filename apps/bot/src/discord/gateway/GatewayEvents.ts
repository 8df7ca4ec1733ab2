import { type Client, Events } from "discord.js"
import type * as Queue from "effect/Queue"
import type { DiscordEvent, Written } from "../DiscordEvent.ts"
import * as FromDiscord from "../FromDiscord.ts"

/** Converts gateway events into plain data and offers them to a queue in their order. */
export const listen = (client: Client, events: Queue.Enqueue<DiscordEvent>): void => {
  const offer = (event: DiscordEvent | undefined) => {
    if (event !== undefined) events.unsafeOffer(event)
  }
  client
    .on(Events.ClientReady, ({ guilds }) => {
      for (const guildId of guilds.cache.keys()) offer({ _tag: "GuildAvailable", guildId })
    })
    // A new session: the gateway does not replay earlier events.
    .on(Events.ShardReady, () => offer({ _tag: "Ready", written: written(client) }))
    .on(Events.GuildCreate, (guild) => offer({ _tag: "GuildAvailable", guildId: guild.id }))
    .on(Events.MessageCreate, (message) => offer({ _tag: "Message", message: FromDiscord.message(message) }))
    .on(Events.MessageUpdate, (_, message) => offer(FromDiscord.edited(message)))
    .on(Events.MessageDelete, ({ channelId, id }) => offer({ _tag: "MessagesDeleted", channelId, messageIds: [id] }))
    .on(Events.MessageBulkDelete, (messages, { id }) =>
      offer({ _tag: "MessagesDeleted", channelId: id, messageIds: [...messages.keys()] })
    )
    .on(Events.InteractionCreate, (interaction) => offer(FromDiscord.interaction(interaction)))
    .on(Events.ThreadDelete, (thread) => offer({ _tag: "ThreadGone", threadId: thread.id }))
    .on(Events.ThreadUpdate, (before, thread) => {
      if (thread.locked === true) offer({ _tag: "ThreadGone", threadId: thread.id })
      else if (before.locked === true) offer({ _tag: "ThreadUnlocked", threadId: thread.id })
    })
    // Permissions may have changed: the bot may be able to write in a thread again.
    .on(Events.ChannelUpdate, (_, channel) => {
      if (!channel.isDMBased()) offer({ _tag: "PermissionsChanged", guildId: channel.guildId })
    })
    .on(Events.GuildRoleUpdate, (_, { guild }) => offer({ _tag: "PermissionsChanged", guildId: guild.id }))
    .on(Events.GuildMemberUpdate, (_, member) => {
      if (member.id === client.user?.id) offer({ _tag: "PermissionsChanged", guildId: member.guild.id })
    })
}

/** The channels that people write in, with the newest message of each. */
const written = (client: Client): ReadonlyArray<Written> =>
  [...client.channels.cache.values()].flatMap((channel) =>
    channel.isTextBased() && !channel.isDMBased() && channel.lastMessageId !== null
      ? [{ channelId: channel.id, lastMessageId: channel.lastMessageId }]
      : []
  )
