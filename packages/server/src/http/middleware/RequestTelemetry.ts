import type { HttpServerRequest } from "@effect/platform/HttpServerRequest"
import * as HttpTraceContext from "@effect/platform/HttpTraceContext"
import * as Context from "effect/Context"
import * as DefaultServices from "effect/DefaultServices"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FiberRef from "effect/FiberRef"
import * as FiberRefs from "effect/FiberRefs"
import * as LogLevel from "effect/LogLevel"
import * as Option from "effect/Option"
import * as Runtime from "effect/Runtime"
import * as Tracer from "effect/Tracer"
import type { ServerResponse } from "node:http"
import * as Metrics from "../../observability/Metrics.ts"
import type { RequestInfo } from "../message/RequestContext.ts"

/**
 * Observes a request until its response is sent: one access log line, one span, and the counters. The line is at debug
 * for successes and at info for errors. All contain the pattern of the path and no value of the caller. Returns the
 * span where a tracer collects spans.
 */
export type RequestTelemetry = (
  request: HttpServerRequest,
  response: ServerResponse,
  info: RequestInfo
) => Tracer.Span | undefined

export const make: Effect.Effect<RequestTelemetry> = Effect.gen(function* () {
  const runtime = yield* Effect.runtime()
  const clock = yield* Effect.clock
  const tracer = yield* Effect.tracer
  const hasTracer = yield* isTraced
  const minimumLevel = FiberRefs.getOrDefault(runtime.fiberRefs, FiberRef.currentMinimumLogLevel)
  const log = Runtime.runFork(runtime)

  return (request, response, info) => {
    const startedAt = performance.now()
    const span = hasTracer ? startSpan(tracer, clock.unsafeCurrentTimeNanos(), request, info) : undefined
    response.once("close", () => {
      const durationMs = performance.now() - startedAt
      // nginx's status for a caller who left before the response.
      const status = response.writableEnded ? response.statusCode : 499
      const { clientId, method, requestId, route } = info
      const isStream = String(response.getHeader("content-type") ?? "").startsWith("text/event-stream")
      Metrics.countResponse(method, route, status, isStream ? undefined : durationMs / 1000)
      if (span !== undefined) {
        span.attribute("http.response.status_code", status)
        if (clientId !== undefined) span.attribute("client_id", clientId)
        span.end(clock.unsafeCurrentTimeNanos(), Exit.void)
      }
      const level = status < 400 ? LogLevel.Debug : LogLevel.Info
      if (LogLevel.lessThan(level, minimumLevel)) return
      const annotations = {
        method,
        route,
        status,
        ms: Math.round(durationMs * 10) / 10,
        request_id: requestId,
        ...(clientId === undefined ? {} : { client_id: clientId })
      }
      log(Effect.annotateLogs(Effect.logWithLevel(level, "answered"), annotations))
    })
    return span
  }
})

/** Tells whether a tracer collects spans; the default tracer drops them. */
export const isTraced: Effect.Effect<boolean> = Effect.map(
  Effect.tracer,
  (tracer) => tracer !== Context.get(DefaultServices.liveServices, Tracer.Tracer)
)

const startSpan = (tracer: Tracer.Tracer, now: bigint, request: HttpServerRequest, info: RequestInfo) => {
  const parent =
    request.headers["traceparent"] === undefined ? Option.none() : HttpTraceContext.fromHeaders(request.headers)
  const span = tracer.span(`${info.method} ${info.route}`, parent, Context.empty(), [], now, "server")
  span.attribute("http.request.method", info.method)
  span.attribute("http.route", info.route)
  span.attribute("request_id", info.requestId)
  return span
}
