import * as Etag from "@effect/platform/Etag"
import * as FileSystem from "@effect/platform/FileSystem"
import * as HttpPlatform from "@effect/platform/HttpPlatform"
import type { ServeError } from "@effect/platform/HttpServerError"
import * as HttpServer from "@effect/platform/HttpServer"
import * as Path from "@effect/platform/Path"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { acceptIdempotencyKey } from "@heddle/core/api/IdempotencyKeyHeader"
import * as OpenApiError from "@heddle/core/OpenApiError"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as Crypto from "node:crypto"
import * as Http from "node:http"
import type { Duplex } from "node:stream"
import * as ApiError from "../internal/ApiError.ts"
import * as LingeringClose from "./LingeringClose.ts"
import * as Turn from "../sql/Turn.ts"
import { ServerStartError } from "../config/ServerStartError.ts"

/** An open port. */
export interface Listener extends Serving {
  readonly server: HttpServer.HttpServer
  readonly port: number
  /** Sends requests to the served app; until then the response says that the service is starting. */
  readonly open: Effect.Effect<void>
  /** Accepts no new requests, ends event streams and waits a moment for open responses. */
  readonly drain: Effect.Effect<void>
}

/** The state of the service and its open event streams. */
export interface Serving {
  readonly state: () => "starting" | "open" | "draining"
  /** The number of open event streams. */
  readonly eventStreams: () => number
}

/** {@link Serving} as a service, for the operators' endpoints. */
export const Serving = Context.GenericTag<Serving>("@heddle/server/http/Serving")

/** How long a caller may take to send the headers and the whole request. */
export interface RequestTimeouts {
  readonly headMs: number
  readonly requestMs: number
}

/** Opens the port; 0 picks a free one. Closing the scope closes it. */
export const listen = (
  address: {
    readonly host: string
    readonly port: number
  },
  timeouts: RequestTimeouts = { headMs: 20_000, requestMs: 120_000 }
): Effect.Effect<Listener, ServerStartError, Scope.Scope> =>
  Effect.gen(function* () {
    const node = Http.createServer({
      headersTimeout: timeouts.headMs,
      requestTimeout: timeouts.requestMs,
      connectionsCheckingInterval: timeouts.headMs / 4,
      // The response middleware refuses a request without Host, with an error body.
      requireHostHeader: false
    })
    LingeringClose.install(node)
    const openResponses = new Set<Http.ServerResponse>()
    let state: ReturnType<Serving["state"]> = "starting"
    node.on("request", respondStarting)
    node.on("clientError", respondToInvalidHttp)
    node.on("checkExpectation", rejectExpectation)
    node.on("request", (_request, response) => {
      openResponses.add(response)
      // A streamed file has more listeners than Node expects; they all end with the response.
      response.setMaxListeners(32)
      response.once("close", () => openResponses.delete(response))
    })
    const server = yield* NodeHttpServer.make(() => node, address).pipe(
      Effect.mapError((error) => toStartError(error, address))
    )
    const platform = Context.pick(
      HttpPlatform.HttpPlatform,
      Etag.Generator,
      FileSystem.FileSystem,
      Path.Path
    )(yield* Layer.build(NodeHttpServer.layerContext))
    return {
      server: HttpServer.make({
        address: server.address,
        serve: (app) =>
          NodeHttpServer.makeHandler(app).pipe(
            // Requests get the platform's services only: handlers have closed over theirs, and each request copies its
            // context a dozen times.
            Effect.mapInputContext((context: Context.Context<Scope.Scope>) =>
              Context.merge(platform, Context.pick(Scope.Scope)(context))
            ),
            Effect.flatMap((handle) => {
              const listener = inTurns(handle)
              return Effect.acquireRelease(
                Effect.sync(() => void node.on("request", listener)),
                () => Effect.sync(() => node.off("request", listener))
              )
            })
          )
      }),
      port: server.address._tag === "TcpAddress" ? server.address.port : address.port,
      state: () => state,
      eventStreams: () => [...openResponses].filter(isEventStream).length,
      open: Effect.sync(() => {
        node.off("request", respondStarting)
        state = "open"
      }),
      drain: Effect.async<void>((resume) => {
        state = "draining"
        // `close` closes idle connections only once; one that is still sending a refused body becomes idle later.
        const idleTimer = setInterval(() => node.closeIdleConnections(), 20)
        const forceTimer = setTimeout(() => node.closeAllConnections(), drainMs)
        node.close(() => {
          clearInterval(idleTimer)
          clearTimeout(forceTimer)
          resume(Effect.void)
        })
        for (const response of openResponses) if (isEventStream(response)) response.end()
      })
    }
  })

