import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { AgentOffers } from "../model/AgentOffers.ts"
import * as Table from "./database/Table.ts"

/** What the agent of a task offered last, and the values that its thread knows, by their keys. */
export interface StoredOffers {
  readonly offers: AgentOffers
  readonly said: Readonly<Record<string, string | boolean>>
  /** How many changes the thread was told of. */
  readonly told: number
}

/** The agent of a task. */
export interface TaskAgent {
  readonly name: string
  /** The service offered several when the task began. */
  readonly isOneOfSeveral: boolean
}

/** What the agents of tasks offer: suggestions need it while no session is open. */
export class AgentOfferRows extends Context.Tag("@heddle/bot/AgentOfferRows")<
  AgentOfferRows,
  {
    readonly find: (taskId: string) => Effect.Effect<Option.Option<StoredOffers>>
    readonly save: (taskId: string, stored: StoredOffers) => Effect.Effect<void>
    /** What the newest task of each agent of a server offers, newest first; unnamed where the service has one agent. */
    readonly newestOfEach: (
      guildId: string
    ) => Effect.Effect<ReadonlyArray<{ readonly agent: string | undefined; readonly offers: AgentOffers }>>
    /** The agent of a task, where its service tells agents apart. */
    readonly agentOf: (taskId: string) => Effect.Effect<Option.Option<TaskAgent>>
    readonly saveAgent: (taskId: string, agent: TaskAgent) => Effect.Effect<void>
  }
>() {}

export const layer = Table.layer(AgentOfferRows, (sql) =>
  AgentOfferRows.of({
    find: (taskId) =>
      sql<Row>`SELECT offers, said, told FROM agent_offers WHERE task_id = ${taskId}`.pipe(Table.first(fromRow)),
    save: (taskId, { offers, said, told }) =>
      sql`INSERT INTO agent_offers ${sql.insert({ task_id: taskId, offers: JSON.stringify(offers), said: JSON.stringify(said), told })}
        ON CONFLICT (task_id) DO UPDATE SET offers = excluded.offers, said = excluded.said, told = excluded.told`.pipe(
        Table.write
      ),
    // SQLite takes the other columns from the row of the maximum.
    newestOfEach: (guildId) =>
      sql<{ offers: string; agent: string | null }>`SELECT agent_offers.offers, task_agents.agent,
          MAX(threads.created_at) AS newest
        FROM agent_offers JOIN threads ON threads.task_id = agent_offers.task_id
        LEFT JOIN task_agents ON task_agents.task_id = agent_offers.task_id
        WHERE threads.guild_id = ${guildId}
        GROUP BY task_agents.agent ORDER BY newest DESC`.pipe(
        Table.all((row) => ({ agent: row.agent ?? undefined, offers: JSON.parse(row.offers) }))
      ),
    agentOf: (taskId) =>
      sql<{ agent: string; of_several: number }>`SELECT agent, of_several FROM task_agents
        WHERE task_id = ${taskId}`.pipe(
        Table.first(({ agent, of_several }) => ({ name: agent, isOneOfSeveral: of_several === 1 }))
      ),
    saveAgent: (taskId, { isOneOfSeveral, name }) =>
      sql`INSERT INTO task_agents ${sql.insert({ task_id: taskId, agent: name, of_several: isOneOfSeveral ? 1 : 0 })}
        ON CONFLICT (task_id) DO NOTHING`.pipe(Table.write)
  })
)

interface Row {
  readonly offers: string
  readonly said: string
  readonly told: number
}

const fromRow = ({ offers, said, told }: Row): StoredOffers => ({
  offers: JSON.parse(offers),
  said: JSON.parse(said),
  told
})
