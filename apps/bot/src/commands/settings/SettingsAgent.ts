import { ApplicationCommandOptionType } from "../../discord/ApplicationCommands.ts"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Accounts } from "../../access/Accounts.ts"
import * as TaskAgent from "../../intake/TaskAgent.ts"
import * as AgentOffers from "../../model/AgentOffers.ts"
import { AgentOfferRows } from "../../store/AgentOffers.ts"
import { GuildSettings } from "../../store/GuildSettings.ts"
import { plainName } from "../../text/PlainName.ts"
import { type CommandHandler, maxSuggestions, say, suggestAgents } from "../Command.ts"

/** `/settings agent`: the agent, the mode and the model with which new tasks begin, in the server or in a channel. */
export const SettingsAgent: CommandHandler<Accounts | AgentOfferRows | GuildSettings> = {
  path: "settings agent",
  describe: ({ commands: { settingsAgent } }) => ({
    description: settingsAgent.description,
    options: [
      { ...text, name: "agent", description: settingsAgent.agent },
      { ...text, name: "mode", description: settingsAgent.mode },
      { ...text, name: "model", description: settingsAgent.model },
      { type: ApplicationCommandOptionType.Channel, name: "channel", description: settingsAgent.channel }
    ]
  }),
  suggest: {
    action: () => Effect.succeed({ _tag: "Settings" }),
    // Agents tell what they offer in tasks: those of the newest one are most likely right for the next.
    handle: Effect.fn("SettingsAgent.suggest")(function* ({ focused, reply }, { agent }) {
      if (focused.name === "agent") {
        const names = suggestAgents(yield* TaskAgent.offeredSoon(reply.userId), focused.value)
        return [{ name: agent.noDefault, value: none }, ...names].slice(0, maxSuggestions)
      }
      const stored = yield* (yield* AgentOfferRows).newestIn(reply.guildId ?? "")
      const kind = focused.name === "model" ? "model" : "mode"
      const control = Option.flatMapNullable(stored, ({ offers }) => AgentOffers.find(offers, { kind }))
      const values = Option.match(control, { onNone: () => [], onSome: (found) => found.values })
      const query = focused.value.trim().toLowerCase()
      return [{ name: agent.noDefault, value: none }, ...values.map(({ id, name }) => ({ name, value: id }))]
        .filter(({ name, value }) => value.length <= 100 && `${name} ${value}`.toLowerCase().includes(query))
        .slice(0, maxSuggestions)
        .map(({ name, value }) => ({ name: plainName(name, 100) || "…", value }))
    })
  },
  answers: "privately",
  action: () => Effect.succeed({ _tag: "Settings" }),
  handle: Effect.fn("SettingsAgent.handle")(function* ({ options, reply }, messages) {
    const change = { agent: read(options["agent"]), mode: read(options["mode"]), model: read(options["model"]) }
    if (Object.values(change).every((value) => value === undefined))
      return Option.some(say(messages.agent.defaultNeeded))
    if (change.agent != null) {
      const offered = yield* TaskAgent.offeredSoon(reply.userId)
      if (offered.length > 0 && !offered.includes(change.agent))
        return Option.some(say(messages.agent.defaultNotOffered(change.agent, offered)))
    }
    const channelId = options["channel"] === undefined ? undefined : String(options["channel"])
    const by = { eventId: reply.id, userId: reply.userId, at: yield* Clock.currentTimeMillis }
    const settings = yield* GuildSettings
    yield* settings.setAgentDefaults(reply.guildId ?? "", { channelId, ...change }, by)
    const all = yield* settings.agentDefaults(reply.guildId ?? "")
    const none = { channelId, agent: undefined, mode: undefined, model: undefined }
    return Option.some(say(messages.agent.defaultsSet(all.find((each) => each.channelId === channelId) ?? none)))
  })
}

const text = { type: ApplicationCommandOptionType.String, autocomplete: true, max_length: 100 } as const

/** The choice that ends a default. */
const none = "none"

/** A typed value, null to end the default, undefined to leave it. */
const read = (value: unknown): string | null | undefined => {
  const typed = String(value ?? "").trim()
  return typed === "" ? undefined : typed === none ? null : typed
}
