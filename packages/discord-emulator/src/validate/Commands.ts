import type { APIApplicationCommand } from "discord-api-types/v10"
import { apiErrors } from "../model/DiscordError.ts"
import { readName, readOptions, readTranslations } from "./CommandOptions.ts"
import { checkedAs, type JsonObject, Form, type Path } from "./Form.ts"

/** Checks a whole set of commands, as a bulk overwrite sends it. */
export const readCommands = (body: unknown): ReadonlyArray<Partial<APIApplicationCommand>> => {
  const form = new Form()
  if (!Array.isArray(body)) {
    form.addError([], "LIST_TYPE_CONVERT", "Only iterables may be used in a ListType")
    form.throwIfInvalid()
    return []
  }
  const commands = body.map((value: unknown, index) => readFields(form, value, [index]))
  const names = commands.map((command) => `${command.type} ${command.name}`)
  names.forEach((name, index) => {
    if (names.indexOf(name) < index)
      form.addError([index, "name"], "APPLICATION_COMMANDS_DUPLICATE_NAME", "Application command names must be unique")
  })
  form.throwIfInvalid()
  requireCommandLimits(commands)
  return commands
}

/** Throws 30032 above 100 slash commands, or 15 for the menus of users or messages. */
export const requireCommandLimits = (commands: ReadonlyArray<Partial<APIApplicationCommand>>): void => {
  const count = (type: number): number => commands.filter((command) => command.type === type).length
  if (count(1) > 100) throw apiErrors.tooMany(30_032, "application commands", 100)
  if (count(2) > 15 || count(3) > 15) throw apiErrors.tooMany(30_032, "application commands", 15)
}

/** Checks one command. */
export const readCommand = (body: unknown): Partial<APIApplicationCommand> => {
  const form = new Form()
  const command = readFields(form, body, [])
  form.throwIfInvalid()
  return command
}

const readFields = (form: Form, value: unknown, path: Path): Partial<APIApplicationCommand> => {
  const fields = form.object(value, path) ?? {}
  const type = form.choice(fields, "type", path, [1, 2, 3, 4]) ?? 1
  readName(form, fields, path, type === 1)
  if (type === 1) form.text(fields, "description", path, { min: 1, max: 100, required: true })
  else checkContextMenuCommand(form, fields, path)
  readTranslations(form, fields, path, type === 1)
  const options = type === 1 ? readOptions(form, fields, path) : undefined
  const permissions = form.bits(fields, "default_member_permissions", path)
  if (sizeOf(fields) > 8000) form.addError(path, "APPLICATION_COMMAND_TOO_LARGE", "Command exceeds maximum size (8000)")
  return checkedAs({
    type,
    name: fields["name"],
    name_localizations: fields["name_localizations"] ?? null,
    description: fields["description"] ?? "",
    description_localizations: fields["description_localizations"] ?? null,
    ...(options === undefined ? {} : { options }),
    default_member_permissions: permissions === undefined ? null : String(permissions),
    dm_permission: fields["dm_permission"] !== false,
    nsfw: fields["nsfw"] === true,
    integration_types: fields["integration_types"] ?? [0],
    contexts: fields["contexts"] ?? null
  })
}

/** Context menu commands have neither description nor options. */
const checkContextMenuCommand = (form: Form, fields: JsonObject, path: Path): void => {
  if (fields["description"] !== undefined && fields["description"] !== null && fields["description"] !== "")
    form.addError(
      [...path, "description"],
      "APPLICATION_COMMAND_CONTEXT_MENU_DESCRIPTION_INVALID",
      "Context menu commands cannot have description"
    )
  if (Array.isArray(fields["options"]) && fields["options"].length > 0)
    form.addError(
      [...path, "options"],
      "APPLICATION_COMMAND_CONTEXT_MENU_OPTIONS_INVALID",
      "Context menu commands cannot have options"
    )
}

/** The length of names, descriptions and values; of the translations, the longest of each counts. */
const sizeOf = (fields: JsonObject): number => {
  const longest = (key: string): number => {
    const texts = [fields[key], ...Object.values((fields[`${key}_localizations`] ?? {}) as JsonObject)]
    return Math.max(0, ...texts.map((text) => (typeof text === "string" ? [...text].length : 0)))
  }
  const nested = ["options", "choices"].flatMap((key) =>
    Array.isArray(fields[key]) ? (fields[key] as ReadonlyArray<unknown>) : []
  )
  const ownSize =
    longest("name") + longest("description") + (typeof fields["value"] === "string" ? fields["value"].length : 0)
  return nested.reduce<number>(
    (sum, value) => sum + (typeof value === "object" && value !== null ? sizeOf(value as JsonObject) : 0),
    ownSize
  )
}
