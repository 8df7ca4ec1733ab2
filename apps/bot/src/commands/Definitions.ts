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
    const group = bodies.get(name) ?? { ...base, ...described(groupOf(name)), options: [] }
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
      name_localizations: translated(name),
      contexts: [InteractionContextType.Guild]
    }))
  ]
}

/** The description of a command group. */
const groupOf =
  (name: string) =>
  ({ commands }: Messages): string =>
    Object.entries(commands.groups).find(([known]) => known === name)?.[1] ?? name

const translated = (words: (messages: Messages) => string): { [locale in "zh-CN"]?: string } =>
  Object.fromEntries(translations.map(([locale, messages]) => [locale, words(messages)]))

const described = (words: (messages: Messages) => string) => ({
  description: words(english),
  description_localizations: translated(words)
})

const inEveryLanguage = (describe: (messages: Messages) => Described) => ({
  ...described((messages) => describe(messages).description),
  options: describe(english).options.map((option, index) =>
    optionInEveryLanguage(option, (messages) => describe(messages).options[index] ?? option)
  )
})

const optionInEveryLanguage = (
  option: APIApplicationCommandBasicOption,
  of: (messages: Messages) => APIApplicationCommandBasicOption
): APIApplicationCommandBasicOption => {
  const one = { ...option, ...described((messages) => of(messages).description) }
  if (one.type !== ApplicationCommandOptionType.String || one.autocomplete === true) return one
  if (one.choices === undefined) return one
  const choices = one.choices.map((choice, index) => ({
    ...choice,
    name_localizations: translated((messages) => {
      const there = of(messages)
      return "choices" in there ? (there.choices?.[index]?.name ?? choice.name) : choice.name
    })
  }))
  return { ...one, choices }
}
