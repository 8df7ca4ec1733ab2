import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as HttpApi from "@effect/platform/HttpApi"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpRouter from "@effect/platform/HttpRouter"
import * as HttpServer from "@effect/platform/HttpServer"
import * as SqlClient from "@effect/sql/SqlClient"
import { TaskId } from "@heddle/core/domain/Task"
import * as Administration from "@heddle/server/Administration"
import * as SandboxHttp from "@heddle/server/http/sandbox/SandboxHttp"
import * as Credits from "@heddle/server/credits/Credits"
import * as Metering from "@heddle/server/tasks/Metering"
import * as AgentSettings from "@heddle/server/config/AgentSettings"
import * as Agents from "@heddle/server/sandbox/agent/Agents"
import * as SandboxOptions from "@heddle/server/config/SandboxOptions"
import * as SandboxRegistry from "@heddle/server/sandbox/SandboxRegistry"
import { Sandboxes } from "@heddle/server/tasks/Sandboxes"
import * as ContractOptions from "@heddle/server/config/ContractOptions"
import { defaults, ServerConfig, type Settings } from "@heddle/server/config/ServerConfig"
import * as Storage from "@heddle/server/sql/Storage"
import * as TaskStore from "@heddle/server/tasks/TaskStore"
import * as Tickets from "@heddle/server/tasks/Tickets"
import { scriptedAgent } from "@heddle/test-support/Agents"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import * as Scope from "effect/Scope"
import { randomUUID } from "node:crypto"
import * as Fs from "node:fs"
import { createServer } from "node:http"
import * as Os from "node:os"
import * as Path from "node:path"

/** The command of the scripted agent with these flags. */
export const agent = (...flags: ReadonlyArray<string>) => [process.execPath, scriptedAgent, ...flags]

export interface Started {
  readonly url: string
  readonly dataDir: string
  /** Creates a task as the REST side does and gives its link and token. */
  readonly task: (options?: { prompt?: string; hold?: boolean; grantId?: string; mayInvoke?: boolean }) => Promise<Task>
  readonly status: (taskId: string) => Promise<string>
  /** Moves a task over a database of its own, as an administration command beside the service does. */
  readonly administer: (taskId: string, to: "archived" | "deleted") => Promise<boolean>
  readonly rows: (query: string) => Promise<ReadonlyArray<Record<string, unknown>>>
  readonly reopen: (taskId: string, ticket?: { grantId?: string; mayInvoke?: boolean }) => Promise<Task>
  readonly stop: () => Promise<void>
}

export interface Task {
  readonly taskId: string
  readonly link: string
  readonly sandboxUrl: string
  readonly token: string
  readonly folder: string
}

export const temporary = () => Fs.mkdtempSync(Path.join(Os.tmpdir(), "heddle-sandbox-"))

