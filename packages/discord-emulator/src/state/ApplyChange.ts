import { Permission } from "../model/Constants.ts"
import type {
  Change,
  StoredGuild,
  StoredChannel,
  StoredInteraction,
  StoredMember,
  StoredMessage,
  StoredRole,
  StoredUser,
  StoredWebhook
} from "../model/Records.ts"
import { timeOf } from "../model/Snowflake.ts"
import { dropOldest, put, removeFrom } from "./Maps.ts"
import type { Tables } from "./Tables.ts"

/** A record that a change replaced or removed; a list where it removed several messages. */
export type Replaced =
  | StoredGuild
  | StoredChannel
  | StoredMessage
  | StoredUser
  | StoredInteraction
  | StoredMember
  | StoredRole
  | StoredWebhook
  | ReadonlyArray<StoredMessage>

/** How long an interaction token works, in milliseconds. */
export const tokenMs = 15 * 60_000

/** Writes one change into the tables and returns what it replaced or removed. */
export const applyChange = (tables: Tables, change: Change): Replaced | undefined => {
  if ("value" in change && "id" in change.value) tables.ids.observe(change.value.id)
  switch (change.kind) {
    case "realm":
      return applyGuild(tables, change.value)
    case "user":
      return applyUser(tables, change.value)
    case "member":
      return put(tables.members, change.value)
    case "member_gone":
      return removeFrom(tables.members, change.id)
    case "role":
      return put(tables.roles, change.value)
    case "role_gone":
      return removeFrom(tables.roles, change.id)
    case "webhook":
      return put(tables.webhooks, change.value)
    case "webhook_gone":
      return removeFrom(tables.webhooks, change.id)
    case "channel":
      tables.messages.restoreDeleted(change.value.id, change.value.deletedMessages ?? 0)
      return put(tables.channels, change.value)
    case "channel_gone":
      tables.messages.removeChannel(change.id)
      return removeFrom(tables.channels, change.id)
    case "message":
      return tables.messages.put(change.value)
    case "message_gone":
      return tables.messages.remove(change.channelId, change.id)
    case "messages_gone":
      return change.ids.flatMap((id) => tables.messages.remove(change.channelId, id) ?? [])
    case "commands":
      tables.commandSets.set(change.guildId, change.value)
      return undefined
    case "interaction":
      return applyInteraction(tables, change.value)
  }
}

const applyGuild = (tables: Tables, guild: StoredGuild): StoredGuild | undefined => {
  const before = tables.setGuild(guild)
  tables.ids.observe(guild.channelId)
  for (const role of defaultRoles(guild)) {
    if (tables.roles.has(role.id)) continue
    tables.ids.observe(role.id)
    put(tables.roles, role)
  }
  return before
}

const applyUser = (tables: Tables, user: StoredUser): StoredUser | undefined => {
  const { id } = user
  if (!tables.users.has(id) && !tables.members.has(id)) tables.members.set(id, newMember(tables.guild, id))
  return put(tables.users, user)
}

const applyInteraction = (tables: Tables, interaction: StoredInteraction): StoredInteraction | undefined => {
  const { interactionIdsByToken, interactions } = tables
  interactionIdsByToken.set(interaction.token, interaction.id)
  const before = put(interactions, interaction)
  dropOldest(interactions, (stored) => tables.clock.now() - stored.createdAt > 2 * tokenMs)
  dropOldest(interactionIdsByToken, (id) => !interactions.has(id))
  return before
}

/** The two roles that a guild with a bot starts with. */
const defaultRoles = (guild: StoredGuild): ReadonlyArray<StoredRole> => [
  { ...plainRole, id: guild.everyoneRoleId, name: "@everyone", permissions: Permission.everyone, position: 0 },
  // The bot's role shows the name of the bot, whose user record is written later.
  { ...plainRole, id: guild.botRoleId, name: "", permissions: Permission.all, position: 1, managed: true }
]

const plainRole = { color: 0, hoist: false, mentionable: false, managed: false }

const newMember = (guild: StoredGuild, id: string): StoredMember => ({
  id,
  nick: null,
  roleIds: id === guild.botId ? [guild.botRoleId] : [],
  joinedAt: new Date(timeOf(id)).toISOString(),
  timeoutUntil: null
})
