import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as SandboxHttp from "./http/sandbox/SandboxHttp.ts"
import * as SandboxOptions from "./config/SandboxOptions.ts"
import * as SandboxRegistry from "./sandbox/SandboxRegistry.ts"
import { ServerConfig } from "./config/ServerConfig.ts"
import * as AgentOptions from "./config/AgentOptions.ts"
import type { ServerOptions } from "./config/ServerOptions.ts"
import type { ServerStartError } from "./config/ServerStartError.ts"
import * as Service from "./Service.ts"

/** The limits of each agent process where nothing else is set. */
export { defaults as agentLimits } from "./config/AgentSettings.ts"
export type { AgentOptions } from "./config/AgentOptions.ts"
export type { ServerOptions } from "./config/ServerOptions.ts"
export type { ServerStartError } from "./config/ServerStartError.ts"
export type { RunningServer } from "./Service.ts"

/** Starts the whole service: OAuth, REST, and tasks in sandboxes. When the scope closes it drains and stops. */
export const start = (options: ServerOptions): Effect.Effect<Service.RunningServer, ServerStartError, Scope.Scope> =>
  Effect.zipRight(AgentOptions.requireAgent(options.agents), Service.start(options, sandboxes))

const sandboxOptions = Layer.unwrapEffect(
  Effect.map(
    ServerConfig,
    ({ clientMcpServers, keepArchived, maxAgents, maxAgentsPerUser, maxTaskBytes, maxTurnBytes, overview }) =>
      SandboxOptions.layer({
        clientMcpServers,
        keepArchived,
        maxAgents,
        maxAgentsPerUser,
        maxTaskBytes,
        maxTurnBytes,
        overview: overview === "last-message"
      })
  )
)
const sandboxes = Layer.provideMerge(SandboxHttp.layer, SandboxRegistry.layer).pipe(Layer.provide(sandboxOptions))
