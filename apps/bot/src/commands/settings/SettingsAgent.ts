import { ApplicationCommandOptionType } from "../../discord/ApplicationCommands.ts"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Accounts } from "../../access/Accounts.ts"
import type { SlashCommand } from "../../discord/DiscordEvent.ts"
import * as TaskAgent from "../../intake/TaskAgent.ts"
import type { UnknownDefault } from "../../messages/english/Agent.ts"
import type { Messages } from "../../messages/Messages.ts"
import * as AgentOffers from "../../model/AgentOffers.ts"
import { AgentOfferRows } from "../../store/AgentOffers.ts"
import { type AgentDefaults, type AgentDefaultsChange, GuildSettings } from "../../store/GuildSettings.ts"
import { asSuggestions, type CommandHandler, matching, say, type Suggestion } from "../Command.ts"
import * as AgentChoice from "../task/AgentChoice.ts"

/** `/settings agent`: the agent of new tasks, and with what it begins, in the server or in a channel. */
export const SettingsAgent: CommandHandler<Accounts | AgentOfferRows | GuildSettings> = {
  path: "settings agent",
  describe: ({ commands: { settingsAgent } }) => ({
    description: settingsAgent.description,
    options: [
      { ...text, name: "agent", description: settingsAgent.agent },
      { ...text, name: "mode", description: settingsAgent.mode },
      { ...text, name: "model", description: settingsAgent.model },
      { ...text, name: "option", description: settingsAgent.option },
      { ...text, name: "value", description: settingsAgent.value },
      { ...text, name: "for", description: settingsAgent.for },
      { type: ApplicationCommandOptionType.Channel, name: "channel", description: settingsAgent.channel }
    ]
  }),
  suggest: {
    action: () => Effect.succeed({ _tag: "Settings" }),
    handle: Effect.fn("SettingsAgent.suggest")(function* (event, messages) {
      const { focused, reply } = event
      const defaults = yield* (yield* GuildSettings).agentDefaults(reply.guildId ?? "")
      if (focused.name !== "agent" && focused.name !== "for")
        return matching(suggestFrom(yield* offersFor(event), event, { defaults, messages }), focused.value)
      const offered = yield* TaskAgent.offeredSoon(reply.userId)
      const names = focused.name === "for" ? defaults.flatMap(({ forAgent }) => forAgent ?? []) : []
      const agents = asSuggestions(new Set([...offered, ...names]))
      return matching(focused.name === "for" ? agents : [noDefault(messages), ...agents], focused.value)
    })
  },
  answers: "privately",
  action: () => Effect.succeed({ _tag: "Settings" }),
  handle: Effect.fn("SettingsAgent.handle")(function* (event, { agent }) {
    const { options, reply } = event
    const [option, value] = [typed(event, "option"), read(options["value"])]
    const chosen = { agent: read(options["agent"]), mode: read(options["mode"]), model: read(options["model"]) }
    const isChosen = [...Object.values(chosen), value].some((each) => each !== undefined)
    if (!isChosen || (option === undefined) !== (value === undefined)) return Option.some(say(agent.defaultNeeded))
    const forAgent = typed(event, "for")
    if (forAgent !== undefined && chosen.agent !== undefined) return Option.some(say(agent.defaultAgentForAll))
    // Defaults of an agent that is no longer offered can still be ended.
    const isEnding = [...Object.values(chosen), value].every((each) => each == null)
    const wanted = isEnding ? undefined : (forAgent ?? chosen.agent ?? undefined)
    if (wanted !== undefined) {
      const offered = yield* TaskAgent.offeredSoon(reply.userId)
      if (offered.length > 0 && !offered.includes(wanted))
        return Option.some(say(agent.defaultNotOffered(wanted, offered)))
    }
    const configId = option === undefined ? undefined : AgentOffers.optionId(yield* offersFor(event), option)
    const change = {
      ...chosen,
      forAgent,
      channelId: typed(event, "channel"),
      options: configId === undefined || value === undefined ? {} : { [configId]: value }
    }
    const by = { eventId: reply.id, userId: reply.userId, at: yield* Clock.currentTimeMillis }
    const set = yield* (yield* GuildSettings).setAgentDefaults(reply.guildId ?? "", change, by)
    const known = yield* knownOffers(reply.guildId ?? "", wanted)
    return Option.some(say(agent.defaultsSet(set, unknownIn(change, known, agent.kinds), known.length > 0)))
  })
}

