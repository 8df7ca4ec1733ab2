import { randomBytes } from "node:crypto"
import type { Settings } from "../settings/Settings.ts"
import { ChannelKind } from "../model/Constants.ts"
import type { Change } from "../model/Records.ts"
import { World } from "./World.ts"

/** White letters are readable on each. */
const colors = ["#4a55c8", "#0d7d74", "#b3471d", "#7a4fc9", "#2b67c4", "#a8326e"]

/** The changes that a world begins with: one guild with a channel, its people, one application with its bot. */
export const genesis = (settings: Settings): ReadonlyArray<Change> => {
  const changes: Array<Change> = []
  createWorld(new World([], (change) => changes.push(change), settings.clock), settings)
  return changes
}

/** Whether a log breaks off before its world was there: earlier versions wrote the beginning piece by piece. */
export const isUnfinished = (history: ReadonlyArray<Change>): boolean =>
  history.every(({ kind }) => kind === "realm" || kind === "user")

const createWorld = (world: World, settings: Settings): void => {
  const applicationId = world.ids.next()
  const guildId = world.ids.next()
  const people = settings.users.map((username) => ({ id: world.ids.next(), username }))
  const channelId = world.ids.next()
  const owner = people[0]?.id ?? applicationId
  world.commit({
    kind: "realm",
    value: {
      applicationId,
      botId: applicationId,
      botToken: tokenFor(applicationId),
      guildId,
      guildName: settings.guildName,
      ownerId: owner,
      everyoneRoleId: guildId,
      botRoleId: world.ids.next(),
      channelId,
      locale: settings.guildLocale,
      createdAt: world.timestamp()
    }
  })
  for (const { id, username } of people)
    addUser(
      world,
      username,
      id,
      Object.hasOwn(settings.locales, username) ? settings.locales[username] : settings.locale
    )
  world.commit({
    kind: "user",
    value: {
      id: applicationId,
      username: settings.botName,
      globalName: null,
      bot: true,
      avatarColor: colors[0] ?? "#4d5a6b"
    }
  })
  world.commit({
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

/** Gives the bot the permissions it was invited with, also into a world that was there before. */
export const invite = (world: World, { botPermissions }: Settings): void => {
  const role = world.roles.get(world.realm.botRoleId)
  if (botPermissions === undefined || role === undefined || role.permissions === String(botPermissions)) return
  world.commit({ kind: "role", value: { ...role, permissions: String(botPermissions) } })
}

/** Makes a person, who is a member of the guild from then on, and gives their id. */
export const addUser = (world: World, username: string, id = world.ids.next(), locale?: string): string => {
  const avatarColor = colors[(world.users.size + 1) % colors.length] ?? "#4d5a6b"
  const value = { id, username, globalName: null, bot: false, avatarColor, ...(locale === undefined ? {} : { locale }) }
  world.commit({ kind: "user", value })
  return id
}

/** Gives the application another token; the old one is worth nothing from now on. */
export const resetToken = (world: World): void =>
  world.commit({ kind: "realm", value: { ...world.realm, botToken: tokenFor(world.realm.applicationId) } })

/** Three parts as Discord's tokens have, so that clients that read the id out of it can. */
const tokenFor = (id: string): string =>
  `${Buffer.from(id).toString("base64url")}.${randomBytes(5).toString("base64url")}.${randomBytes(24).toString("base64url")}`
