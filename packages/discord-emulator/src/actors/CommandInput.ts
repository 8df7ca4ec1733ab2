import type { APIApplicationCommand } from "discord-api-types/v10"
import type { Context } from "../context/Context.ts"
import type { JsonObject } from "../validate/Form.ts"
import { localized } from "../validate/Localizations.ts"
import { OptionType } from "../model/Constants.ts"
import type { StoredMessage } from "../model/Records.ts"
import { guildPermissions, permissionsIn } from "../state/Permissions.ts"
import { ActorError } from "./ActorError.ts"

/** A file as a person picks it. */
export interface PickedFile {
  readonly name: string
  readonly data: Uint8Array
  readonly contentType?: string
}

/** What a person may enter for an option; users and channels by id or name. */
export type OptionValue = string | number | boolean | PickedFile

/** A command as typed: the words of its path and the values of its options. */
export interface CommandInput {
  readonly path: string
  readonly options: Readonly<Record<string, OptionValue>>
  /** The option that the user is typing; set for autocomplete. */
  readonly focused?: string
}

interface OptionShape {
  readonly type: number
  readonly name: string
  readonly required?: boolean
  readonly autocomplete?: boolean
  readonly choices?: ReadonlyArray<{ readonly name: string; readonly value: string | number }>
  readonly options?: ReadonlyArray<OptionShape>
  readonly min_value?: number
  readonly max_value?: number
  readonly min_length?: number
  readonly max_length?: number
  readonly channel_types?: ReadonlyArray<number>
}

/** The slash commands that a person may use, the guild's before the global ones of the same name. */
const commandsFor = ({ store }: Context, userId: string): ReadonlyArray<APIApplicationCommand> => {
  const guildCommands = store.commands(store.guild.guildId)
  const globalCommands = store
    .commands(null)
    .filter(
      (command) =>
        !guildCommands.some((guildCommand) => guildCommand.name === command.name && guildCommand.type === command.type)
    )
  const permissions = guildPermissions(store, userId)
  return [...guildCommands, ...globalCommands].filter(({ default_member_permissions: required }) => {
    if (required === null || required === undefined) return true
    if (required === "0") return userId === store.guild.ownerId
    return (permissions & BigInt(required)) === BigInt(required)
  })
}

/** The slash commands with `name_localized` and `description_localized` in the language of the person's client. */
export const localizedCommandsFor = (context: Context, userId: string): unknown =>
  localized(commandsFor(context, userId), localeOf(context, userId))

/** The language of a person's client. */
export const localeOf = ({ store }: Context, userId: string): string => store.users.get(userId)?.locale ?? "en-US"