const text = { type: ApplicationCommandOptionType.String, autocomplete: true, max_length: 100 } as const

/** What the newest task of this agent offers, or of each agent. */
const knownOffers = (guildId: string, agent: string | undefined) =>
  Effect.map(
    Effect.flatMap(AgentOfferRows, ({ newestOfEach }) => newestOfEach(guildId)),
    (known) => known.filter((each) => agent === undefined || each.agent === agent).map(({ offers }) => offers)
  )

/** The chosen values that no known agent offers. */
const unknownIn = (
  { mode, model, options }: AgentDefaultsChange,
  known: ReadonlyArray<AgentOffers.AgentOffers>,
  kinds: Messages["agent"]["kinds"]
): ReadonlyArray<UnknownDefault> => {
  const chosen = [
    { target: { kind: "mode" }, name: kinds.mode, value: mode },
    { target: { kind: "model" }, name: kinds.model, value: model },
    ...Object.entries(options).map(
      ([configId, value]) => ({ target: { kind: "option", configId }, name: configId, value }) as const
    )
  ] as const
  return chosen.flatMap(({ name, target, value }) =>
    value == null || known.some((offers) => AgentOffers.hasValue(offers, target, value)) ? [] : [{ name, value }]
  )
}

/** Agents tell what they offer in tasks: the offers of the newest one are most likely right for the next. */
const offersFor = (event: Pick<SlashCommand, "options" | "reply">) =>
  Effect.flatMap(AgentOfferRows, ({ newestIn }) => {
    const agent = typed(event, "for") ?? read(event.options["agent"]) ?? undefined
    return Effect.map(newestIn(event.reply.guildId ?? "", agent), Option.getOrUndefined)
  })

/** Suggests options, also those that only a default has, and the values of what is chosen. */
const suggestFrom = (
  offers: AgentOffers.AgentOffers | undefined,
  event: Pick<SlashCommand, "options"> & { readonly focused: { readonly name: string } },
  { defaults, messages }: { readonly defaults: ReadonlyArray<AgentDefaults>; readonly messages: Messages }
): ReadonlyArray<Suggestion> => {
  const { name } = event.focused
  if (name === "option") {
    const offered = (offers?.options ?? []).map(({ configId = "", name }) => ({ name, value: configId }))
    const known = new Set(offered.map(({ value }) => value))
    const agent = typed(event, "for")
    const others = defaults
      .filter(({ forAgent }) => forAgent === undefined || forAgent === agent)
      .flatMap(({ options }) => Object.keys(options))
      .filter((id) => !known.has(id))
    return [...offered, ...asSuggestions(new Set(others))]
  }
  const configId = AgentOffers.optionId(offers, typed(event, "option") ?? "")
  const target = { kind: name === "value" ? "option" : name === "model" ? "model" : "mode", configId } as const
  const control = offers === undefined ? undefined : AgentOffers.find(offers, target)
  const values = AgentChoice.valuesOf(control && { ...control, current: undefined }, messages)
  return [noDefault(messages), ...values]
}

const noDefault = ({ agent }: Messages): Suggestion => ({ name: agent.noDefault, value: none })

/** The choice that ends a default; agents name values `none`. */
const none = "no default"

const typed = ({ options }: Pick<SlashCommand, "options">, name: string): string | undefined =>
  String(options[name] ?? "").trim() || undefined

/** A typed value, null to end the default, undefined to leave it. */
const read = (value: unknown): string | null | undefined => {
  const typed = String(value ?? "").trim()
  return typed === "" ? undefined : typed === none ? null : typed
}
