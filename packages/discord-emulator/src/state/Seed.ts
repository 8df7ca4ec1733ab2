import { randomBytes } from "node:crypto"
import type { Settings } from "../settings/Settings.ts"
import { ChannelKind } from "../model/Constants.ts"
import type { Change } from "../model/Records.ts"
import { Store } from "./Store.ts"

/** Avatar colors on which white letters are readable. */
const avatarColors = ["#4a55c8", "#0d7d74", "#b3471d", "#7a4fc9", "#2b67c4", "#a8326e"]

/** The changes that a store begins with: one guild with a channel, its people, one application with its bot. */
export const seedChanges = (settings: Settings): ReadonlyArray<Change> => {
  const changes: Array<Change> = []
  seedStore(new Store([], (change) => changes.push(change), settings.clock), settings)
  return changes
}

/** Whether a log ends before the first channel: earlier versions wrote the seed entry by entry. */
export const isSeedIncomplete = (history: ReadonlyArray<Change>): boolean =>
  history.every(({ kind }) => kind === "realm" || kind === "user")

const seedStore = (store: Store, settings: Settings): void => {
  const applicationId = store.ids.next()
  const guildId = store.ids.next()
  const people = settings.users.map((username) => ({ id: store.ids.next(), username }))
  const channelId = store.ids.next()
  const owner = people[0]?.id ?? applicationId
  store.commit({
    kind: "realm",
    value: {
      applicationId,
      botId: applicationId,
      botToken: tokenFor(applicationId),
      guildId,
      guildName: settings.guildName,
      ownerId: owner,
      everyoneRoleId: guildId,
      botRoleId: store.ids.next(),
      channelId,
      locale: settings.guildLocale,
      createdAt: store.timestamp()
    }
  })
  for (const { id, username } of people)
    addUser(
      store,
      username,
      id,
      Object.hasOwn(settings.locales, username) ? settings.locales[username] : settings.locale
    )
  store.commit({
    kind: "user",
    value: {
      id: applicationId,
      username: settings.botName,
      globalName: null,
      bot: true,
      avatarColor: avatarColors[0] ?? "#4d5a6b"
    }
  })
  store.commit({
    kind: "channel",
    value: {
      id: channelId,
      type: ChannelKind.text,
      name: settings.channelName,
      guildId,
      parentId: null,
      position: 0,
      topic: null,
      slowmode: 0
    }
  })
}

/** Sets the permissions of the bot's role to `botPermissions`, if they are given. */
export const setBotPermissions = (store: Store, { botPermissions }: Settings): void => {
  const role = store.roles.get(store.guild.botRoleId)
  if (botPermissions === undefined || role === undefined || role.permissions === String(botPermissions)) return
  store.commit({ kind: "role", value: { ...role, permissions: String(botPermissions) } })
}

/** Adds a person to the guild and returns the id. */
export const addUser = (store: Store, username: string, id = store.ids.next(), locale?: string): string => {
  const avatarColor = avatarColors[(store.users.size + 1) % avatarColors.length] ?? "#4d5a6b"
  const value = { id, username, globalName: null, bot: false, avatarColor, ...(locale === undefined ? {} : { locale }) }
  store.commit({ kind: "user", value })
  return id
}

/** Replaces the token of the bot. */
export const resetToken = (store: Store): void =>
  store.commit({ kind: "realm", value: { ...store.guild, botToken: tokenFor(store.guild.applicationId) } })

/** Three parts, as in Discord's tokens: some clients read the application id from the first. */
const tokenFor = (id: string): string =>
  `${Buffer.from(id).toString("base64url")}.${randomBytes(5).toString("base64url")}.${randomBytes(24).toString("base64url")}`
