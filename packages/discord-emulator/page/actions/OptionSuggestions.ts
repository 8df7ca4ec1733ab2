import { choicesOf, type RunnableCommand } from "../model/Commands.ts"
import { OptionType } from "../../src/model/Constants.ts"
import { type CommandDraft, draftOf, type State } from "../model/State.ts"
import { ChannelType, type Choice } from "../model/Types.ts"
import { errorText } from "./ActionContext.ts"
import { changeDraft, channelOnScreen, type ComposerContext, currentDraft, findCommand } from "./ComposerContext.ts"

type Option = RunnableCommand["options"][number]

const AUTOCOMPLETE_DELAY_MS = 120
const MAX_CHOICES = 25

/**
 * Makes the function that shows the choices for the focused option: fixed ones at once, suggestions of the bot when they
 * arrive.
 */
export const makeSuggestionLoader = (context: ComposerContext): ((name: string | undefined) => Promise<void>) => {
  const { api, store } = context
  // Only the latest request counts: an earlier response belongs to other text.
  let latest = 0
  return async (name) => {
    const request = ++latest
    const channel = channelOnScreen(context)
    const { command } = currentDraft(context)
    const option = findCommand(context, command?.path ?? "")?.options.find((entry) => entry.name === name)
    if (command === undefined || option === undefined) return
    const show = (choices: ReadonlyArray<Choice> | undefined): void => {
      const currentCommand = draftOf(store.state(), channel).command
      if (request !== latest || currentCommand === undefined || currentCommand.focused !== name) return
      changeDraft(context, { command: { ...currentCommand, choices }, highlighted: 0 }, channel)
    }
    const typed = command.values[option.name]?.text ?? ""
    if (!("autocomplete" in option) || option.autocomplete !== true)
      return show(localChoices(store.state(), option, typed))
    await new Promise((resolve) => setTimeout(resolve, AUTOCOMPLETE_DELAY_MS))
    if (request !== latest) return
    try {
      const options = { ...typedOptions(command), [option.name]: typed }
      const { path } = command
      const response = await api.interact({ kind: "autocomplete", channel, path, options, focused: option.name })
      show(response.choices ?? [])
    } catch (failure) {
      if (request === latest) changeDraft(context, { error: `No suggestions: ${errorText(failure)}` }, channel)
    }
  }
}

const typedOptions = ({ values }: CommandDraft): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(values).map(([key, { text, value }]) => [key, String(value ?? text)]))

/** The choices that the page knows without the bot: people, roles, channels and fixed choices. */
const localChoices = (state: State, option: Option, typed: string): ReadonlyArray<Choice> | undefined => {
  const query = typed.trim().toLowerCase()
  const matching = (choices: ReadonlyArray<Choice>): ReadonlyArray<Choice> =>
    choices.filter((choice) => choice.name.toLowerCase().includes(query)).slice(0, MAX_CHOICES)
  switch (option.type) {
    case OptionType.user:
      return matching(peopleChoices(state))
    case OptionType.mentionable:
      return matching([...peopleChoices(state), ...roleChoices(state)])
    case OptionType.role:
      return matching(roleChoices(state))
    case OptionType.channel:
      return matching(channelChoices(state, option))
    default: {
      const fixed = choicesOf(option)
      return fixed.length === 0 ? undefined : matching(fixed)
    }
  }
}

const peopleChoices = (state: State): ReadonlyArray<Choice> =>
  Object.values(state.people)
    .filter(({ member }) => member !== false)
    .map((person) => ({ name: `@${person.username}`, value: person.id }))

const roleChoices = (state: State): ReadonlyArray<Choice> =>
  state.roles.map(({ id, name }) => ({ name: `@${name.replace(/^@/, "")}`, value: id }))

const channelChoices = (state: State, option: Option): ReadonlyArray<Choice> => {
  const types: ReadonlyArray<number> = ("channel_types" in option ? option.channel_types : undefined) ?? []
  return state.channels
    .filter(({ type }) => type !== ChannelType.direct && (types.length === 0 || types.includes(type)))
    .map((channel) => ({ name: `#${channel.name}`, value: channel.id }))
}
