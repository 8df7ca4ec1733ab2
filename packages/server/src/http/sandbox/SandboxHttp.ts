import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpRouter from "@effect/platform/HttpRouter"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import { TaskId } from "@heddle/core/domain/Task"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { createSecretKey } from "node:crypto"
import { MasterKey } from "../../config/MasterKey.ts"
import * as ArtifactPath from "../../sandbox/artifacts/ArtifactPath.ts"
import { ArtifactStore } from "../../sandbox/artifacts/ArtifactStore.ts"
import * as MediaUrl from "../../sandbox/artifacts/MediaUrl.ts"
import { SandboxOptions } from "../../config/SandboxOptions.ts"
import { SandboxRegistry } from "../../sandbox/SandboxRegistry.ts"
import { ServerConfig } from "../../config/ServerConfig.ts"
import { Tickets, type TicketTarget } from "../../tasks/Tickets.ts"
import * as AcpChannelHttp from "./AcpChannelHttp.ts"
import * as ArtifactsHttp from "./ArtifactsHttp.ts"
import * as MediaHttp from "./MediaHttp.ts"
import * as Query from "../message/Query.ts"
import { authorize, refuse, toResponse, type SandboxRefusal } from "./SandboxResponses.ts"
import type { HttpServerResponse } from "@effect/platform/HttpServerResponse"

/**
 * The routes of the sandboxes under `/sandboxes/:task_id`: ACP channel, artifact list, media. Closing the layer ends
 * all streams.
 */
export const layer: Layer.Layer<never, never, SandboxRegistry | ArtifactStore | Tickets | MasterKey | ServerConfig> =
  HttpApiBuilder.Router.use((router) =>
    Effect.gen(function* () {
      const options = yield* SandboxOptions
      const { publicUrl } = yield* ServerConfig
      const key = createSecretKey((yield* MasterKey).derive("media"))
      const registry = yield* SandboxRegistry
      const artifacts = yield* ArtifactStore
      const tickets = yield* Tickets
      const channel = yield* AcpChannelHttp.make(options, tickets, registry)

      const findSandbox = (taskId: TaskId) =>
        Effect.catchTag(registry.get(taskId), "NoSandbox", () => refuse(404, "session does not exist"))

      const requireTask = ({ taskId }: TicketTarget) =>
        Effect.catchTag(registry.check(taskId), "NoSandbox", () => refuse(404, "session does not exist"))

      /** Runs a handler for the task of the path; every refusal becomes its response. */
      const handle = <R>(handler: (taskId: TaskId) => Effect.Effect<HttpServerResponse, SandboxRefusal, R>) =>
        HttpRouter.params.pipe(
          Effect.flatMap(({ task_id }) => decodeTaskId(task_id)),
          Effect.catchTag("NoSuchElementException", () => refuse(404, "session does not exist")),
          Effect.flatMap(handler),
          Effect.catchTag("SandboxRefusal", (refusal) => Effect.succeed(toResponse(refusal))),
          Effect.provideService(ArtifactStore, artifacts),
          Effect.provideService(Tickets, tickets)
        )
      const acp = "/sandboxes/:task_id/acp"

      yield* router.get(
        acp,
        handle((taskId) =>
          Effect.gen(function* () {
            const ticket = yield* authorize(taskId)
            yield* requireTask(ticket)
            return yield* channel.receive(ticket, findSandbox(ticket.taskId))
          })
        )
      )
      yield* router.post(
        acp,
        handle((taskId) =>
          Effect.gen(function* () {
            const ticket = yield* authorize(taskId)
            yield* requireTask(ticket)
            return yield* channel.send(ticket, findSandbox(ticket.taskId))
          })
        )
      )
      yield* router.del(
        acp,
        handle((taskId) =>
          Effect.gen(function* () {
            const ticket = yield* authorize(taskId)
            yield* requireTask(ticket)
            return yield* channel.close(ticket)
          })
        )
      )

      yield* router.get(
        "/sandboxes/:task_id/api/session/artifacts",
        handle((taskId) =>
          Effect.gen(function* () {
            yield* authorize(taskId)
            yield* findSandbox(taskId)
            const sandboxUrl = `${publicUrl}/sandboxes/${encodeURIComponent(taskId)}`
            return yield* ArtifactsHttp.list(taskId, { sandboxUrl, key, ttl: options.mediaUrl })
          })
        )
      )

      yield* router.get(
        "/sandboxes/:task_id/artifacts/*",
        handle((taskId) =>
          Effect.gen(function* () {
            const request = yield* HttpServerRequest.HttpServerRequest
            const path = ArtifactPath.fromTarget(request.originalUrl)
            const query = Query.of(request.originalUrl)
            const isSigned =
              path !== undefined && MediaUrl.verify(key, taskId, path, query, yield* Clock.currentTimeMillis)
            if (!isSigned) yield* authorize(taskId)
            const { folder } = yield* findSandbox(taskId)
            if (path === undefined) return yield* refuse(404, "no such file")
            return yield* MediaHttp.download(taskId, folder, path)
          })
        )
      )
    })
  )

const decodeTaskId = Schema.decodeUnknownOption(TaskId)
