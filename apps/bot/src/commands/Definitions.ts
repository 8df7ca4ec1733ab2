import {
  type APIApplicationCommandBasicOption,
  type APIApplicationCommandSubcommandOption,
  ApplicationCommandOptionType,
  ApplicationCommandType,
  InteractionContextType,
  PermissionFlagsBits,
  type RESTPostAPIChatInputApplicationCommandsJSONBody,
  type RESTPutAPIApplicationGuildCommandsJSONBody
} from "../discord/ApplicationCommands.ts"
import type { Messages } from "../messages/Messages.ts"
import { english, translations } from "../messages/Translations.ts"
import type { CommandHandler, Described, MenuCommand } from "./Command.ts"

/** Command definitions for Discord: names in English, all other texts in every language. */
export const definitions = (
  commands: ReadonlyArray<Pick<CommandHandler<never>, "path" | "describe">>,
  menu: ReadonlyArray<Pick<MenuCommand<never>, "name">>
): RESTPutAPIApplicationGuildCommandsJSONBody => {
  const bodies = new Map<string, RESTPostAPIChatInputApplicationCommandsJSONBody>()
  for (const { describe, path } of commands) {
    const [name = path, subcommand] = path.split(" ")
    const base = {
      type: ApplicationCommandType.ChatInput as const,
      name,
      contexts: [InteractionContextType.Guild],
      ...(name === "settings" ? { default_member_permissions: String(PermissionFlagsBits.ManageGuild) } : {})
    }
    if (subcommand === undefined) {
      bodies.set(name, { ...base, ...inEveryLanguage(describe) })
      continue
    }
    const group = bodies.get(name) ?? { ...base, ...localizedDescription(groupDescription(name)), options: [] }
    const part: APIApplicationCommandSubcommandOption = {
      type: ApplicationCommandOptionType.Subcommand,
      name: subcommand,
      ...inEveryLanguage(describe)
    }
    bodies.set(name, { ...group, options: [...(group.options ?? []), part] })
  }
  return [
    ...bodies.values(),
    ...menu.map(({ name }) => ({
      type: ApplicationCommandType.Message as const,
      name: name(english),
      name_localizations: localizations(name),
      contexts: [InteractionContextType.Guild]
    }))
  ]
}

/** The description of a command group. */
const groupDescription =
  (name: string) =>
  ({ commands }: Messages): string =>
    Object.entries(commands.groups).find(([known]) => known === name)?.[1] ?? name

const localizations = (textOf: (messages: Messages) => string): { [locale in "zh-CN"]?: string } =>
  Object.fromEntries(translations.map(([locale, messages]) => [locale, textOf(messages)]))

const localizedDescription = (textOf: (messages: Messages) => string) => ({
  description: textOf(english),
  description_localizations: localizations(textOf)
})

const inEveryLanguage = (describe: (messages: Messages) => Described) => ({
  ...localizedDescription((messages) => describe(messages).description),
  options: describe(english).options.map((option, index) =>
    optionInEveryLanguage(option, (messages) => describe(messages).options[index] ?? option)
  )
})

const optionInEveryLanguage = (
  option: APIApplicationCommandBasicOption,
  optionIn: (messages: Messages) => APIApplicationCommandBasicOption
): APIApplicationCommandBasicOption => {
  const localized = { ...option, ...localizedDescription((messages) => optionIn(messages).description) }
  if (localized.type !== ApplicationCommandOptionType.String || localized.autocomplete === true) return localized
  if (localized.choices === undefined) return localized
  const choices = localized.choices.map((choice, index) => ({
    ...choice,
    name_localizations: localizations((messages) => {
      const translatedOption = optionIn(messages)
      return "choices" in translatedOption ? (translatedOption.choices?.[index]?.name ?? choice.name) : choice.name
    })
  }))
  return { ...localized, choices }
}
