import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as LoopbackRequest from "./message/LoopbackRequest.ts"
import * as Prometheus from "../observability/Prometheus.ts"
import * as ApiError from "../internal/ApiError.ts"
import * as MonotonicClock from "@heddle/core/MonotonicClock"
import { Agents } from "../sandbox/agent/Agents.ts"
import { ServerConfig, type Settings } from "../config/ServerConfig.ts"
import { Serving } from "./Listener.ts"
import * as WriteCheck from "../sql/WriteCheck.ts"

/**
 * The endpoints for operators: `/healthz` (the process is alive), `/readyz` and `/metrics` (Prometheus). The service
 * is ready when the database is migrated and takes writes, and nothing is starting or stopping. `/readyz` also names the
 * weakest isolation of its agents.
 */
export const layer: Layer.Layer<never, never, ServerConfig | SqlClient.SqlClient | Serving | Agents> =
  HttpApiBuilder.Router.use((router) =>
    Effect.gen(function* () {
      const { metrics } = yield* ServerConfig
      const sql = yield* SqlClient.SqlClient
      const serving = yield* Serving
      const isolations = (yield* Agents).map(({ isolation }) => isolation)
      const isolation = isolations.find(({ kind }) => kind === "process")?.kind ?? "bubblewrap"
      const network = isolations.some(({ network }) => network)

      const takesWrites = yield* makeWriteCheck

      const ready = Effect.gen(function* () {
        const state = serving.state()
        if (state !== "open") {
          return yield* ApiError.temporarilyUnavailable(
            `The service is ${state === "starting" ? state : "stopping"}.`,
            1
          )
        }
        if (!(yield* takesWrites)) {
          return yield* ApiError.temporarilyUnavailable("The database takes no writes at the moment.", 5)
        }
        return HttpServerResponse.unsafeJson({ status: "ready", isolation, agent_network: network })
      })

      const exposition = Effect.gen(function* () {
        const request = yield* HttpServerRequest.HttpServerRequest
        if (!mayReadMetrics(metrics, request)) return yield* ApiError.notFound("There is nothing at this address.")
        const tasks = yield* sql<{ status: string; count: number }>`
          SELECT status, COUNT(*) AS count FROM tasks GROUP BY status`.pipe(Effect.orDie)
        const text = Prometheus.format([
          ...Metric.unsafeSnapshot(),
          ...tasks.map(({ count, status }) => Prometheus.gauge("tasks", "Tasks by status.", { status }, Number(count))),
          Prometheus.gauge("http_open_event_streams", "Event streams that are open.", {}, serving.eventStreams())
        ])
        return HttpServerResponse.text(text, { contentType: Prometheus.contentType })
      })

      yield* router.get("/healthz", Effect.succeed(HttpServerResponse.unsafeJson({ status: "ok" })))
      yield* router.get("/readyz", ready)
      yield* router.get("/metrics", exposition)
    })
  )

/** Tells whether the database takes writes. An answer is kept for a second, because anyone may call. */
const makeWriteCheck = Effect.gen(function* () {
  const oneCheck = yield* Effect.makeSemaphore(1)
  let last: { readonly at: number; readonly takesWrites: boolean } | undefined
  const check = (yield* WriteCheck.make).pipe(
    Effect.timeout("2 seconds"),
    Effect.tapError((error) => Effect.logError("the database takes no writes", error)),
    Effect.isSuccess
  )
  return oneCheck.withPermits(1)(
    Effect.gen(function* () {
      if (last !== undefined && (yield* MonotonicClock.now) - last.at < keptMs) return last.takesWrites
      const takesWrites = yield* check
      last = { at: yield* MonotonicClock.now, takesWrites }
      return takesWrites
    })
  )
})

const keptMs = 1000

const mayReadMetrics = (metrics: Settings["metrics"], request: HttpServerRequest.HttpServerRequest): boolean =>
  metrics === "everyone" || (metrics === "loopback" && LoopbackRequest.is(request))
