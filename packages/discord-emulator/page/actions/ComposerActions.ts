import { type Api, ApiError, type Files, type Options } from "../api/Api.ts"
import { FILE_LIMIT, attached, tooLarge } from "../model/FileLimits.ts"
import {
  type OptionInput,
  type Runnable,
  OptionType,
  choicesOf,
  readOption,
  runnables,
  search,
  spelledOut
} from "../model/Commands.ts"
import { type Mention, mentionBefore, withMentions } from "../model/Mentions.ts"
import { type CommandDraft, type Draft, type State, draftOf } from "../model/State.ts"
import type { Store } from "../model/Store.ts"
import { ChannelType, type Choice } from "../model/Types.ts"

/** Discord's limit for one message; longer text becomes a file. */
export const MESSAGE_LIMIT = 2000

/** Is what a person does in the composer. */
export interface Composing {
  /** Takes over the text; `caret` is where the person writes. */
  readonly write: (text: string, caret?: number) => void
  /** Puts a mention in the place of the one that was begun. */
  readonly mention: (chosen: Mention) => void
  readonly attach: (files: ReadonlyArray<File>) => void
  readonly detach: (file: File) => void
  readonly replyTo: (message: string | undefined) => void
  readonly change: (change: Partial<Draft>) => void
  readonly send: () => Promise<void>
  readonly choose: (command: Runnable, rest?: string) => void
  readonly chooseByPath: (path: string) => void
  readonly fill: (option: string, input: OptionInput) => void
  readonly focusOption: (option: string) => void
  readonly showOption: (option: string) => void
  readonly leaveCommand: () => void
  readonly run: () => Promise<void>
  readonly again: (key: string) => Promise<void>
  /** Puts a command that failed back into the composer, with all that was filled in. */
  readonly takeBack: (key: string) => void
}

/** Lists the commands that fit what is written, if the list is to be shown. */
export const fitting = (store: Pick<Store, "state">): ReadonlyArray<Runnable> => {
  const state = store.state()
  const draft = draftOf(state, state.place)
  if (!draft.text.startsWith("/") || draft.text.includes("\n") || draft.listClosed || draft.command !== undefined)
    return []
  return search(runnables(state.commands), draft.text.slice(1))
}

