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
 * Watches a request until its answer has left: one access log line, at debug for successes and at info for refusals,
 * one span, and the counters. All three know the pattern of the path and nothing that the caller wrote. Gives the span
 * where somebody collects spans.
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
  const traced = yield* isTraced
  const leastLevel = FiberRefs.getOrDefault(runtime.fiberRefs, FiberRef.currentMinimumLogLevel)
  const log = Runtime.runFork(runtime)

  return (request, response, info) => {
    const started = performance.now()
    const span = traced ? open(tracer, clock.unsafeCurrentTimeNanos(), request, info) : undefined
    response.once("close", () => {
      const millis = performance.now() - started
      // What nginx calls it when the caller left before the answer.
      const status = response.writableEnded ? response.statusCode : 499
      const { clientId, method, requestId, route } = info
      const isStream = String(response.getHeader("content-type") ?? "").startsWith("text/event-stream")
      Metrics.answered(method, route, status, isStream ? undefined : millis / 1000)
      if (span !== undefined) {
        span.attribute("http.response.status_code", status)
        if (clientId !== undefined) span.attribute("client_id", clientId)
        span.end(clock.unsafeCurrentTimeNanos(), Exit.void)
      }
      const level = status < 400 ? LogLevel.Debug : LogLevel.Info
      if (LogLevel.lessThan(level, leastLevel)) return
      const annotations = {
        method,
        route,
        status,
        ms: Math.round(millis * 10) / 10,
        request_id: requestId,
        ...(clientId === undefined ? {} : { client_id: clientId })
      }
      log(Effect.annotateLogs(Effect.logWithLevel(level, "answered"), annotations))
    })
    return span
  }
})

/** Whether somebody collects spans; the runtime's own tracer makes them for nobody to read. */
export const isTraced: Effect.Effect<boolean> = Effect.map(
  Effect.tracer,
  (tracer) => tracer !== Context.get(DefaultServices.liveServices, Tracer.Tracer)
)

const open = (tracer: Tracer.Tracer, now: bigint, request: HttpServerRequest, info: RequestInfo) => {
  const parent =
    request.headers["traceparent"] === undefined ? Option.none() : HttpTraceContext.fromHeaders(request.headers)
  const span = tracer.span(`${info.method} ${info.route}`, parent, Context.empty(), [], now, "server")
  span.attribute("http.request.method", info.method)
  span.attribute("http.route", info.route)
  span.attribute("request_id", info.requestId)
  return span
}
