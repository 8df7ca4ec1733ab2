import type { APIApplicationCommandBasicOption, APIApplicationCommandOption } from "discord-api-types/v10"
import { OptionType } from "../../src/model/Constants.ts"
import type { Command, Localized } from "./Types.ts"

/** A command or subcommand that a person can run, with its full path ("task new"). */
export interface RunnableCommand {
  readonly path: string
  /** The path in the person's language. */
  readonly localizedPath: string
  readonly description: string
  readonly options: ReadonlyArray<APIApplicationCommandBasicOption>
}

/** The input of one option: its visible text, and the value of a chosen suggestion or file. */
export interface OptionInput {
  readonly text: string
  readonly value?: string | number | boolean
  readonly file?: File
}

/** All runnable commands, in the bot's order. */
export const runnableCommands = (commands: ReadonlyArray<Command>): ReadonlyArray<RunnableCommand> =>
  commands
    .filter((command) => command.type === undefined || command.type === 1)
    .flatMap((command) => commandsIn(command.name, nameIn(command), descriptionIn(command), command.options ?? []))

/** Whether a command can be used in direct messages with its bot. */
export const isAllowedInDirect = ({ contexts, dm_permission: allowed, guild_id: guild }: Command): boolean =>
  guild === undefined && (contexts?.includes(1) ?? allowed !== false)

/** The name of a command, option or choice in the person's language. */
export const nameIn = (text: { readonly name: string } & Localized): string => text.name_localized ?? text.name

/** The description of a command or option in the person's language. */
export const descriptionIn = (text: { readonly description: string } & Localized): string =>
  text.description_localized ?? text.description

/** The commands to start with: the first of each name. */
export const suggestedCommands = (commands: ReadonlyArray<RunnableCommand>): ReadonlyArray<RunnableCommand> => {
  const names = commands.map(({ path }) => path.split(" ")[0])
  return commands.filter((_, index) => names.indexOf(names[index]) === index).slice(0, 6)
}

/** Finds the commands that match a text, best first: path prefix, word prefix, then anywhere. */
export const searchCommands = (
  commands: ReadonlyArray<RunnableCommand>,
  typed: string
): ReadonlyArray<RunnableCommand> => {
  const query = typed.trim().toLowerCase().replace(/\s+/g, " ")
  if (query === "") return commands
  const rank = (item: RunnableCommand): number => {
    const paths = [item.path, item.localizedPath.toLowerCase()]
    if (paths.some((path) => path.startsWith(query))) return 0
    if (paths.some((path) => path.split(" ").some((word) => word.startsWith(query)))) return 1
    if (paths.some((path) => path.includes(query))) return 2
    // One or two letters occur in every description.
    return query.length > 2 && item.description.toLowerCase().includes(query) ? 3 : 4
  }
  return commands
    .map((item) => ({ item, rank: rank(item) }))
    .filter((entry) => entry.rank < 4)
    .sort((a, b) => a.rank - b.rank)
    .map((entry) => entry.item)
}

/** Finds the command that the text already spells out ("task new …"), with the rest of the text. */
export const typedCommand = (
  commands: ReadonlyArray<RunnableCommand>,
  typed: string
): { readonly command: RunnableCommand; readonly rest: string } | undefined => {
  const match = commands
    .flatMap((command) => [command.path, command.localizedPath].map((path) => ({ command, path: path.toLowerCase() })))
    .filter(({ path }) => typed.toLowerCase().startsWith(`${path} `))
    .sort((a, b) => b.path.length - a.path.length)[0]
  return match === undefined ? undefined : { command: match.command, rest: typed.slice(match.path.length + 1) }
}

/** Reads the value of an option, or the problem with it. An empty optional option has neither. */
export const readOption = (
  option: APIApplicationCommandBasicOption,
  input: OptionInput | undefined
): { readonly value?: string | number | boolean | File; readonly problem?: string } => {
  const text = input?.text.trim() ?? ""
  if (input?.file !== undefined) return { value: input.file }
  if (text === "") return option.required === true ? { problem: "is required" } : {}
  if (input?.value !== undefined) return { value: input.value }
  const chosen = choicesOf(option).find((choice) => choice.name.toLowerCase() === text.toLowerCase())
  if (chosen !== undefined) return { value: chosen.value }
  switch (option.type) {
    case OptionType.string:
      return choicesOf(option).length > 0 ? { problem: "must be one of its choices" } : readText(option, text)
    case OptionType.integer:
    case OptionType.number:
      return readNumber(option, text)
    case OptionType.boolean:
      if (/^(true|yes)$/i.test(text)) return { value: true }
      return /^(false|no)$/i.test(text) ? { value: false } : { problem: "must be True or False" }
    case OptionType.attachment:
      return { problem: "needs a file" }
    default:
      return { problem: "must be picked from the list" }
  }
}

/** Lists the fixed choices of an option; a boolean has two. */
export const choicesOf = (
  option: APIApplicationCommandBasicOption
): ReadonlyArray<{ readonly name: string; readonly value: string | number | boolean }> => {
  if (option.type === OptionType.boolean) {
    return [
      { name: "True", value: true },
      { name: "False", value: false }
    ]
  }
  return "choices" in option && option.choices !== undefined
    ? option.choices.map((choice) => ({ name: nameIn(choice), value: choice.value }))
    : []
}

const commandsIn = (
  path: string,
  localizedPath: string,
  description: string,
  options: ReadonlyArray<APIApplicationCommandOption>
): ReadonlyArray<RunnableCommand> => {
  const nested = options.filter((option) => option.type === OptionType.subcommand || option.type === OptionType.group)
  if (nested.length === 0) {
    return [{ path, localizedPath, description, options: options.filter(isBasic) }]
  }
  return nested.flatMap((option) =>
    commandsIn(
      `${path} ${option.name}`,
      `${localizedPath} ${nameIn(option)}`,
      descriptionIn(option),
      "options" in option ? (option.options ?? []) : []
    )
  )
}

const isBasic = (option: APIApplicationCommandOption): option is APIApplicationCommandBasicOption =>
  option.type !== OptionType.subcommand && option.type !== OptionType.group

const readText = (option: APIApplicationCommandBasicOption, text: string) => {
  const { min_length: min, max_length: max } = option as { min_length?: number; max_length?: number }
  if (min !== undefined && text.length < min) return { problem: `needs at least ${min} characters` }
  if (max !== undefined && text.length > max) return { problem: `takes at most ${max} characters` }
  return { value: text }
}

const readNumber = (option: APIApplicationCommandBasicOption, text: string) => {
  const { min_value: min, max_value: max } = option as { min_value?: number; max_value?: number }
  const value = Number(text)
  if (!Number.isFinite(value)) return { problem: "must be a number" }
  if (option.type === OptionType.integer && !Number.isSafeInteger(value)) return { problem: "must be a whole number" }
  if (min !== undefined && value < min) return { problem: `must be ${min} or more` }
  if (max !== undefined && value > max) return { problem: `must be ${max} or less` }
  return { value }
}