/** Makes the composer's actions; each is about the channel that the person looks at. */
export const makeComposing = (store: Store, api: Api, redirectFocus: (to: "text" | "option") => void): Composing => {
  const place = (): string => store.state().place ?? ""
  const draft = (): Draft => draftOf(store.state(), place())
  const change = (changed: Partial<Draft>, channel = place()): void =>
    store.dispatch({ type: "draft", channel, change: changed })
  const changeCommand = (changed: Partial<CommandDraft>): void => {
    const command = draft().command
    if (command !== undefined) change({ command: { ...command, ...changed }, error: undefined })
  }
  let typedAt = 0

  const choose = (command: Runnable, rest = ""): void => {
    const first = command.options.find((option) => option.type === OptionType.string)
    const values = rest.trim() === "" || first === undefined ? {} : { [first.name]: { text: rest.trim() } }
    const shown = Object.keys(values)
    const focused = command.options.find((option) => option.required === true || shown.includes(option.name))?.name
    change({ text: "", command: { path: command.path, values, shown, focused }, highlighted: 0, error: undefined })
    redirectFocus(focused === undefined ? "text" : "option")
    void suggest(focused)
  }

  // Only the newest question counts: an older answer that comes late is for other text.
  let question = 0
  const suggest = async (name: string | undefined): Promise<void> => {
    const mine = ++question
    const channel = place()
    const command = draft().command
    const runnable = command === undefined ? undefined : find(command.path)
    const option = runnable?.options.find((entry) => entry.name === name)
    if (command === undefined || option === undefined) return
    const typed = command.values[option.name]?.text ?? ""
    const offer = (choices: ReadonlyArray<Choice> | undefined): void => {
      const now = draftOf(store.state(), channel).command
      if (mine !== question || now === undefined || now.focused !== name) return
      change({ command: { ...now, choices }, highlighted: 0 }, channel)
    }
    if (!("autocomplete" in option) || option.autocomplete !== true) return offer(localChoices(store, option, typed))
    const options: Record<string, string> = {}
    for (const [key, input] of Object.entries(command.values)) options[key] = String(input.value ?? input.text)
    options[option.name] = typed
    await new Promise((resolve) => setTimeout(resolve, 120))
    if (mine !== question) return
    try {
      const answer = await api.interact({
        kind: "autocomplete",
        channel,
        path: command.path,
        options,
        focused: option.name
      })
      offer(answer.choices ?? [])
    } catch (failure) {
      if (mine === question) change({ error: `No suggestions: ${said(failure)}` }, channel)
    }
  }

  const find = (path: string): Runnable | undefined =>
    runnables(store.state().commands).find((item) => item.path === path)

  const submit = async (channel: string, command: CommandDraft, key: string): Promise<void> => {
    const runnable = find(command.path)
    const options: Record<string, string | number | boolean> = {}
    const files: Record<string, ReadonlyArray<File>> = {}
    for (const option of runnable?.options ?? []) {
      const { value } = readOption(option, command.values[option.name])
      if (value instanceof File) files[option.name] = [value]
      else if (value !== undefined) options[option.name] = value
    }
    const after = store.state().messages[channel]?.list.at(-1)?.id
    store.dispatch({ type: "pending", pending: { key, channel, after, command } })
    const failed = (error: string): void =>
      store.dispatch({ type: "pending", pending: { key, channel, after, command, error } })
    try {
      const body: { kind: "command"; channel: string; path: string; options: Options } = {
        kind: "command",
        channel,
        path: command.path,
        options
      }
      const answer = await api.interact(body, files satisfies Files)
      if (answer.type === "failed") return failed(answer.error ?? "The application did not respond")
      store.dispatch({ type: "pending_done", key })
      if (answer.type === "modal" && answer.modal !== undefined) {
        store.dispatch({ type: "modal", modal: { interaction: answer.id, form: answer.modal, sending: false } })
      }
    } catch (failure) {
      failed(said(failure))
    }
  }

  return {
    write: (text, caret = text.length) => {
      const spelled = text.startsWith("/") ? spelledOut(runnables(store.state().commands), text.slice(1)) : undefined
      if (spelled !== undefined && !text.includes("\n")) return choose(spelled.command, spelled.rest)
      const mentioning = mentionBefore(text.slice(0, caret))
      // A list that was closed stays closed for the word it was about.
      const same = text !== "" && (mentioning === undefined || mentioning.at === draft().mentioning?.at)
      change({ text, mentioning, highlighted: 0, listClosed: same && draft().listClosed, error: undefined })
      if (text !== "" && !text.startsWith("/") && Date.now() - typedAt > 8000) {
        typedAt = Date.now()
        // Nobody misses a typing sign: the message itself will report a lost connection.
        api.typing(place()).catch(() => undefined)
      }
    },
    mention: (chosen) => {
      const { mentioning, text } = draft()
      if (mentioning === undefined) return
      const before = `${text.slice(0, mentioning.at)}${chosen.written} `
      const after = text.slice(mentioning.at + mentioning.typed.length).replace(/^ /, "")
      change({ text: before + after, mentioning: undefined, highlighted: 0 })
      redirectFocus("text")
      document.querySelector<HTMLTextAreaElement>("#text")?.setSelectionRange(before.length, before.length)
    },
    attach: (files) => {
      change(attached(draft().files, files))
    },
    detach: (file) => change({ files: draft().files.filter((entry) => entry !== file), error: undefined }),
    replyTo: (message) => {
      change({ replyTo: message })
      redirectFocus("text")
    },
    change,
    send: async () => {
      const channel = place()
      const { text: written, files, replyTo, sending } = draft()
      if (sending || (written.trim() === "" && files.length === 0)) return
      const text = withMentions(store.state(), written)
      const tooLong = text.length > MESSAGE_LIMIT
      if (tooLong && files.length >= FILE_LIMIT) {
        return change({ error: "This text is sent as a file, and the message has ten files already." })
      }
      const all = tooLong ? [...files, new File([text], "message.txt", { type: "text/plain" })] : files
      change({ sending: true, error: undefined })
      try {
        const sent = await api.send(channel, tooLong ? "" : text.trim(), all, replyTo)
        store.dispatch({ type: "sent", channel })
        store.dispatch({ type: "message", message: sent, fresh: true })
      } catch (failure) {
        change({ sending: false, error: said(failure) }, channel)
      }
    },
    choose,
    chooseByPath: (path) => {
      const command = find(path)
      if (command !== undefined) return choose(command)
      change({ text: `/${path}`, error: `The bot has no command /${path} now.` })
    },
    fill: (option, input) => {
      const command = draft().command
      if (command === undefined) return
      const { [option]: _, ...problems } = command.problems ?? {}
      const problem = input.file === undefined ? undefined : tooLarge(input.file)
      if (problem !== undefined) {
        const { [option]: _before, ...values } = command.values
        return changeCommand({ values, problems: { ...problems, [option]: problem } })
      }
      changeCommand({ values: { ...command.values, [option]: input }, problems })
      if (input.value !== undefined || input.file !== undefined) return changeCommand({ choices: undefined })
      // Until the next suggestions come: Enter takes none that is for other text.
      const fitting = command.choices?.filter(({ name }) => name.toLowerCase().includes(input.text.toLowerCase()))
      change({ highlighted: 0 })
      changeCommand({ choices: fitting === undefined || fitting.length === 0 ? undefined : fitting })
      void suggest(option)
    },
    focusOption: (option) => {
      if (draft().command?.focused === option && draft().command?.choices !== undefined) return
      changeCommand({ focused: option, choices: undefined })
      void suggest(option)
    },
    showOption: (option) => {
      const command = draft().command
      if (command === undefined) return
      changeCommand({ shown: [...command.shown, option], focused: option, choices: undefined })
      redirectFocus("option")
      void suggest(option)
    },
    leaveCommand: () => {
      change({ command: undefined, text: "", error: undefined })
      redirectFocus("text")
    },
    run: async () => {
      const channel = place()
      const { command } = draft()
      const runnable = command === undefined ? undefined : find(command.path)
      if (command === undefined) return
      if (runnable === undefined) return change({ error: "The bot no longer has this command." })
      const problems: Record<string, string> = {}
      for (const option of runnable.options) {
        const { problem } = readOption(option, command.values[option.name])
        if (problem !== undefined) problems[option.name] = problem
      }
      const [wrong] = Object.keys(problems)
      if (wrong !== undefined) {
        const shown = [...new Set([...command.shown, ...Object.keys(problems)])]
        changeCommand({ problems, shown, focused: wrong, choices: undefined })
        return redirectFocus("option")
      }
      store.dispatch({ type: "sent", channel })
      redirectFocus("text")
      await submit(channel, command, crypto.randomUUID())
    },
    again: async (key) => {
      const entry = store.state().pending.find((pending) => pending.key === key)
      if (entry !== undefined) await submit(entry.channel, entry.command, key)
    },
    takeBack: (key) => {
      const entry = store.state().pending.find((pending) => pending.key === key)
      if (entry === undefined) return
      store.dispatch({ type: "pending_done", key })
      change({ text: "", command: entry.command, highlighted: 0, error: undefined }, entry.channel)
      redirectFocus("option")
    }
  }
}

