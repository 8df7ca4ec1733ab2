import { createHash } from "node:crypto"
import {
  type APIApplicationCommandBasicOption,
  ApplicationCommandOptionType,
  ApplicationCommandType,
  InteractionContextType,
  type RESTPostAPIChatInputApplicationCommandsJSONBody,
  type RESTPutAPIApplicationGuildCommandsJSONBody
} from "discord.js"
import * as Effect from "effect/Effect"
import { DiscordApi } from "../discord/DiscordApi.ts"
import { Languages } from "../messages/Languages.ts"
import { english, type Messages, translations } from "../messages/Messages.ts"
import { commands, groups, menu } from "./Commands.ts"

/** Registers the commands in a guild, if they are not the ones that it has. */
export const register = Effect.fn("Register.register")(function* (guildId: string) {
  const languages = yield* Languages
  const api = yield* DiscordApi
  const body = definitions()
  const hash = createHash("sha256").update(JSON.stringify(body)).digest("base64url")
  if ((yield* languages.hashOf(guildId)) === hash) return
  yield* languages.registered(guildId, hash, yield* api.setCommands(guildId, body))
})

/** All commands as Discord registers them: their names are the same everywhere, the rest is in every language. */
export const definitions = (): RESTPutAPIApplicationGuildCommandsJSONBody => {
  const bodies = new Map<string, RESTPostAPIChatInputApplicationCommandsJSONBody>()
  for (const { description, options, path } of commands) {
    const [name = path, subcommand] = path.split(" ")
    const group = groups[name]
    const base = {
      type: ApplicationCommandType.ChatInput as const,
      name,
      contexts: [InteractionContextType.Guild],
      ...(group?.needs === undefined ? {} : { default_member_permissions: String(group.needs) })
    }
    const described = { ...inEveryLanguage(description), options: allOptions(options) }
    if (subcommand === undefined) {
      bodies.set(name, { ...base, ...described })
      continue
    }
    const before = bodies.get(name) ?? { ...base, ...inEveryLanguage(group?.description ?? description), options: [] }
    bodies.set(name, {
      ...before,
      options: [
        ...(before.options ?? []),
        { type: ApplicationCommandOptionType.Subcommand, name: subcommand, ...described }
      ]
    })
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

const translated = (text: (messages: Messages) => string): { [locale in "zh-CN"]?: string } =>
  Object.fromEntries(translations.map(([locale, messages]) => [locale, text(messages)]))

const inEveryLanguage = (description: (messages: Messages) => string) => ({
  description: description(english),
  description_localizations: translated(description)
})

type Options = (messages: Messages) => ReadonlyArray<APIApplicationCommandBasicOption>

/** Options have the same order and names in every language. */
const allOptions = (options: Options): Array<APIApplicationCommandBasicOption> =>
  options(english).map((option, index) => {
    const of = (messages: Messages) => options(messages)[index] ?? option
    const described = { ...option, ...inEveryLanguage((messages) => of(messages).description) }
    if (described.type !== ApplicationCommandOptionType.String || described.autocomplete === true) return described
    if (described.choices === undefined) return described
    const choices = described.choices.map((choice, n) => ({
      ...choice,
      name_localizations: translated((messages) => {
        const there = of(messages)
        return "choices" in there ? (there.choices?.[n]?.name ?? choice.name) : choice.name
      })
    }))
    return { ...described, choices }
  })
