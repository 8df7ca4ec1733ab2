import type { APIApplicationCommandBasicOption, APIApplicationCommandOption } from "discord-api-types/v10"
import { OptionType } from "../../src/model/Constants.ts"
import type { Command, Localized } from "./Types.ts"

/** What a person can run: a command, or one subcommand of it, with its whole path ("task new"). */
export interface RunnableCommand {
  readonly path: string
  /** The path in the person's language. */
  readonly shown: string
  readonly description: string
  readonly options: ReadonlyArray<APIApplicationCommandBasicOption>
}

/** What a person put into one option: the text they see, and the value behind a chosen suggestion or file. */
export interface OptionInput {
  readonly text: string
  readonly value?: string | number | boolean
  readonly file?: File
}

/** Lists everything that can be run, in the bot's order. */
export const runnableCommands = (commands: ReadonlyArray<Command>): ReadonlyArray<RunnableCommand> =>
  commands
    .filter((command) => command.type === undefined || command.type === 1)
    .flatMap((command) => commandsIn(command.name, nameIn(command), descriptionIn(command), command.options ?? []))

/** Whether a command can be used in direct messages with its bot. */
export const isAllowedInDirect = ({ contexts, dm_permission: allowed, guild_id: guild }: Command): boolean =>
  guild === undefined && (contexts?.includes(1) ?? allowed !== false)

/** Returns what something is called in the person's language. */
export const nameIn = (one: { readonly name: string } & Localized): string => one.name_localized ?? one.name

/** Returns what describes something in the person's language. */
export const descriptionIn = (one: { readonly description: string } & Localized): string =>
  one.description_localized ?? one.description

/** Lists what to begin with: of commands under one name the first, the others show as soon as somebody types. */
export const suggestedCommands = (all: ReadonlyArray<RunnableCommand>): ReadonlyArray<RunnableCommand> => {
  const names = all.map(({ path }) => path.split(" ")[0])
  return all.filter((_, index) => names.indexOf(names[index]) === index).slice(0, 6)
}

/** Finds the commands that match a text, best first: path prefix, word prefix, then anywhere. */
export const searchCommands = (all: ReadonlyArray<RunnableCommand>, typed: string): ReadonlyArray<RunnableCommand> => {
  const wanted = typed.trim().toLowerCase().replace(/\s+/g, " ")
  if (wanted === "") return all
  const rank = (item: RunnableCommand): number => {
    const paths = [item.path, item.shown.toLowerCase()]
    if (paths.some((path) => path.startsWith(wanted))) return 0
    if (paths.some((path) => path.split(" ").some((word) => word.startsWith(wanted)))) return 1
    if (paths.some((path) => path.includes(wanted))) return 2
    // One or two letters occur in every description.
    return wanted.length > 2 && item.description.toLowerCase().includes(wanted) ? 3 : 4
  }
  return all
    .map((item) => ({ item, rank: rank(item) }))
    .filter((entry) => entry.rank < 4)
    .sort((a, b) => a.rank - b.rank)
    .map((entry) => entry.item)
}

/** Finds the command that the text already spells out ("task new …"), with the rest of the text. */
export const typedCommand = (
  all: ReadonlyArray<RunnableCommand>,
  typed: string
): { readonly command: RunnableCommand; readonly rest: string } | undefined => {
  const found = all
    .flatMap((command) => [command.path, command.shown].map((path) => ({ command, path: path.toLowerCase() })))
    .filter(({ path }) => typed.toLowerCase().startsWith(`${path} `))
    .sort((a, b) => b.path.length - a.path.length)[0]
  return found === undefined ? undefined : { command: found.command, rest: typed.slice(found.path.length + 1) }
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
  shown: string,
  description: string,
  options: ReadonlyArray<APIApplicationCommandOption>
): ReadonlyArray<RunnableCommand> => {
  const nested = options.filter((option) => option.type === OptionType.subcommand || option.type === OptionType.group)
  if (nested.length === 0) {
    return [{ path, shown, description, options: options.filter(isBasic) }]
  }
  return nested.flatMap((option) =>
    commandsIn(
      `${path} ${option.name}`,
      `${shown} ${nameIn(option)}`,
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
