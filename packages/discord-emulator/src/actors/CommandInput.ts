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
  /** The option being typed, when only its suggestions are wanted. */
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
}

/** The slash commands that a person may use, the guild's before the global ones of the same name. */
const commandsFor = ({ store }: Context, userId: string): ReadonlyArray<APIApplicationCommand> => {
  const own = store.commands(store.guild.guildId)
  const global = store
    .commands(null)
    .filter((one) => !own.some((other) => other.name === one.name && other.type === one.type))
  const held = guildPermissions(store, userId)
  return [...own, ...global].filter(({ default_member_permissions: needed }) => {
    if (needed === null || needed === undefined) return true
    if (needed === "0") return userId === store.guild.ownerId
    return (held & BigInt(needed)) === BigInt(needed)
  })
}

/** The same as that person's client shows them: with `name_localized` and `description_localized` of their language. */
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
  const [name = "", ...below] = input.path.trim().replace(/^\//, "").split(/\s+/)
  const command = commandsFor(context, userId).find((one) => one.name === name && one.type === 1)
  if (command === undefined) {
    const known = commandsFor(context, userId)
      .map((one) => `/${one.name}`)
      .join(", ")
    throw new ActorError(
      `There is no command /${name}. ${known === "" ? "The bot registered none." : `Known: ${known}.`}`
    )
  }
  const resolved: Resolved = { users: {}, members: {}, channels: {}, roles: {}, attachments: {} }
  const options = readLevel(
    { ...context, userId },
    (command.options ?? []) as ReadonlyArray<OptionShape>,
    below,
    input,
    resolved,
    `/${name}`
  )
  const used = Object.fromEntries(Object.entries(resolved).filter(([, entries]) => Object.keys(entries).length > 0))
  return {
    name: [name, ...below].join(" "),
    data: {
      id: command.id,
      name,
      type: 1,
      ...(options.length === 0 ? {} : { options }),
      ...(command.guild_id === undefined ? {} : { guild_id: command.guild_id }),
      ...(Object.keys(used).length === 0 ? {} : { resolved: used })
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

/** What commands in menus share; 2 are those of users, 3 those of messages. */
const menuCommand = (context: Context, userId: string, type: 2 | 3, name: string): JsonObject => {
  const commands = commandsFor(context, userId).filter((one) => one.type === type)
  const command = commands.find((one) => one.name === name)
  if (command === undefined) {
    const known = commands.map((one) => one.name).join(", ")
    const whose = type === 2 ? "user" : "message"
    throw new ActorError(`A ${whose}'s menu has no "${name}". ${known === "" ? "It is empty." : `It has: ${known}.`}`)
  }
  return { id: command.id, name, type, ...(command.guild_id === undefined ? {} : { guild_id: command.guild_id }) }
}

/** The emulator, and the user who runs the command. */
type UserContext = Context & { readonly userId: string }

type Resolved = Record<"users" | "members" | "channels" | "roles" | "attachments", Record<string, unknown>>

const readLevel = (
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
    const found = nested.find((shape) => shape.name === word)
    if (found === undefined)
      throw new ActorError(`${path} needs one of: ${nested.map((shape) => `${path} ${shape.name}`).join(", ")}`)
    const options = readLevel(context, found.options ?? [], rest, input, resolved, `${path} ${found.name}`)
    return [{ type: found.type, name: found.name, options }]
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
  at: string
): unknown => {
  const { render, userId, store } = context
  switch (shape.type) {
    case OptionType.string: {
      if (typeof value === "object") throw new ActorError(`${at} takes text`)
      const text = String(value)
      if (text.length < (shape.min_length ?? 0) || text.length > (shape.max_length ?? 6000))
        throw new ActorError(
          `${at} takes ${shape.min_length ?? 0} to ${shape.max_length ?? 6000} characters, not ${text.length}`
        )
      return requireChoice(shape, text, at)
    }
    case OptionType.integer:
    case OptionType.number: {
      const number = Number(value)
      if (!Number.isFinite(number) || (shape.type === OptionType.integer && !Number.isInteger(number)))
        throw new ActorError(`${at} takes a ${shape.type === OptionType.integer ? "whole " : ""}number`)
      if (number < (shape.min_value ?? -Infinity) || number > (shape.max_value ?? Infinity))
        throw new ActorError(`${at} takes ${shape.min_value ?? "any"} to ${shape.max_value ?? "any"}`)
      return requireChoice(shape, number, at)
    }
    case OptionType.boolean:
      if (value === true || value === "true") return true
      if (value === false || value === "false") return false
      throw new ActorError(`${at} takes true or false`)
    case OptionType.user:
    case OptionType.mentionable: {
      const wanted = String(value).replace(/^<@!?(\d+)>$/, "$1")
      const user = [...store.users.values()].find((one) => one.id === wanted || one.username === wanted)
      if (user === undefined && shape.type === OptionType.mentionable)
        return readValue(context, { ...shape, type: OptionType.role }, value, resolved, at)
      if (user === undefined) throw new ActorError(`${at}: there is no user ${wanted}`)
      const { user: _, deaf: __, mute: ___, ...member } = render.member(user.id)
      resolved.users[user.id] = render.user(user.id)
      resolved.members[user.id] = { ...member, permissions: String(guildPermissions(store, user.id)) }
      return user.id
    }
    case OptionType.channel: {
      const wanted = String(value)
        .replace(/^<?#(\d+)>$/, "$1")
        .replace(/^#/, "")
      const channel = [...store.channels.values()].find((one) => one.id === wanted || one.name === wanted)
      if (channel === undefined) throw new ActorError(`${at}: there is no channel ${wanted}`)
      resolved.channels[channel.id] = {
        ...render.channel(channel),
        permissions: String(permissionsIn(store, userId, channel))
      }
      return channel.id
    }
    case OptionType.role: {
      const wanted = String(value).replace(/^<@&(\d+)>$/, "$1")
      const role = [...store.roles.values()].find((one) => one.id === wanted || one.name === wanted)
      if (role === undefined) throw new ActorError(`${at}: there is no role ${wanted}`)
      resolved.roles[role.id] = render.role(role)
      return role.id
    }
    case OptionType.attachment: {
      if (typeof value !== "object") throw new ActorError(`${at} takes a file`)
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
      throw new ActorError(`${at} has an option type that is not known: ${shape.type}`)
  }
}

const requireChoice = (shape: OptionShape, value: string | number, at: string): string | number => {
  if (shape.choices === undefined || shape.choices.length === 0) return value
  const found = shape.choices.find((choice) => choice.value === value || choice.name === value)
  if (found === undefined)
    throw new ActorError(`${at} takes one of: ${shape.choices.map((choice) => choice.name).join(", ")}`)
  return found.value
}