/** Says what went wrong in words for a person. */
export const said = (failure: unknown): string =>
  failure instanceof ApiError ? failure.message : "Something went wrong on this page. Nothing was sent."

const rolesOf = (state: State): ReadonlyArray<Choice> =>
  state.roles.map(({ id, name }) => ({ name: `@${name.replace(/^@/, "")}`, value: id }))

const localChoices = (
  store: Store,
  option: Runnable["options"][number],
  typed: string
): ReadonlyArray<Choice> | undefined => {
  const state = store.state()
  const wanted = typed.trim().toLowerCase()
  const keep = (choices: ReadonlyArray<Choice>): ReadonlyArray<Choice> =>
    choices.filter((choice) => choice.name.toLowerCase().includes(wanted)).slice(0, 25)
  if (option.type === OptionType.user || option.type === OptionType.mentionable) {
    const people = Object.values(state.people)
      .filter(({ member }) => member !== false)
      .map((person) => ({ name: `@${person.username}`, value: person.id }))
    return keep(option.type === OptionType.user ? people : [...people, ...rolesOf(state)])
  }
  if (option.type === OptionType.role) return keep(rolesOf(state))
  if (option.type === OptionType.channel) {
    const kinds: ReadonlyArray<number> = ("channel_types" in option ? option.channel_types : undefined) ?? []
    return keep(
      state.channels
        .filter(({ type }) => type !== ChannelType.direct && (kinds.length === 0 || kinds.includes(type)))
        .map((channel) => ({ name: `#${channel.name}`, value: channel.id }))
    )
  }
  const fixed = choicesOf(option)
  return fixed.length === 0 ? undefined : keep(fixed)
}