/**
 * Handles the requests of a turn of the event loop when all of them have been read, so that they share one look at the
 * database: a commit that anybody was told of before sending one of them is seen.
 */
const inTurns =
  (handle: Http.RequestListener<typeof Http.IncomingMessage, typeof Http.ServerResponse>): Http.RequestListener =>
  (request, response) =>
    Turn.defer(() => {
      // Otherwise the caller left in the same turn, and nobody would end the handler.
      if (!response.closed) handle(request, response)
    })

/** Short, because agents may take two more seconds to end before a supervisor kills the service. */
const drainMs = 750

const respondStarting: Http.RequestListener = (request, response) => {
  if (request.url === "/healthz") {
    response.writeHead(200, { "content-type": "application/json", "cache-control": "no-store" })
    return response.end('{"status":"ok"}')
  }
  response.setHeader(acceptIdempotencyKey, "true")
  return respondWith(response, ApiError.temporarilyUnavailable("The service is starting.", 1))
}

/** Rejects an unknown `Expect` without waiting for the body. */
const rejectExpectation: Http.RequestListener = (_request, response) => {
  response.setHeader("connection", "close")
  return respondWith(response, ApiError.unexpectedStatus(417, "The only expectation that is met here is 100-continue."))
}

const respondWith = (response: Http.ServerResponse, refusal: OpenApiError.Refusal) => {
  const { body, headers, status } = OpenApiError.toResponse(refusal, Crypto.randomBytes(12).toString("hex"))
  const length = String(Buffer.byteLength(body))
  response.writeHead(status, { ...headers, "cache-control": "no-store", "content-length": length })
  return response.end(body)
}

/** Responds to invalid HTTP with the service's error body; Node's own response has none. */
const respondToInvalidHttp = (error: Error & { readonly code?: string }, socket: Duplex): void => {
  if (!socket.writable || error.code === "ECONNRESET") return void socket.destroy()
  const [statusLine, refusal] =
    error.code === "HPE_HEADER_OVERFLOW"
      ? ["431 Request Header Fields Too Large", ApiError.unexpectedStatus(431, "The headers are too large.")]
      : error.code === "ERR_HTTP_REQUEST_TIMEOUT"
        ? ["408 Request Timeout", ApiError.unexpectedStatus(408, "The request took too long to arrive.")]
        : ["400 Bad Request", ApiError.invalidRequest("This is no HTTP request.")]
  const { body, headers } = OpenApiError.toResponse(refusal, Crypto.randomBytes(12).toString("hex"))
  const headerLines = Object.entries({
    ...headers,
    "cache-control": "no-store",
    "content-length": String(Buffer.byteLength(body)),
    connection: "close"
  }).map(([name, value]) => `${name}: ${value}`)
  socket.end(`HTTP/1.1 ${[statusLine, ...headerLines].join("\r\n")}\r\n\r\n${body}`)
}

const isEventStream = (response: Http.ServerResponse): boolean =>
  String(response.getHeader("content-type") ?? "").startsWith("text/event-stream")

const toStartError = (error: ServeError, address: { readonly host: string; readonly port: number }) => {
  const code = error.cause instanceof Error && "code" in error.cause ? String(error.cause.code) : "unknown"
  switch (code) {
    case "EADDRINUSE":
      return new ServerStartError({
        setting: "--port",
        problem: `port ${address.port} of ${address.host} is taken by another program`,
        fix: "Stop that program, or choose another port; --port 0 picks a free one."
      })
    case "EACCES":
      return new ServerStartError({
        setting: "--port",
        problem: `port ${address.port} may not be used by this user`,
        fix: "Choose a port from 1024 up."
      })
    default:
      return new ServerStartError({
        setting: "--host",
        problem: `${address.host} cannot be listened on (${code})`,
        fix: "Choose an address of this machine, like 127.0.0.1."
      })
  }
}
