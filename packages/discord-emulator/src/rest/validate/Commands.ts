import type { APIApplicationCommand } from "discord-api-types/v10"
import { Option } from "../../state/Codes.ts"
import { refuse } from "../DiscordError.ts"
import { checkedAs, type Fields, Form, type Path } from "./Form.ts"
import { readLocalizations } from "./Localizations.ts"

/** Checks a whole set of commands, as a bulk overwrite sends it. */
export const readCommands = (body: unknown): ReadonlyArray<Partial<APIApplicationCommand>> => {
  const form = new Form()
  if (!Array.isArray(body)) {
    form.add([], "LIST_TYPE_CONVERT", "Only iterables may be used in a ListType")
    form.check()
    return []
  }
  const commands = body.map((value: unknown, index) => readOne(form, value, [index]))
  const names = commands.map((command) => `${command.type} ${command.name}`)
  names.forEach((name, index) => {
    if (names.indexOf(name) < index)
      form.add([index, "name"], "APPLICATION_COMMANDS_DUPLICATE_NAME", "Application command names must be unique")
  })
  form.check()
  demandRoom(commands)
  return commands
}

/** Throws 30032 above 100 slash commands, or 15 for the menus of users or messages. */
export const demandRoom = (commands: ReadonlyArray<Partial<APIApplicationCommand>>): void => {
  const count = (type: number): number => commands.filter((command) => command.type === type).length
  if (count(1) > 100) throw refuse.tooMany(30_032, "application commands", 100)
  if (count(2) > 15 || count(3) > 15) throw refuse.tooMany(30_032, "application commands", 15)
}

/** Checks one command. */
export const readCommand = (body: unknown): Partial<APIApplicationCommand> => {
  const form = new Form()
  const command = readOne(form, body, [])
  form.check()
  return command
}

const slashName = /^[-_'\p{L}\p{N}\p{sc=Devanagari}\p{sc=Thai}]{1,32}$/u

const readOne = (form: Form, value: unknown, path: Path): Partial<APIApplicationCommand> => {
  const fields = form.object(value, path) ?? {}
  const type = form.choice(fields, "type", path, [1, 2, 3, 4]) ?? 1
  readName(form, fields, path, type === 1)
  if (type === 1) form.text(fields, "description", path, { min: 1, max: 100, required: true })
  readTranslations(form, fields, path, type === 1)
  const options = readOptions(form, fields, path)
  const needed = form.bits(fields, "default_member_permissions", path)
  if (sizeOf(fields) > 8000) form.add(path, "APPLICATION_COMMAND_TOO_LARGE", "Command exceeds maximum size (8000)")
  return checkedAs({
    type,
    name: fields["name"],
    name_localizations: fields["name_localizations"] ?? null,
    description: fields["description"] ?? "",
    description_localizations: fields["description_localizations"] ?? null,
    ...(options === undefined ? {} : { options }),
    default_member_permissions: needed === undefined ? null : String(needed),
    dm_permission: fields["dm_permission"] !== false,
    nsfw: fields["nsfw"] === true,
    integration_types: fields["integration_types"] ?? [0],
    contexts: fields["contexts"] ?? null
  })
}

/** Other languages keep the rules of the texts that they stand for. */
const readTranslations = (form: Form, fields: Fields, path: Path, slash: boolean): void => {
  readLocalizations(form, fields, "name_localizations", path, (texts, locale, at) =>
    readName(form, texts, at, slash, locale)
  )
  readLocalizations(form, fields, "description_localizations", path, (texts, locale, at) =>
    form.text(texts, locale, at, { min: 1, max: 100 })
  )
}

const readName = (form: Form, fields: Fields, path: Path, slash: boolean, key = "name"): void => {
  const name = form.text(fields, key, path, { min: 1, max: 32, required: true })
  if (name === undefined || !slash) return
  if (!slashName.test(name) || name !== name.toLowerCase())
    form.add(
      [...path, key],
      "APPLICATION_COMMAND_INVALID_NAME",
      "Command name is invalid: lower case letters, digits, - and _ only"
    )
}

const readOptions = (form: Form, fields: Fields, path: Path): ReadonlyArray<Fields> | undefined => {
  const list = form.list(fields, "options", path, { max: 25 })
  let optional = false
  return list?.map((value, index) => {
    const at = [...path, "options", index]
    const option = form.object(value, at) ?? {}
    const type = form.choice(option, "type", at, Object.values(Option))
    if (option["type"] === undefined) form.required([...at, "type"])
    readName(form, option, at, true)
    form.text(option, "description", at, { min: 1, max: 100, required: true })
    readTranslations(form, option, at, true)
    form.integer(option, "min_length", at, { min: 0, max: 6000 })
    form.integer(option, "max_length", at, { min: 1, max: 6000 })
    if (option["required"] === true && optional)
      form.add(
        [...at, "required"],
        "APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID",
        "Required options must be placed before non-required options"
      )
    if (option["required"] !== true && type !== Option.subcommand && type !== Option.group) optional = true
    const choices = form.list(option, "choices", at, { max: 25 })
    choices?.forEach((choice, place) => {
      const entry = form.object(choice, [...at, "choices", place]) ?? {}
      form.text(entry, "name", [...at, "choices", place], { min: 1, max: 100, required: true })
      if (entry["value"] === undefined) form.required([...at, "choices", place, "value"])
    })
    const nested = readOptions(form, option, at)
    return nested === undefined ? option : { ...option, options: nested }
  })
}

/** Names, descriptions and values count, in whichever language is longest; here the longest text of each. */
const sizeOf = (fields: Fields): number => {
  const longest = (key: string): number => {
    const texts = [fields[key], ...Object.values((fields[`${key}_localizations`] ?? {}) as Fields)]
    return Math.max(0, ...texts.map((text) => (typeof text === "string" ? [...text].length : 0)))
  }
  const inside = ["options", "choices"].flatMap((key) =>
    Array.isArray(fields[key]) ? (fields[key] as ReadonlyArray<unknown>) : []
  )
  const own =
    longest("name") + longest("description") + (typeof fields["value"] === "string" ? fields["value"].length : 0)
  return inside.reduce<number>(
    (sum, value) => sum + (typeof value === "object" && value !== null ? sizeOf(value as Fields) : 0),
    own
  )
}
