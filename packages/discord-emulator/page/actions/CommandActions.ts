import { type OptionInput, readOption, type RunnableCommand } from "../model/Commands.ts"
import { OptionType } from "../../src/model/Constants.ts"
import { fileSizeProblem } from "../model/FileLimits.ts"
import type { CommandDraft } from "../model/State.ts"
import { errorText, openModal } from "./ActionContext.ts"
import {
  changeCommand,
  changeDraft,
  channelOnScreen,
  type ComposerContext,
  currentDraft,
  findCommand
} from "./ComposerContext.ts"
import { makeSuggestionLoader } from "./OptionSuggestions.ts"

/** Filling in and running a slash command. */
export interface CommandActions {
  /** Starts a command; `rest` fills its first text option. */
  readonly choose: (command: RunnableCommand, rest?: string) => void
  readonly chooseByPath: (path: string) => void
  readonly fill: (option: string, input: OptionInput) => void
  readonly focusOption: (option: string) => void
  readonly showOption: (option: string) => void
  readonly leaveCommand: () => void
  readonly run: () => Promise<void>
  /** Runs a pending command again. */
  readonly runAgain: (key: string) => Promise<void>
  /** Puts a failed command with its options back into the composer. */
  readonly editAgain: (key: string) => void
}

export const makeCommandActions = (context: ComposerContext): CommandActions => {
  const { redirectFocus, store } = context
  const loadSuggestions = makeSuggestionLoader(context)
  const choose: CommandActions["choose"] = (command, rest = "") => {
    const draft = startCommand(command, rest.trim())
    changeDraft(context, { text: "", command: draft, highlighted: 0, error: undefined })
    redirectFocus(draft.focused === undefined ? "text" : "option")
    void loadSuggestions(draft.focused)
  }
  const findPending = (key: string) => store.state().pending.find((pending) => pending.key === key)
  return {
    choose,
    chooseByPath: (path) => {
      const command = findCommand(context, path)
      if (command !== undefined) return choose(command)
      changeDraft(context, { text: `/${path}`, error: `The bot has no command /${path} now.` })
    },
    fill: (option, input) => {
      if (fillOption(context, option, input) === "typed") void loadSuggestions(option)
    },
    focusOption: (option) => {
      const { command } = currentDraft(context)
      if (command?.focused === option && command.choices !== undefined) return
      changeCommand(context, { focused: option, choices: undefined })
      void loadSuggestions(option)
    },
    showOption: (option) => {
      const { command } = currentDraft(context)
      if (command === undefined) return
      changeCommand(context, { openedOptions: [...command.openedOptions, option], focused: option, choices: undefined })
      redirectFocus("option")
      void loadSuggestions(option)
    },
    leaveCommand: () => {
      changeDraft(context, { command: undefined, text: "", error: undefined })
      redirectFocus("text")
    },
    run: () => run(context),
    runAgain: async (key) => {
      const pending = findPending(key)
      if (pending !== undefined) await submit(context, pending.channel, pending.command, key)
    },
    editAgain: (key) => {
      const pending = findPending(key)
      if (pending === undefined) return
      store.dispatch({ type: "pending_done", key })
      changeDraft(context, { text: "", command: pending.command, highlighted: 0, error: undefined }, pending.channel)
      redirectFocus("option")
    }
  }
}

const startCommand = ({ options, path }: RunnableCommand, rest: string): CommandDraft => {
  const firstText = options.find((option) => option.type === OptionType.string)
  const values = rest === "" || firstText === undefined ? {} : { [firstText.name]: { text: rest } }
  const openedOptions = Object.keys(values)
  const focused = options.find((option) => option.required === true || openedOptions.includes(option.name))?.name
  return { path, values, openedOptions, focused }
}

/** Sets the input of an option. Typed text, other than a chosen value or file, needs new suggestions. */
const fillOption = (context: ComposerContext, option: string, input: OptionInput): "typed" | "done" => {
  const { command } = currentDraft(context)
  if (command === undefined) return "done"
  const { [option]: _, ...problems } = command.problems ?? {}
  const problem = input.file === undefined ? undefined : fileSizeProblem(input.file)
  if (problem !== undefined) {
    const { [option]: _before, ...values } = command.values
    changeCommand(context, { values, problems: { ...problems, [option]: problem } })
    return "done"
  }
  changeCommand(context, { values: { ...command.values, [option]: input }, problems })
  if (input.value !== undefined || input.file !== undefined) {
    changeCommand(context, { choices: undefined })
    return "done"
  }
  // Until the new suggestions arrive, Enter must not take one for other text.
  const matching = command.choices?.filter(({ name }) => name.toLowerCase().includes(input.text.toLowerCase())) ?? []
  changeDraft(context, { highlighted: 0 })
  changeCommand(context, { choices: matching.length === 0 ? undefined : matching })
  return "typed"
}

const run = async (context: ComposerContext): Promise<void> => {
  const { redirectFocus, store } = context
  const channel = channelOnScreen(context)
  const { command } = currentDraft(context)
  if (command === undefined) return
  const runnable = findCommand(context, command.path)
  if (runnable === undefined) return changeDraft(context, { error: "The bot no longer has this command." })
  const problems = problemsOf(runnable, command)
  const [firstInvalid] = Object.keys(problems)
  if (firstInvalid !== undefined) {
    const openedOptions = [...new Set([...command.openedOptions, ...Object.keys(problems)])]
    changeCommand(context, { problems, openedOptions, focused: firstInvalid, choices: undefined })
    return redirectFocus("option")
  }
  store.dispatch({ type: "draft_sent", channel })
  redirectFocus("text")
  await submit(context, channel, command, crypto.randomUUID())
}

const problemsOf = ({ options }: RunnableCommand, { values }: CommandDraft): Readonly<Record<string, string>> =>
  Object.fromEntries(
    options.flatMap((option) => {
      const { problem } = readOption(option, values[option.name])
      return problem === undefined ? [] : [[option.name, problem]]
    })
  )

const submit = async (context: ComposerContext, channel: string, command: CommandDraft, key: string): Promise<void> => {
  const { api, store } = context
  const options: Record<string, string | number | boolean> = {}
  const files: Record<string, ReadonlyArray<File>> = {}
  for (const option of findCommand(context, command.path)?.options ?? []) {
    const { value } = readOption(option, command.values[option.name])
    if (value instanceof File) files[option.name] = [value]
    else if (value !== undefined) options[option.name] = value
  }
  const after = store.state().messages[channel]?.list.at(-1)?.id
  const pending = { key, channel, after, command }
  const fail = (error: string): void => store.dispatch({ type: "pending", pending: { ...pending, error } })
  store.dispatch({ type: "pending", pending })
  try {
    const response = await api.interact({ kind: "command", channel, path: command.path, options }, files)
    if (response.type === "failed") return fail(response.error ?? "The application did not respond")
    store.dispatch({ type: "pending_done", key })
    openModal(store, response)
  } catch (failure) {
    fail(errorText(failure))
  }
}
