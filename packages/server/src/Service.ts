import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpMiddleware from "@effect/platform/HttpMiddleware"
import * as HttpRouter from "@effect/platform/HttpRouter"
import * as HttpServer from "@effect/platform/HttpServer"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import type * as SqlClient from "@effect/sql/SqlClient"
import { OpenApi } from "@heddle/core/api/OpenApi"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as Accounts from "./accounts/Accounts.ts"
import * as Applications from "./oauth/Applications.ts"
import * as Assistant from "./assistant/Assistant.ts"
import * as AssistantCredentials from "./assistant/AssistantCredentials.ts"
import * as AssistantDelivery from "./assistant/AssistantDelivery.ts"
import * as AssistantMessages from "./assistant/AssistantMessages.ts"
import * as AssistantQuestions from "./assistant/AssistantQuestions.ts"
import * as Audit from "./audit/Audit.ts"
import * as ConnectedApps from "./oauth/ConnectedApps.ts"
import * as Consents from "./oauth/Consents.ts"
import * as Credits from "./credits/Credits.ts"
import * as DataFolder from "./config/DataFolder.ts"
import * as Devices from "./oauth/Devices.ts"
import * as Grants from "./oauth/Grants.ts"
import * as ResponseMiddleware from "./http/middleware/ResponseMiddleware.ts"
import * as AssistantChannelHttp from "./http/AssistantChannelHttp.ts"
import * as AssistantHttp from "./http/AssistantHttp.ts"
import * as AuthorizeHttp from "./http/oauth/AuthorizeHttp.ts"
import * as BearerMiddleware from "./http/middleware/BearerMiddleware.ts"
import * as ClientAuthentication from "./http/oauth/ClientAuthentication.ts"
import * as ConnectedAppsHttp from "./http/oauth/ConnectedAppsHttp.ts"
import * as DeviceHttp from "./http/oauth/DeviceHttp.ts"
import * as Listener from "./http/Listener.ts"
import * as MetadataHttp from "./http/oauth/MetadataHttp.ts"
import * as RequestTelemetry from "./http/middleware/RequestTelemetry.ts"
import * as OperationsHttp from "./http/OperationsHttp.ts"
import * as RedemptionsHttp from "./http/RedemptionsHttp.ts"
import * as ReferenceHttp from "./http/ReferenceHttp.ts"
import * as Routes from "./http/middleware/Routes.ts"
import * as TasksHttp from "./http/TasksHttp.ts"
import * as TokenHttp from "./http/oauth/TokenHttp.ts"
import * as UserHttp from "./http/UserHttp.ts"
import * as Housekeeping from "./Housekeeping.ts"
import type * as MasterKey from "./config/MasterKey.ts"
import * as Metering from "./tasks/Metering.ts"
import * as OpenIds from "./accounts/OpenIds.ts"
import * as RequestId from "./observability/RequestId.ts"
import * as RateLimits from "./limits/RateLimits.ts"
import * as RedemptionCodes from "./redemptions/RedemptionCodes.ts"
import * as Redemptions from "./redemptions/Redemptions.ts"
import * as Agents from "./sandbox/agent/Agents.ts"
import type { Sandboxes } from "./tasks/Sandboxes.ts"
import { ServerConfig } from "./config/ServerConfig.ts"
import { settings, type ServerOptions } from "./config/ServerOptions.ts"
import type { ServerStartError } from "./config/ServerStartError.ts"
import * as SignIns from "./accounts/SignIns.ts"
import * as DataVersion from "./sql/DataVersion.ts"
import * as FolderLock from "./sql/FolderLock.ts"
import * as Storage from "./sql/Storage.ts"
import * as Tasks from "./tasks/Tasks.ts"
import * as TaskStore from "./tasks/TaskStore.ts"
import * as Tickets from "./tasks/Tickets.ts"

/** A server that answers at `url`, with what only its owner may do. */
export interface RunningServer {
  readonly url: string
  readonly applications: Context.Tag.Service<typeof Applications.Applications>
  readonly accounts: Context.Tag.Service<typeof Accounts.Accounts>
  readonly redemptionCodes: Context.Tag.Service<typeof RedemptionCodes.RedemptionCodes>
  readonly assistants: Context.Tag.Service<typeof AssistantCredentials.AssistantCredentials>
}

