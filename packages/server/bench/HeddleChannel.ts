import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as HttpApi from "@effect/platform/HttpApi"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as SqlClient from "@effect/sql/SqlClient"
import { TaskId } from "@heddle/core/domain/Task"
import * as ContractOptions from "@heddle/server/config/ContractOptions"
import * as Credits from "@heddle/server/credits/Credits"
import * as SandboxHttp from "@heddle/server/http/sandbox/SandboxHttp"
import * as Metering from "@heddle/server/tasks/Metering"
import * as AgentSettings from "@heddle/server/config/AgentSettings"
import * as Agents from "@heddle/server/sandbox/agent/Agents"
import * as Isolation from "@heddle/server/sandbox/agent/Isolation"
import * as SandboxOptions from "@heddle/server/config/SandboxOptions"
import * as SandboxRegistry from "@heddle/server/sandbox/SandboxRegistry"
import { defaults, ServerConfig } from "@heddle/server/config/ServerConfig"
import * as Storage from "@heddle/server/sql/Storage"
import * as TaskStore from "@heddle/server/tasks/TaskStore"
import * as Tickets from "@heddle/server/tasks/Tickets"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { randomUUID } from "node:crypto"
import { mkdirSync } from "node:fs"
import { createServer } from "node:http"
import { fileURLToPath } from "node:url"

// The sandbox side of the service as it runs, with tasks whose agents are at rest, and room for all connections on one.
const dataDir = process.env["BENCH_FOLDER"] ?? "bench-data"
mkdirSync(dataDir, { recursive: true, mode: 0o700 })
const server = createServer()
const agent = {
  name: AgentSettings.unnamed,
  command: [process.execPath, fileURLToPath(new URL("ChannelAgent.js", import.meta.url))],
  environment: [],
  signIn: undefined,
  isolation: { mode: "none", network: false, namespaces: false, readable: [], limits: AgentSettings.defaults }
} as const
const settings = {
  ...defaults,
  host: "127.0.0.1",
  port: 0,
  publicUrl: "http://127.0.0.1",
  dataDir,
  agents: [agent],
  signInHint: undefined,
  creditsPerTurn: 0,
  clientMcpServers: false,
  keepArchived: undefined,
  overview: "none",
  contract: ContractOptions.complete({}),
  corsOrigins: new Set<string>(),
  deprecation: undefined,
  metrics: "off",
  trustProxy: false
} as const

// Of a benchmark that cannot wait for a minute.
const [, , idleSeconds] = process.argv
const sandboxIdle =
  idleSeconds === undefined ? SandboxOptions.defaults.sandboxIdle : Duration.seconds(Number(idleSeconds))

const main = HttpApiBuilder.serve().pipe(
  Layer.provide(HttpApiBuilder.api(HttpApi.make("Bench"))),
  Layer.provide(SandboxHttp.layer),
  Layer.provideMerge(SandboxRegistry.layer),
  Layer.provide(Metering.layer),
  Layer.provide(Layer.succeed(Agents.Agents, [{ ...agent, isolation: Isolation.none }])),
  Layer.provideMerge(Layer.mergeAll(Credits.layer, TaskStore.layer, Tickets.layer)),
  Layer.provideMerge(Storage.layer(dataDir)),
  Layer.provideMerge(Layer.succeed(ServerConfig, settings)),
  Layer.provide(
    Layer.succeed(SandboxOptions.SandboxOptions, { ...SandboxOptions.defaults, maxConnections: 2000, sandboxIdle })
  ),
  Layer.provideMerge(NodeHttpServer.layer(() => server, { port: 0, host: "127.0.0.1" }))
)

const prepare = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const store = yield* TaskStore.TaskStore
  const tickets = yield* Tickets.Tickets
  yield* sql`INSERT INTO applications (client_id, name, redirect_uris, scopes, active, created_at)
    VALUES ('app', 'app', '[]', '', 1, 0)`
  yield* sql`INSERT INTO accounts (user_id, login, nickname, avatar, created_at) VALUES ('user', 'user', '', '', 0)`
  yield* sql`INSERT INTO grants (grant_id, client_id, user_id, scope, created_at)
    VALUES ('grant', 'app', 'user', 'user.task.readable user.task.invokable', 0)`
  const initializeResponse = JSON.stringify({ protocolVersion: 1, agentCapabilities: { loadSession: true } })
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  const make = Effect.gen(function* () {
    const taskId = TaskId.make(randomUUID())
    yield* store.insert({ taskId, clientId: "app", userId: "user", name: "bench", agent: agent.name })
    yield* sql`INSERT INTO sandboxes (task_id, prompt, held, agent_session_id, agent_info, session_info, created_at)
      VALUES (${taskId}, '', 1, 'bench', ${initializeResponse}, '{}', 0)`
    yield* sql`UPDATE tasks SET status = 'completed' WHERE task_id = ${taskId}`
    const { token } = yield* tickets.issue({ taskId, grantId: "grant", mayInvoke: true })
    return { link: `http://127.0.0.1:${port}/sandboxes/${taskId}/acp`, taskId, token: Redacted.value(token) }
  })
  const tasks = yield* sql.withTransaction(Effect.forEach(Array.from({ length: 1000 }), () => make))
  process.send?.({ ready: { tasks } })
  return yield* Effect.never
})

// As in the service: nothing is traced where nobody collects it.
await Effect.runPromise(Effect.withTracerEnabled(Effect.provide(prepare, main), false))
