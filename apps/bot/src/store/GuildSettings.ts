import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { AuditLog } from "./AuditLog.ts"
import type { By } from "./Rules.ts"
import * as Table from "./database/Table.ts"

/** For which new tasks defaults are: those of a channel or of the whole server, of one agent or of all. */
export interface AgentDefaultsScope {
  readonly channelId: string | undefined
  readonly forAgent: string | undefined
}

/** The agent of new tasks, and with what it begins. */
export interface AgentDefaults extends AgentDefaultsScope {
  readonly agent: string | undefined
  readonly mode: string | undefined
  readonly model: string | undefined
  /** The values of options by the ids of these. */
  readonly options: Readonly<Record<string, string>>
}

/** A change of defaults: null ends one, undefined leaves it. */
export interface AgentDefaultsChange extends AgentDefaultsScope {
  readonly agent: string | null | undefined
  readonly mode: string | null | undefined
  readonly model: string | null | undefined
  readonly options: Readonly<Record<string, string | null>>
}

/** Whether defaults are for exactly these tasks. */
export const isFor =
  ({ channelId, forAgent }: AgentDefaultsScope) =>
  (defaults: AgentDefaults): boolean =>
    defaults.channelId === channelId && defaults.forAgent === forAgent

/** The settings of a server besides its rules. */
export class GuildSettings extends Context.Tag("@heddle/bot/GuildSettings")<
  GuildSettings,
  {
    /** The chosen locale of public texts, such as `zh-CN`; none by default. */
    readonly language: (guildId: string) => Effect.Effect<Option.Option<string>>
    /** Sets the locale, or returns to the server's own, and logs who did it. */
    readonly setLanguage: (guildId: string, locale: Option.Option<string>, by: By) => Effect.Effect<void>
    /** The defaults of a server and of its channels; none of them is empty. */
    readonly agentDefaults: (guildId: string) => Effect.Effect<ReadonlyArray<AgentDefaults>>
    /** The defaults for a task of an agent; where two differ, the first holds: the channel's, and the agent's own. */
    readonly agentDefaultsFor: (
      guildId: string,
      task: { readonly channelId: string; readonly agent: string | undefined }
    ) => Effect.Effect<ReadonlyArray<AgentDefaults>>
    /** Changes defaults, logs who did it, and returns the new ones. */
    readonly setAgentDefaults: (guildId: string, change: AgentDefaultsChange, by: By) => Effect.Effect<AgentDefaults>
  }
>() {}

export const layer = Table.layerWith(GuildSettings, AuditLog, (sql, audit) => {
  const agentDefaults = (guildId: string) =>
    sql<DefaultsRow>`SELECT channel_id, for_agent, agent, mode, model, options FROM agent_defaults
      WHERE guild_id = ${guildId} ORDER BY channel_id, for_agent`.pipe(Table.all(fromRow))
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
    agentDefaultsFor: (guildId, { agent, channelId }) =>
      Effect.map(agentDefaults(guildId), (all) =>
        [channelId, undefined].flatMap((place) =>
          [...new Set([agent, undefined])].flatMap((ofAgent) =>
            all.filter(isFor({ channelId: place, forAgent: ofAgent }))
          )
        )
      ),
    setAgentDefaults: Effect.fn("GuildSettings.setAgentDefaults")(
      function* (guildId, change, by) {
        const before = (yield* agentDefaults(guildId)).find(isFor(change))
        const after = changed(before, change)
        const row = toRow(guildId, after)
        const place = sql.and([
          sql`guild_id = ${guildId}`,
          sql`channel_id = ${row.channel_id}`,
          sql`for_agent = ${row.for_agent}`
        ])
        yield* sql`DELETE FROM agent_defaults WHERE ${place}`
        if (!isEmpty(after)) yield* sql`INSERT INTO agent_defaults ${sql.insert(row)}`
        const { agent, mode, model } = after
        const action = {
          _tag: "AgentDefaultsSet",
          channelId: row.channel_id,
          forAgent: row.for_agent,
          agent: agent ?? null,
          mode: mode ?? null,
          model: model ?? null,
          options: change.options
        } as const
        yield* audit.record({ ...by, actorId: by.userId, guildId, threadId: undefined, action })
        return after
      },
      (change) => Effect.orDie(sql.withTransaction(change))
    )
  })
})

interface DefaultsRow {
  readonly channel_id: string
  readonly for_agent: string
  readonly agent: string | null
  readonly mode: string | null
  readonly model: string | null
  readonly options: string
}

const fromRow = (row: DefaultsRow): AgentDefaults => ({
  channelId: row.channel_id || undefined,
  forAgent: row.for_agent || undefined,
  agent: row.agent ?? undefined,
  mode: row.mode ?? undefined,
  model: row.model ?? undefined,
  options: JSON.parse(row.options)
})

const toRow = (guildId: string, { agent, channelId, forAgent, mode, model, options }: AgentDefaults) => ({
  guild_id: guildId,
  channel_id: channelId ?? "",
  for_agent: forAgent ?? "",
  agent: agent ?? null,
  mode: mode ?? null,
  model: model ?? null,
  options: JSON.stringify(options)
})

const changed = (before: AgentDefaults | undefined, change: AgentDefaultsChange): AgentDefaults => {
  const options = Object.entries({ ...before?.options, ...change.options })
  const after = (name: "agent" | "mode" | "model") =>
    (change[name] === undefined ? before?.[name] : change[name]) ?? undefined
  return {
    channelId: change.channelId,
    forAgent: change.forAgent,
    agent: after("agent"),
    mode: after("mode"),
    model: after("model"),
    options: Object.fromEntries(options.flatMap(([id, value]) => (value === null ? [] : [[id, value]])))
  }
}

const isEmpty = ({ agent, mode, model, options }: AgentDefaults): boolean =>
  agent === undefined && mode === undefined && model === undefined && Object.keys(options).length === 0
