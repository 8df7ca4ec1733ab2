import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { AuditLog } from "./AuditLog.ts"
import type { By } from "./Rules.ts"
import * as Table from "./database/Table.ts"

/** With what the agents of new tasks begin; without a channel it is for the whole server. */
export interface AgentDefaults {
  readonly channelId: string | undefined
  readonly agent: string | undefined
  readonly mode: string | undefined
  readonly model: string | undefined
}

/** A change of defaults: null ends one, undefined leaves it. */
export interface AgentDefaultsChange {
  readonly channelId: string | undefined
  readonly agent: string | null | undefined
  readonly mode: string | null | undefined
  readonly model: string | null | undefined
}

/** The settings of a server besides its rules. */
export class GuildSettings extends Context.Tag("@heddle/bot/GuildSettings")<
  GuildSettings,
  {
    /** The chosen locale of public texts, such as `zh-CN`; none by default. */
    readonly language: (guildId: string) => Effect.Effect<Option.Option<string>>
    /** Sets the locale, or returns to the server's own, and logs who did it. */
    readonly setLanguage: (guildId: string, locale: Option.Option<string>, by: By) => Effect.Effect<void>
    /** The defaults of a server and of its channels. */
    readonly agentDefaults: (guildId: string) => Effect.Effect<ReadonlyArray<AgentDefaults>>
    /** The defaults in a channel: its own, or else those of the server. */
    readonly agentDefaultsFor: (guildId: string, channelId: string) => Effect.Effect<Omit<AgentDefaults, "channelId">>
    /** Changes defaults and logs who did it. */
    readonly setAgentDefaults: (guildId: string, change: AgentDefaultsChange, by: By) => Effect.Effect<void>
  }
>() {}

export const layer = Table.layerWith(GuildSettings, AuditLog, (sql, audit) => {
  const agentDefaults = (guildId: string) =>
    sql<DefaultsRow>`SELECT channel_id, agent, mode, model FROM agent_defaults WHERE guild_id = ${guildId}
      ORDER BY channel_id`.pipe(Table.all(fromRow))
  return GuildSettings.of({
    language: (guildId) =>
      sql<{ language: string | null }>`SELECT language FROM guild_settings WHERE guild_id = ${guildId}`.pipe(
        Effect.orDie,
        Effect.map((rows) => Option.fromNullable(rows[0]?.language))
      ),
    setLanguage: Effect.fn("GuildSettings.setLanguage")(function* (guildId, chosen, by) {
      const locale = Option.getOrNull(chosen)
      const change = sql`INSERT INTO guild_settings ${sql.insert({ guild_id: guildId, language: locale })}
          ON CONFLICT (guild_id) DO UPDATE SET language = excluded.language`
      const action = { _tag: "LanguageSet", locale } as const
      yield* sql.withTransaction(
        Effect.zipRight(change, audit.record({ ...by, actorId: by.userId, guildId, threadId: undefined, action }))
      )
    }, Effect.orDie),
    agentDefaults,
    agentDefaultsFor: (guildId, channelId) =>
      Effect.map(agentDefaults(guildId), (all) => {
        const own = all.find((each) => each.channelId === channelId)
        const server = all.find((each) => each.channelId === undefined)
        return {
          agent: own?.agent ?? server?.agent,
          mode: own?.mode ?? server?.mode,
          model: own?.model ?? server?.model
        }
      }),
    setAgentDefaults: Effect.fn("GuildSettings.setAgentDefaults")(function* (guildId, change, by) {
      const { agent, channelId, mode, model } = change
      const before = (yield* agentDefaults(guildId)).find((each) => each.channelId === channelId)
      const after = {
        agent: agent === undefined ? (before?.agent ?? null) : agent,
        mode: mode === undefined ? (before?.mode ?? null) : mode,
        model: model === undefined ? (before?.model ?? null) : model
      }
      const write = sql`INSERT INTO agent_defaults
          ${sql.insert({ guild_id: guildId, channel_id: channelId ?? "", ...after })}
          ON CONFLICT (guild_id, channel_id) 
          DO UPDATE SET agent = excluded.agent, mode = excluded.mode, model = excluded.model`
      const action = { _tag: "AgentDefaultsSet", channelId: channelId ?? "", ...after } as const
      yield* sql.withTransaction(
        Effect.zipRight(write, audit.record({ ...by, actorId: by.userId, guildId, threadId: undefined, action }))
      )
    }, Effect.orDie)
  })
})

interface DefaultsRow {
  readonly channel_id: string
  readonly agent: string | null
  readonly mode: string | null
  readonly model: string | null
}

const fromRow = (row: DefaultsRow): AgentDefaults => ({
  channelId: row.channel_id === "" ? undefined : row.channel_id,
  agent: row.agent ?? undefined,
  mode: row.mode ?? undefined,
  model: row.model ?? undefined
})
