import type { SlashCommand } from "../../discord/DiscordEvent.ts"
import * as AgentOffers from "../../model/AgentOffers.ts"
import { languages } from "../../messages/Translations.ts"
import { type AgentDefaults, type AgentDefaultsChange, isFor } from "../../store/GuildSettings.ts"
import { comparable } from "../../text/Comparable.ts"

/** The choice that ends a default; agents name values `none`. */
export const none = "no default"

/** What a person typed for an option of the command. */
export const typed = ({ options }: Pick<SlashCommand, "options">, name: string): string | undefined =>
  String(options[name] ?? "").trim() || undefined

/** A typed value, null to end the default, undefined to leave it. */
export const value = (event: Pick<SlashCommand, "options">, name: string): string | null | undefined => {
  const text = typed(event, name)
  return text !== undefined && noneWords.has(comparable(text)) ? null : text
}

/** What is known of a server: what its agents offer, newest first, and its defaults. */
export interface Known {
  readonly offers: ReadonlyArray<AgentOffers.AgentOffers>
  readonly defaults: ReadonlyArray<AgentDefaults>
}

/** A change as a person typed it. */
export interface TypedChange extends Omit<AgentDefaultsChange, "options"> {
  readonly option: string | undefined
  readonly value: string | null | undefined
}

/** The change with the ids of what a person named; what is not known stays as typed. */
export const of = ({ option, value, ...change }: TypedChange, known: Known): AgentDefaultsChange => ({
  ...change,
  mode: valueId({ kind: "mode" }, change.mode, known),
  model: valueId({ kind: "model" }, change.model, known),
  options: option === undefined || value === undefined ? {} : optionsOf(option, value, change, known)
})

/** Whether a change ends or sets anything, given the defaults in its place. */
export const isEffective = (change: AgentDefaultsChange, { defaults }: Known): boolean => {
  const here = defaults.find(isFor(change))
  const pairs = [
    [change.agent, here?.agent],
    [change.mode, here?.mode],
    [change.model, here?.model],
    ...Object.entries(change.options).map(([key, after]) => [after, here?.options[key]] as const)
  ] as const
  return pairs.some(([after, before]) => after !== undefined && (after !== null || before !== undefined))
}

/** What the agents that have it offer to choose from. */
export const controls = (target: AgentOffers.Target, { offers }: Pick<Known, "offers">) =>
  offers.flatMap((each) => AgentOffers.find(each, target) ?? [])

/** Whether two texts name the same option. */
export const isSameOption =
  (one: string, known: Pick<Known, "offers">) =>
  (other: string): boolean => {
    const id = optionId(one, known)
    return comparable(one) === comparable(other) || (id !== undefined && id === optionId(other, known))
  }

/** One option has one key in a server, so that the default of a channel replaces that of the server. */
const optionsOf = (
  option: string,
  value: string | null,
  scope: Pick<AgentDefaultsChange, "channelId" | "forAgent">,
  known: Known
): AgentDefaultsChange["options"] => {
  const same = (each: ReadonlyArray<AgentDefaults>) =>
    each.flatMap(({ options }) => Object.keys(options)).filter(isSameOption(option, known))
  const here = same(known.defaults.filter(isFor(scope)))
  const key = here[0] ?? same(known.defaults)[0] ?? optionId(option, known) ?? option
  const id = valueId({ kind: "option", configId: option }, value, known)
  return { ...Object.fromEntries(here.map((each) => [each, null])), [key]: id ?? null }
}

const optionId = (option: string, { offers }: Pick<Known, "offers">): string | undefined =>
  onlyOf(offers.map((each) => AgentOffers.find(each, { kind: "option", configId: option })?.configId))

const valueId = <Typed extends string | null | undefined>(
  target: AgentOffers.Target,
  typed: Typed,
  { offers }: Known
): string | Typed => {
  if (typed == null) return typed
  const ids = offers.map((each) => {
    const found = AgentOffers.find(each, target)
    const id = found === undefined ? undefined : AgentOffers.resolve(found, typed)
    return typeof id === "boolean" ? (id ? "on" : "off") : id
  })
  return onlyOf(ids) ?? typed
}

/** The id that all agents have for a name; with several, the name says more. */
const onlyOf = (ids: ReadonlyArray<string | undefined>): string | undefined => {
  const [id, ...others] = new Set(ids.filter((each) => each !== undefined))
  return others.length === 0 ? id : undefined
}

const noneWords: ReadonlySet<string> = new Set(
  [none, "无默认", ...languages.map(({ agent }) => agent.noDefault)].map(comparable)
)
