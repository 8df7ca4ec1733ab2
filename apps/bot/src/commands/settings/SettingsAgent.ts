import { ApplicationCommandOptionType, ChannelType } from "../../discord/ApplicationCommands.ts"
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
import { type AgentDefaultsChange, GuildSettings } from "../../store/GuildSettings.ts"
import { comparable, findNamed } from "../../text/Comparable.ts"
import { asSuggestions, type CommandHandler, matching, say, type Suggestion } from "../Command.ts"
import * as AgentChoice from "../task/AgentChoice.ts"
import * as DefaultsChange from "./DefaultsChange.ts"

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
      {
        type: ApplicationCommandOptionType.Channel,
        name: "channel",
        description: settingsAgent.channel,
        // New tasks are of these, and never of a thread.
        channel_types: [ChannelType.GuildText, ChannelType.GuildAnnouncement, ChannelType.GuildForum]
      }
    ]
  }),
  suggest: {
    action: () => Effect.succeed({ _tag: "Settings" }),
    handle: Effect.fn("SettingsAgent.suggest")(function* (event, messages) {
      const { focused, reply } = event
      const known = yield* knownIn(reply.guildId ?? "", agentOf(event))
      if (focused.name !== "agent" && focused.name !== "for")
        return matching(suggestFrom(known, event, messages), focused.value)
      const offered = yield* TaskAgent.offeredSoon(reply.userId)
      const names = focused.name === "for" ? known.defaults.flatMap(({ forAgent }) => forAgent ?? []) : []
      const agents = asSuggestions(new Set([...offered, ...names]))
      return matching(focused.name === "for" ? agents : [noDefault(messages), ...agents], focused.value)
    })
  },
  answers: "privately",
  action: () => Effect.succeed({ _tag: "Settings" }),
  handle: Effect.fn("SettingsAgent.handle")(function* (event, { agent }) {
    const { reply } = event
    const option = DefaultsChange.typed(event, "option")
    const [value, chosenAgent] = [DefaultsChange.value(event, "value"), DefaultsChange.value(event, "agent")]
    const chosen = { mode: DefaultsChange.value(event, "mode"), model: DefaultsChange.value(event, "model") }
    const values = [chosenAgent, chosen.mode, chosen.model, value]
    const isChosen = values.some((each) => each !== undefined)
    if (!isChosen || (option === undefined) !== (value === undefined)) return Option.some(say(agent.defaultNeeded))
    const forAgent = DefaultsChange.typed(event, "for")
    if (forAgent !== undefined && chosenAgent !== undefined) return Option.some(say(agent.defaultAgentForAll))
    // Defaults of an agent that is no longer offered can still be ended.
    const isEnding = values.every((each) => each == null)
    const wanted = forAgent ?? chosenAgent ?? undefined
    const known = yield* knownIn(reply.guildId ?? "", wanted)
    const offered = isEnding || wanted === undefined ? [] : yield* TaskAgent.offeredSoon(reply.userId)
    const names = offered.length > 0 ? offered : known.defaults.flatMap(({ forAgent }) => forAgent ?? [])
    const named = wanted === undefined ? undefined : findNamed(names, wanted, (name) => name)
    if (wanted !== undefined && named === undefined && offered.length > 0)
      return Option.some(say(agent.defaultNotOffered(wanted, offered)))
    const change = DefaultsChange.of(
      {
        ...chosen,
        agent: chosenAgent == null ? chosenAgent : (named ?? chosenAgent),
        forAgent: forAgent === undefined ? undefined : (named ?? forAgent),
        channelId: DefaultsChange.typed(event, "channel"),
        option,
        value
      },
      known
    )
    if (!DefaultsChange.isEffective(change, known)) return Option.some(say(agent.noSuchDefault(change)))
    const by = { eventId: reply.id, userId: reply.userId, at: yield* Clock.currentTimeMillis }
    const set = yield* (yield* GuildSettings).setAgentDefaults(reply.guildId ?? "", change, by)
    return Option.some(say(agent.defaultsSet(set, unknownIn(change, known, agent), known.offers.length > 0)))
  })
}

const text = { type: ApplicationCommandOptionType.String, autocomplete: true, max_length: 100 } as const

/** The defaults of a server, and what the newest task of this agent offers, or of each agent. */
const knownIn = Effect.fnUntraced(function* (
  guildId: string,
  agent: string | undefined
): Effect.fn.Return<DefaultsChange.Known, never, AgentOfferRows | GuildSettings> {
  const newest = yield* (yield* AgentOfferRows).newestOfEach(guildId)
  const isWanted = (name: string | undefined) =>
    agent === undefined || (name !== undefined && comparable(name) === comparable(agent))
  return {
    offers: newest.flatMap(({ agent: name, offers }) => (isWanted(name) ? [offers] : [])),
    defaults: yield* (yield* GuildSettings).agentDefaults(guildId)
  }
})

const agentOf = (event: Pick<SlashCommand, "options">): string | undefined =>
  DefaultsChange.typed(event, "for") ?? DefaultsChange.value(event, "agent") ?? undefined

/** The chosen values that no known agent offers, with what is offered instead. */
const unknownIn = (
  { mode, model, options }: AgentDefaultsChange,
  known: DefaultsChange.Known,
  agent: Messages["agent"]
): ReadonlyArray<UnknownDefault> => {
  const chosen = [
    { target: { kind: "mode" }, name: agent.kinds.mode, value: mode },
    { target: { kind: "model" }, name: agent.kinds.model, value: model },
    ...Object.entries(options).map(
      ([configId, value]) => ({ target: { kind: "option", configId }, name: configId, value }) as const
    )
  ] as const
  return chosen.flatMap(({ name, target, value }) => {
    if (value == null || known.offers.some((offers) => AgentOffers.hasValue(offers, target, value))) return []
    const names = DefaultsChange.controls(target, known).flatMap((each) => AgentOffers.valueNames(each, agent))
    return [{ name, value, offered: [...new Set(names)] }]
  })
}

/** Suggests options, also those that only a default has, and the values of what is chosen. */
const suggestFrom = (
  known: DefaultsChange.Known,
  event: Pick<SlashCommand, "options"> & { readonly focused: { readonly name: string } },
  messages: Messages
): ReadonlyArray<Suggestion> => {
  const { name } = event.focused
  if (name === "option") {
    const options = new Map(
      known.offers.flatMap((each) => each.options).map(({ configId = "", name }) => [configId, name] as const)
    )
    const offered = [...options].map(([value, name]) => ({ name, value }))
    const agent = DefaultsChange.typed(event, "for")
    const others = known.defaults
      .filter(({ forAgent }) => forAgent === undefined || forAgent === agent)
      .flatMap(({ options }) => Object.keys(options))
      .filter((key) => !offered.some(({ value }) => DefaultsChange.isSameOption(value, known)(key)))
    return [...offered, ...asSuggestions(new Set(others))]
  }
  const configId = DefaultsChange.typed(event, "option") ?? ""
  const kind = name === "value" ? "option" : name === "model" ? "model" : "mode"
  const values = DefaultsChange.controls({ kind, configId }, known).flatMap((each) =>
    AgentChoice.valuesOf({ ...each, current: undefined }, messages)
  )
  return [noDefault(messages), ...new Map(values.map((each) => [each.value, each])).values()]
}

const noDefault = ({ agent }: Messages): Suggestion => ({ name: agent.noDefault, value: DefaultsChange.none })