/** Starts the sandbox side of the service on loopback: real SQL, real HTTP, real agent processes. */
export const start = async (options: {
  readonly agentCommand?: ReadonlyArray<string>
  readonly agentEnvironment?: ReadonlyArray<string>
  readonly agentSignIn?: string
  readonly dataDir?: string
  readonly isolation?: Partial<AgentSettings.IsolationSettings>
  readonly sandbox?: Partial<SandboxOptions.Options>
  readonly clock?: Clock.Clock
}): Promise<Started> => {
  const dataDir = options.dataDir ?? temporary()
  const nodeServer = createServer()
  const scope = Effect.runSync(Scope.make())
  const port = await new Promise<number>((resolve) => {
    const probe = createServer().listen(0, "127.0.0.1", () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0))
    })
  })
  const url = `http://127.0.0.1:${port}`
  const settings: Settings = {
    host: "127.0.0.1",
    port,
    publicUrl: url,
    dataDir,
    agents: [
      {
        name: AgentSettings.unnamed,
        command: options.agentCommand ?? agent(),
        environment: options.agentEnvironment ?? [],
        signIn: options.agentSignIn,
        isolation: {
          mode: "none",
          network: false,
          namespaces: false,
          readable: [],
          limits: AgentSettings.defaults,
          ...options.isolation
        }
      }
    ],
    signInHint: undefined,
    ticketTtl: Duration.days(3),
    accessTokenTtl: { code: Duration.days(7), refresh: Duration.hours(1) },
    refreshTokenTtl: { idle: Duration.days(90), absolute: Duration.days(365) },
    creditsPerTurn: 1,
    maxTurnBytes: defaults.maxTurnBytes,
    maxTaskBytes: defaults.maxTaskBytes,
    keepArchived: undefined,
    maxAgents: defaults.maxAgents,
    maxAgentsPerUser: defaults.maxAgentsPerUser,
    clientMcpServers: false,
    overview: "none",
    contract: ContractOptions.complete({}),
    limits: { ...defaults.limits, rate: "off" },
    corsOrigins: new Set(),
    deprecation: undefined,
    metrics: "off",
    trustProxy: false
  }
  const layer = HttpApiBuilder.serve().pipe(
    Layer.provide(HttpApiBuilder.api(HttpApi.make("Test"))),
    Layer.provide(SandboxHttp.layer),
    Layer.provideMerge(SandboxRegistry.layer),
    Layer.provide(Metering.layer),
    Layer.provideMerge(Layer.mergeAll(Credits.layer, TaskStore.layer, Tickets.layer)),
    Layer.provide(Agents.layer),
    Layer.provideMerge(Storage.layer(dataDir)),
    Layer.provideMerge(Layer.succeed(ServerConfig, settings)),
    Layer.provide(Layer.succeed(SandboxOptions.SandboxOptions, { ...SandboxOptions.defaults, ...options.sandbox })),
    Layer.provide(
      HttpRouter.setRouterConfig({ ignoreDuplicateSlashes: false, caseSensitive: true, maxParamLength: 512 })
    ),
    Layer.provideMerge(NodeHttpServer.layer(() => nodeServer, { port, host: "127.0.0.1" }))
  )
  const onClock = <A, E>(effect: Effect.Effect<A, E>) => Effect.withClock(effect, options.clock ?? Clock.make())
  const context = await Effect.runPromise(onClock(Layer.buildWithScope(layer, scope)))
  const run = <A, E>(
    effect: Effect.Effect<
      A,
      E,
      Sandboxes | TaskStore.TaskStore | Tickets.Tickets | SqlClient.SqlClient | HttpServer.HttpServer
    >
  ) => Effect.runPromise(onClock(Effect.provide(effect, context as Context.Context<never>) as Effect.Effect<A, E>))

  const reopen = (taskId: string, { grantId = "grant", mayInvoke = true } = {}) =>
    run(
      Effect.gen(function* () {
        const sandboxes = yield* Sandboxes
        const tickets = yield* Tickets.Tickets
        const id = TaskId.make(taskId)
        const { link } = yield* sandboxes
          .channel(id)
          .pipe(Effect.flatten, Effect.retry(Schedule.intersect(Schedule.spaced(20), Schedule.recurs(200))))
        const { token } = yield* tickets.issue({ taskId: id, grantId, mayInvoke })
        return {
          taskId,
          link,
          sandboxUrl: link.replace(/\/acp$/, ""),
          token: Redacted.value(token),
          folder: Path.join(dataDir, "sandboxes", taskId)
        }
      })
    )

  return {
    url,
    dataDir,
    reopen,
    task: async ({ prompt = "", hold = true, grantId = "grant", mayInvoke = true } = {}) => {
      const taskId = randomUUID()
      await run(
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          yield* sql`INSERT INTO applications (client_id, name, redirect_uris, scopes, active, created_at)
            VALUES ('app', 'app', '[]', '', 1, 0) ON CONFLICT DO NOTHING`
          yield* sql`INSERT INTO accounts (user_id, login, nickname, avatar, created_at)
            VALUES ('user', 'user', '', '', 0) ON CONFLICT DO NOTHING`
          yield* sql`INSERT INTO grants (grant_id, client_id, user_id, scope, created_at)
            VALUES (${grantId}, 'app', 'user', '', 0) ON CONFLICT DO NOTHING`
          const store = yield* TaskStore.TaskStore
          yield* store.insert({
            taskId: TaskId.make(taskId),
            clientId: "app",
            userId: "user",
            name: "test",
            agent: AgentSettings.unnamed
          })
          const sandboxes = yield* Sandboxes
          yield* sandboxes.start({ taskId: TaskId.make(taskId), prompt, hold })
        })
      )
      return reopen(taskId, { grantId, mayInvoke })
    },
    status: (taskId) =>
      run(
        Effect.gen(function* () {
          const store = yield* TaskStore.TaskStore
          return Option.getOrThrow(yield* store.get(TaskId.make(taskId))).status as string
        })
      ),
    administer: (taskId, to) =>
      Effect.flatMap(TaskStore.TaskStore, (tasks) => tasks.transition(TaskId.make(taskId), to)).pipe(
        Effect.provide(Administration.layer(dataDir)),
        Effect.runPromise
      ),
    rows: (query) => run(Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe<Record<string, unknown>>(query))),
    stop: async () => {
      // Like the service's own listener, this waits neither for idle kept-alive sockets nor for new requests.
      const late = setInterval(() => nodeServer.closeAllConnections(), 200)
      await Effect.runPromise(Scope.close(scope, Exit.void))
      clearInterval(late)
    }
  }
}