/** Checks a command as Discord's client does, and returns the `data` of the interaction. */
export const readCommandInput = (
  context: Context,
  userId: string,
  input: CommandInput
): { readonly name: string; readonly data: JsonObject } => {
  const [name = "", ...subcommandWords] = input.path.trim().replace(/^\//, "").split(/\s+/)
  const command = commandsFor(context, userId).find((candidate) => candidate.name === name && candidate.type === 1)
  if (command === undefined) {
    const names = commandsFor(context, userId)
      .map((command) => `/${command.name}`)
      .join(", ")
    throw new ActorError(
      `There is no command /${name}. ${names === "" ? "The bot registered none." : `Known: ${names}.`}`
    )
  }
  const resolved: Resolved = { users: {}, members: {}, channels: {}, roles: {}, attachments: {} }
  const options = readOptionLevel(
    { ...context, userId },
    (command.options ?? []) as ReadonlyArray<OptionShape>,
    subcommandWords,
    input,
    resolved,
    `/${name}`
  )
  const usedResolved = Object.fromEntries(
    Object.entries(resolved).filter(([, entries]) => Object.keys(entries).length > 0)
  )
  return {
    name: [name, ...subcommandWords].join(" "),
    data: {
      id: command.id,
      name,
      type: 1,
      ...(options.length === 0 ? {} : { options }),
      ...(command.guild_id === undefined ? {} : { guild_id: command.guild_id }),
      ...(Object.keys(usedResolved).length === 0 ? {} : { resolved: usedResolved })
    }
  }
}

/** The `data` of an interaction by a command in the menu of a message. */
export const readMessageCommand = (
  context: Context,
  userId: string,
  message: StoredMessage,
  name: string
): JsonObject => ({
  ...menuCommand(context, userId, 3, name),
  target_id: message.id,
  resolved: { messages: { [message.id]: context.render.message(message, context.store.guild.botId) } }
})

/** The `data` of an interaction by a command in the menu of a person or bot. */
export const readUserCommand = (context: Context, userId: string, targetId: string, name: string): JsonObject => {
  const { render, store } = context
  if (!store.users.has(targetId)) throw new ActorError(`There is no user ${targetId}`)
  const { user: _, deaf: __, mute: ___, ...member } = render.member(targetId)
  const permissions = String(guildPermissions(store, targetId))
  return {
    ...menuCommand(context, userId, 2, name),
    target_id: targetId,
    resolved: {
      users: { [targetId]: render.user(targetId) },
      ...(store.members.has(targetId) ? { members: { [targetId]: { ...member, permissions } } } : {})
    }
  }
}

/** The fields that user commands (type 2) and message commands (type 3) share. */
const menuCommand = (context: Context, userId: string, type: 2 | 3, name: string): JsonObject => {
  const commands = commandsFor(context, userId).filter((command) => command.type === type)
  const command = commands.find((candidate) => candidate.name === name)
  if (command === undefined) {
    const names = commands.map((command) => command.name).join(", ")
    const whose = type === 2 ? "user" : "message"
    throw new ActorError(`A ${whose}'s menu has no "${name}". ${names === "" ? "It is empty." : `It has: ${names}.`}`)
  }
  return { id: command.id, name, type, ...(command.guild_id === undefined ? {} : { guild_id: command.guild_id }) }
}

/** The emulator, and the user who runs the command. */
type UserContext = Context & { readonly userId: string }

type Resolved = Record<"users" | "members" | "channels" | "roles" | "attachments", Record<string, unknown>>

const readOptionLevel = (
  context: UserContext,
  shapes: ReadonlyArray<OptionShape>,
  words: ReadonlyArray<string>,
  input: CommandInput,
  resolved: Resolved,
  path: string
): ReadonlyArray<JsonObject> => {
  const nested = shapes.filter(({ type }) => type === OptionType.subcommand || type === OptionType.group)
  const [word, ...rest] = words
  if (nested.length > 0) {
    const subcommand = nested.find((shape) => shape.name === word)
    if (subcommand === undefined)
      throw new ActorError(`${path} needs one of: ${nested.map((shape) => `${path} ${shape.name}`).join(", ")}`)
    const options = readOptionLevel(
      context,
      subcommand.options ?? [],
      rest,
      input,
      resolved,
      `${path} ${subcommand.name}`
    )
    return [{ type: subcommand.type, name: subcommand.name, options }]
  }
  if (word !== undefined) throw new ActorError(`${path} has no subcommand ${word}`)
  const unknown = Object.keys(input.options).find((key) => !shapes.some((shape) => shape.name === key))
  if (unknown !== undefined)
    throw new ActorError(
      `${path} has no option ${unknown}. It has: ${shapes.map((shape) => shape.name).join(", ") || "none"}`
    )
  return shapes.flatMap((shape): ReadonlyArray<JsonObject> => {
    const value = input.options[shape.name]
    if (input.focused !== undefined) {
      const focused = shape.name === input.focused
      if (value === undefined && !focused) return []
      return [{ type: shape.type, name: shape.name, value: value ?? "", ...(focused ? { focused: true } : {}) }]
    }
    if (value === undefined) {
      if (shape.required === true) throw new ActorError(`${path}: the option ${shape.name} is required`)
      return []
    }
    return [
      { type: shape.type, name: shape.name, value: readValue(context, shape, value, resolved, `${path} ${shape.name}`) }
    ]
  })
}

const readValue = (
  context: UserContext,
  shape: OptionShape,
  value: OptionValue,
  resolved: Resolved,
  optionPath: string
): unknown => {
  const { render, userId, store } = context
  switch (shape.type) {
    case OptionType.string: {
      if (typeof value === "object") throw new ActorError(`${optionPath} takes text`)
      const text = String(value)
      if (text.length < (shape.min_length ?? 0) || text.length > (shape.max_length ?? 6000))
        throw new ActorError(
          `${optionPath} takes ${shape.min_length ?? 0} to ${shape.max_length ?? 6000} characters, not ${text.length}`
        )
      return requireChoice(shape, text, optionPath)
    }
    case OptionType.integer:
    case OptionType.number: {
      const number = Number(value)
      if (!Number.isFinite(number) || (shape.type === OptionType.integer && !Number.isInteger(number)))
        throw new ActorError(`${optionPath} takes a ${shape.type === OptionType.integer ? "whole " : ""}number`)
      if (number < (shape.min_value ?? -Infinity) || number > (shape.max_value ?? Infinity))
        throw new ActorError(`${optionPath} takes ${shape.min_value ?? "any"} to ${shape.max_value ?? "any"}`)
      return requireChoice(shape, number, optionPath)
    }
    case OptionType.boolean:
      if (value === true || value === "true") return true
      if (value === false || value === "false") return false
      throw new ActorError(`${optionPath} takes true or false`)
    case OptionType.user:
    case OptionType.mentionable: {
      const idOrName = String(value).replace(/^<@!?(\d+)>$/, "$1")
      const user = [...store.users.values()].find((entry) => entry.id === idOrName || entry.username === idOrName)
      if (user === undefined && shape.type === OptionType.mentionable)
        return readValue(context, { ...shape, type: OptionType.role }, value, resolved, optionPath)
      if (user === undefined) throw new ActorError(`${optionPath}: there is no user ${idOrName}`)
      const { user: _, deaf: __, mute: ___, ...member } = render.member(user.id)
      resolved.users[user.id] = render.user(user.id)
      resolved.members[user.id] = { ...member, permissions: String(guildPermissions(store, user.id)) }
      return user.id
    }
    case OptionType.channel: {
      const idOrName = String(value)
        .replace(/^<?#(\d+)>$/, "$1")
        .replace(/^#/, "")
      const channel = [...store.channels.values()].find(
        (entry) =>
          (entry.id === idOrName || entry.name === idOrName) && shape.channel_types?.includes(entry.type) !== false
      )
      if (channel === undefined) throw new ActorError(`${optionPath}: there is no channel ${idOrName}`)
      resolved.channels[channel.id] = {
        ...render.channel(channel),
        permissions: String(permissionsIn(store, userId, channel))
      }
      return channel.id
    }
    case OptionType.role: {
      const idOrName = String(value).replace(/^<@&(\d+)>$/, "$1")
      const role = [...store.roles.values()].find((entry) => entry.id === idOrName || entry.name === idOrName)
      if (role === undefined) throw new ActorError(`${optionPath}: there is no role ${idOrName}`)
      resolved.roles[role.id] = render.role(role)
      return role.id
    }
    case OptionType.attachment: {
      if (typeof value !== "object") throw new ActorError(`${optionPath} takes a file`)
      const stored = context.messages.upload({
        field: "0",
        name: value.name,
        data: value.data,
        contentType: value.contentType
      })
      resolved.attachments[stored.id] = { ...render.attachment("0", stored), ephemeral: true }
      return stored.id
    }
    default:
      throw new ActorError(`${optionPath} has an option type that is not known: ${shape.type}`)
  }
}

const requireChoice = (shape: OptionShape, value: string | number, optionPath: string): string | number => {
  if (shape.choices === undefined || shape.choices.length === 0) return value
  const match = shape.choices.find((choice) => choice.value === value || choice.name === value)
  if (match === undefined)
    throw new ActorError(`${optionPath} takes one of: ${shape.choices.map((choice) => choice.name).join(", ")}`)
  return match.value
}
