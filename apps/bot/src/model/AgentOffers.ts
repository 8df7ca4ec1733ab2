import * as SessionControls from "@heddle/acp/SessionControls"
import type { SessionState } from "@heddle/acp/SessionState"
import { comparable, findNamed } from "../text/Comparable.ts"
import { oneLine } from "../text/Truncate.ts"

/** What the agent of a task offers: its mode, its model, its options and its own commands. */
export interface AgentOffers extends SessionControls.Controls {
  readonly commands: ReadonlyArray<AgentCommand>
}

/** A command of the agent. */
export interface AgentCommand {
  /** As the agent names it, most often without the slash. */
  readonly name: string
  readonly description: string
  /** What follows the command, where something may. */
  readonly hint?: string
}

/** What a person may choose, by its kind and, for an option, its id. */
export interface Target {
  readonly kind: SessionControls.Control["kind"]
  readonly configId?: string | undefined
}

/** What a session offers: so much of it, and in so short words, as people can use. */
export const of = (state: SessionState): AgentOffers => {
  const { mode, model, options } = SessionControls.of(state)
  return {
    ...(mode === undefined ? {} : { mode: bounded(mode) }),
    ...(model === undefined ? {} : { model: bounded(model) }),
    options: options
      .filter(({ configId = "" }) => configId.length <= maxTyped)
      .slice(0, maxOptions)
      .map(bounded),
    commands: state.commands
      .filter(({ name }) => name.trim() !== "" && name.length <= maxTyped)
      .slice(0, maxCommands)
      .map(({ description, input, name }) => ({
        name,
        description: oneLine(description, 200),
        ...(input?.hint ? { hint: oneLine(input.hint, 80) } : {})
      }))
  }
}

/** The words for a value that is on or off. */
export interface SwitchWords {
  readonly on: string
  readonly off: string
}

/** The name of a value as one short line. */
export const nameOf = (control: SessionControls.Control, value: string | boolean, words: SwitchWords): string =>
  inWords(shortName(SessionControls.nameOf(control, value)), words)

/** A name that an agent gives a value; some name a switch "true" and "false". */
export const inWords = (name: string, { off, on }: SwitchWords): string =>
  name === "true" ? on : name === "false" ? off : name

const bounded = ({ description, ...control }: SessionControls.Control): SessionControls.Control => ({
  ...control,
  ...(description === undefined ? {} : { description: oneLine(description, 200) }),
  name: shortName(control.name),
  values: control.values.slice(0, maxValues).map(({ id, name }) => ({ id, name: shortName(name) }))
})

const shortName = (name: string): string => oneLine(name, 80) || "…"

/** How a command is written, by its name: with a slash, unless the name has it or another sign, as Codex's skills do. */
export const commandText = (name: string): string => (/^[/$@!]/.test(name) ? name : `/${name}`)

/** Every control, the mode first. */
export const controls = ({ mode, model, options }: AgentOffers): ReadonlyArray<SessionControls.Control> => [
  ...(mode === undefined ? [] : [mode]),
  ...(model === undefined ? [] : [model]),
  ...options
]

/** What a person may choose of this kind; an option by its id or its name, as people type them. */
export const find = (offers: AgentOffers, { configId = "", kind }: Target): SessionControls.Control | undefined =>
  kind === "option"
    ? findNamed(
        offers.options,
        configId,
        (option) => option.configId ?? "",
        ({ name }) => name
      )
    : offers[kind]

/** Whether the agent offers a value that a person typed. */
export const hasValue = (offers: AgentOffers, target: Target, typed: string): boolean => {
  const control = find(offers, target)
  return control !== undefined && resolve(control, typed) !== undefined
}

/** The value that a person typed, by its id or its name; undefined for one that the agent does not offer. */
export const resolve = ({ values }: SessionControls.Control, typed: string): string | boolean | undefined => {
  const isOn = switchValues.get(comparable(typed))
  if (values.length === 0) return isOn
  const named = findNamed(
    values,
    typed,
    ({ id }) => id,
    ({ name }) => name
  )
  return (named ?? (isOn === undefined ? undefined : switchedTo(values, isOn)))?.id
}

/** The value that is on or off where the agent offers a switch as two values. */
const switchedTo = (values: ReadonlyArray<SessionControls.Value>, isOn: boolean) => {
  const meanings = values.map(({ id, name }) => switchValues.get(comparable(name)) ?? switchValues.get(comparable(id)))
  const isSwitch = values.length === 2 && meanings.includes(true) && meanings.includes(false)
  return isSwitch ? values[meanings.indexOf(isOn)] : undefined
}

/** The names of the values to choose from. */
export const valueNames = ({ values }: SessionControls.Control, words: SwitchWords): ReadonlyArray<string> =>
  values.length === 0 ? [words.on, words.off] : values.map(({ name }) => inWords(oneLine(name, 40), words))

/** The key and the value of each control: what a thread was told of. */
export const currents = (offers: AgentOffers): Readonly<Record<string, string | boolean>> =>
  Object.fromEntries(
    controls(offers).flatMap((control) => (control.current === undefined ? [] : [[keyOf(control), control.current]]))
  )

export const keyOf = ({ configId, kind }: Target): string => (kind === "option" ? `option:${configId ?? ""}` : kind)

/**
 * Whether a choice may let the agent do more without asking: any but a mode that is known to ask or only to read, a model,
 * and what a model takes.
 */
export const allowsMore = ({ category, kind }: SessionControls.Control, value: string | boolean): boolean => {
  if (kind === "model") return false
  if (kind === "mode" || category === "mode") return !askingModes.has(String(value).toLowerCase().replace(/[-_ ]/g, ""))
  return !modelCategories.has(category ?? "")
}

/** The modes of well-known agents that ask before each change, or change nothing. */
const askingModes: ReadonlySet<string> = new Set(["ask", "default", "plan", "readonly"])

const modelCategories: ReadonlySet<string> = new Set(["model", "model_config", "thought_level"])

/** The words of a switch, in the languages of the bot. */
const switchValues: ReadonlyMap<string, boolean> = new Map([
  ...["on", "true", "yes", "1", "enable", "enabled", "开", "打开", "开启", "启用", "是"].map(
    (word) => [word, true] as const
  ),
  ...["off", "false", "no", "0", "disable", "disabled", "关", "关闭", "停用", "禁用", "否"].map(
    (word) => [word, false] as const
  )
])

const maxCommands = 200

const maxOptions = 100

const maxValues = 500

/** Discord's limit of what a suggestion fills in. */
const maxTyped = 100