/** What sandboxes are built on. */
export type SandboxBase =
  | SqlClient.SqlClient
  | MasterKey.MasterKey
  | TaskStore.TaskStore
  | Tickets.Tickets
  | Metering.Metering
  | ServerConfig
  | Agents.Agents

/** Starts the service over the given sandboxes; when the scope closes it drains and stops. */
export const start = (
  options: ServerOptions,
  sandboxes: Layer.Layer<Sandboxes, ServerStartError, SandboxBase>
): Effect.Effect<RunningServer, ServerStartError, Scope.Scope> =>
  Effect.gen(function* () {
    const { withPort, host, port } = yield* settings(options)
    yield* DataFolder.prepare(options.dataDir)
    yield* FolderLock.acquire(options.dataDir)
    const listener = yield* Listener.listen({ host, port })
    const config = withPort(listener.port)

    const running = yield* http.pipe(
      // The platform's own spans hold addresses and headers whole; `ResponseMiddleware` makes better ones.
      HttpMiddleware.withTracerDisabledWhen(() => true),
      Layer.provideMerge(rules),
      Layer.provide(sandboxes),
      Layer.provide(Metering.layer),
      Layer.provide(Layer.mergeAll(TaskStore.layer, Tickets.layer, Credits.layer)),
      Layer.provide([storage(options.dataDir), Agents.layer]),
      Layer.provide([
        Layer.succeed(ServerConfig, config),
        Layer.succeed(HttpServer.HttpServer, listener.server),
        Layer.succeed(Listener.Serving, listener),
        NodeHttpServer.layerContext
      ]),
      Layer.build,
      RequestId.inLogs,
      // A span costs about as much as a query, even without a reader.
      Effect.withTracerEnabled(yield* RequestTelemetry.isTraced)
    )
    // Registered last, so that on the way out it comes first: requests end while everything still works.
    yield* Effect.addFinalizer(() => listener.drain)
    yield* listener.open
    return {
      url: config.publicUrl,
      applications: Context.get(running, Applications.Applications),
      accounts: Context.get(running, Accounts.Accounts),
      redemptionCodes: Context.get(running, RedemptionCodes.RedemptionCodes),
      assistants: Context.get(running, AssistantCredentials.AssistantCredentials)
    }
  })

const storage = (dataDir: string) =>
  Layer.provideMerge(DataVersion.layer(dataDir), Storage.layer(dataDir, { serving: true }))

const rules = Layer.mergeAll(
  Assistant.layer,
  ConnectedApps.layer,
  Consents.layer,
  Devices.layer,
  Redemptions.layer,
  SignIns.layer,
  Tasks.layer
).pipe(
  Layer.provideMerge(Layer.merge(AssistantDelivery.layer, Grants.layer)),
  Layer.provideMerge(Audit.layer),
  Layer.provideMerge(Layer.mergeAll(Accounts.layer, Applications.layer, OpenIds.layer, RedemptionCodes.layer)),
  Layer.provideMerge(Layer.mergeAll(AssistantCredentials.layer, AssistantMessages.layer, AssistantQuestions.layer)),
  Layer.provideMerge(Credits.layer)
)

const http = HttpApiBuilder.serve().pipe(
  Layer.provide([
    HttpApiBuilder.api(OpenApi),
    AuthorizeHttp.layer,
    AssistantChannelHttp.layer,
    ResponseMiddleware.layer
  ]),
  Layer.provide([ConnectedAppsHttp.layer, DeviceHttp.layer, MetadataHttp.layer, Housekeeping.layer]),
  Layer.provide([TokenHttp.layer, UserHttp.layer, AssistantHttp.layer, TasksHttp.layer, RedemptionsHttp.layer]),
  Layer.provide([BearerMiddleware.layer, ClientAuthentication.layer, OperationsHttp.layer, ReferenceHttp.layer]),
  Layer.provide(RateLimits.layer),
  Layer.provide(
    // As written in the request: the platform's own choice would turn a redirect_uri's "//" into "/".
    HttpRouter.setRouterConfig({
      ignoreDuplicateSlashes: false,
      caseSensitive: true,
      maxParamLength: Routes.maxParameterLength
    })
  )
)
