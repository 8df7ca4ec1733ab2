import * as Arr from "effect/Array"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Agent } from "../../config/AgentSettings.ts"
import { ServerConfig } from "../../config/ServerConfig.ts"
import type { ServerStartError } from "../../config/ServerStartError.ts"
import * as Isolation from "./Isolation.ts"

/** An agent with the isolation that is in force for it. */
export interface IsolatedAgent extends Omit<Agent, "isolation"> {
  readonly isolation: Isolation.Isolation
}

/** The agents of this service, ready to be started; the first is the default. */
export class Agents extends Context.Tag("@heddle/server/sandbox/agent/Agents")<
  Agents,
  Arr.NonEmptyReadonlyArray<IsolatedAgent>
>() {}

/** Selects the isolation of each agent. */
export const layer: Layer.Layer<Agents, ServerStartError, ServerConfig> = Layer.effect(
  Agents,
  Effect.flatMap(ServerConfig, ({ agents, dataDir }) =>
    Effect.forEach(agents, (agent) =>
      Effect.map(Isolation.make(dataDir, agent.isolation), (isolation) => ({ ...agent, isolation })).pipe(
        Effect.annotateLogs(agents.length > 1 ? { agent: agent.name } : {})
      )
    )
  )
)
