import {
  type APIApplicationCommandBasicOption,
  type APIApplicationCommandSubcommandOption,
  ApplicationCommandOptionType,
  ApplicationCommandType,
  InteractionContextType,
  type RESTPostAPIChatInputApplicationCommandsJSONBody,
  type RESTPutAPIApplicationGuildCommandsJSONBody
} from "discord.js"
import { chinese, english, type Messages } from "../messages/Messages.ts"
import type { Command, Described } from "./Command.ts"

/** Commands as Discord takes them: names in English, everything else in every language. */
export const definitions = (
  commands: ReadonlyArray<Pick<Command<never>, "path" | "describe">>
): RESTPutAPIApplicationGuildCommandsJSONBody => {
  const bodies = new Map<string, RESTPostAPIChatInputApplicationCommandsJSONBody>()
  for (const { describe, path } of commands) {
    const [name = path, subcommand] = path.split(" ")
    const base = { type: ApplicationCommandType.ChatInput as const, name, contexts: [InteractionContextType.Guild] }
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
    {
      type: ApplicationCommandType.Message,
      name: english.commands.startWithMessage,
      name_localizations: { "zh-CN": chinese.commands.startWithMessage }
    }
  ]
}

/** A name that holds several commands, in words. */
const groupOf =
  (name: string) =>
  ({ commands }: Messages): string =>
    Object.entries(commands.groups).find(([known]) => known === name)?.[1] ?? name

const described = (words: (messages: Messages) => string) => ({
  description: words(english),
  description_localizations: { "zh-CN": words(chinese) }
})

const inEveryLanguage = (describe: (messages: Messages) => Described) => {
  const translated = describe(chinese)
  const { description, options } = describe(english)
  return {
    description,
    description_localizations: { "zh-CN": translated.description },
    options: options.map((option, index) => both(option, translated.options[index] ?? option))
  }
}

const both = (
  option: APIApplicationCommandBasicOption,
  translated: APIApplicationCommandBasicOption
): APIApplicationCommandBasicOption => {
  const one = { ...option, description_localizations: { "zh-CN": translated.description } }
  if (!("choices" in option) || option.choices === undefined || !("choices" in translated)) return one
  const choices = option.choices.map((choice, index) => ({
    ...choice,
    name_localizations: { "zh-CN": translated.choices?.[index]?.name ?? choice.name }
  }))
  return { ...one, choices } as APIApplicationCommandBasicOption
}
