import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { AgentOffers } from "../model/AgentOffers.ts"
import * as Table from "./database/Table.ts"

/** What the agent of a task offered last, and the values that its thread knows, by their keys. */
export interface StoredOffers {
  readonly offers: AgentOffers
  readonly said: Readonly<Record<string, string | boolean>>
}

/** What the agents of tasks offer: suggestions need it while no session is open. */
export class AgentOfferRows extends Context.Tag("@heddle/bot/AgentOfferRows")<
  AgentOfferRows,
  {
    readonly find: (taskId: string) => Effect.Effect<Option.Option<StoredOffers>>
    readonly save: (taskId: string, stored: StoredOffers) => Effect.Effect<void>
    /** What the newest task of a server offers. */
    readonly newestIn: (guildId: string) => Effect.Effect<Option.Option<StoredOffers>>
    /** The name of a task's agent, where its service offers several. */
    readonly agentOf: (taskId: string) => Effect.Effect<Option.Option<string>>
    readonly saveAgent: (taskId: string, agent: string) => Effect.Effect<void>
  }
>() {}

export const layer = Table.layer(AgentOfferRows, (sql) =>
  AgentOfferRows.of({
    find: (taskId) =>
      sql<Row>`SELECT offers, said FROM agent_offers WHERE task_id = ${taskId}`.pipe(Table.first(fromRow)),
    save: (taskId, { offers, said }) =>
      sql`INSERT INTO agent_offers ${sql.insert({ task_id: taskId, offers: JSON.stringify(offers), said: JSON.stringify(said) })}
        ON CONFLICT (task_id) DO UPDATE SET offers = excluded.offers, said = excluded.said`.pipe(Table.write),
    newestIn: (guildId) =>
      sql<Row>`SELECT agent_offers.offers, agent_offers.said
        FROM agent_offers JOIN threads ON threads.task_id = agent_offers.task_id
        WHERE threads.guild_id = ${guildId} ORDER BY threads.created_at DESC LIMIT 1`.pipe(Table.first(fromRow)),
    agentOf: (taskId) =>
      sql<{ agent: string }>`SELECT agent FROM task_agents WHERE task_id = ${taskId}`.pipe(
        Table.first(({ agent }) => agent)
      ),
    saveAgent: (taskId, agent) =>
      sql`INSERT INTO task_agents ${sql.insert({ task_id: taskId, agent })}
        ON CONFLICT (task_id) DO NOTHING`.pipe(Table.write)
  })
)

interface Row {
  readonly offers: string
  readonly said: string
}

const fromRow = ({ offers, said }: Row): StoredOffers => ({ offers: JSON.parse(offers), said: JSON.parse(said) })
