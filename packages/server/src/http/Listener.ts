import type { ServeError } from "@effect/platform/HttpServerError"
import * as HttpServer from "@effect/platform/HttpServer"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as OpenApiError from "@heddle/core/OpenApiError"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as Crypto from "node:crypto"
import * as Http from "node:http"
import type { Duplex } from "node:stream"
import * as ApiError from "../internal/ApiError.ts"
import { ServerStartError } from "../config/ServerStartError.ts"

/** A port that is listened on. */
export interface Listener extends Serving {
  readonly server: HttpServer.HttpServer
  readonly port: number
  /** From now on requests go to whatever is served; before, they are answered that the service is starting. */
  readonly open: Effect.Effect<void>
  /** Takes no new requests, ends event streams, waits a moment for what is being answered. */
  readonly drain: Effect.Effect<void>
}

/** How far the service is, and how much it holds open. */
export interface Serving {
  readonly state: () => "starting" | "open" | "draining"
  /** How many event streams are being answered. */
  readonly eventStreams: () => number
}

/** {@link Serving} for those who tell it on. */
export const Serving = Context.GenericTag<Serving>("@heddle/server/http/Serving")

/** How long a caller may take for the head and for the whole of a request, in milliseconds. */
export interface Patience {
  readonly head: number
  readonly request: number
}

/** Takes the port; 0 picks a free one. It is given back when the scope closes. */
export const listen = (
  address: {
    readonly host: string
    readonly port: number
  },
  patience: Patience = { head: 20_000, request: 120_000 }
): Effect.Effect<Listener, ServerStartError, Scope.Scope> =>
  Effect.gen(function* () {
    const node = Http.createServer({
      headersTimeout: patience.head,
      requestTimeout: patience.request,
      connectionsCheckingInterval: patience.head / 4,
      // What has no Host is refused where everything is, with a body.
      requireHostHeader: false
    })
    const answering = new Set<Http.ServerResponse>()
    let state: ReturnType<Serving["state"]> = "starting"
    node.on("request", starting)
    node.on("clientError", unreadable)
    node.on("checkExpectation", unexpected)
    node.on("request", (_request, response) => {
      answering.add(response)
      // A file that is streamed is waited for in more places than Node takes for a leak; they all end with the response.
      response.setMaxListeners(32)
      response.once("close", () => answering.delete(response))
    })
    const server = yield* NodeHttpServer.make(() => node, address).pipe(
      Effect.mapError((error) => cannotListen(error, address))
    )
    const platform = yield* Layer.build(NodeHttpServer.layerContext)
    return {
      server: HttpServer.make({
        address: server.address,
        // Requests get what the platform needs and no more: handlers have closed over their services, and what a
        // request is given is copied a dozen times on its way.
        serve: (app, middleware) =>
          Effect.mapInputContext(
            middleware === undefined ? server.serve(app) : server.serve(app, middleware),
            (given: Context.Context<Scope.Scope>) => Context.merge(platform, Context.pick(Scope.Scope)(given))
          )
      }),
      port: server.address._tag === "TcpAddress" ? server.address.port : address.port,
      state: () => state,
      eventStreams: () => [...answering].filter(isEventStream).length,
      open: Effect.sync(() => {
        node.off("request", starting)
        state = "open"
      }),
      drain: Effect.async<void>((resume) => {
        state = "draining"
        // Closing looks for idle connections once; one that is still sending a refused body becomes idle later.
        const idle = setInterval(() => node.closeIdleConnections(), 20)
        const late = setTimeout(() => node.closeAllConnections(), drainMillis)
        node.close(() => {
          clearInterval(idle)
          clearTimeout(late)
          resume(Effect.void)
        })
        for (const response of answering) if (isEventStream(response)) response.end()
      })
    }
  })

/** Agents may take two seconds more to end, and all of it has to fit into the time that a supervisor gives. */
const drainMillis = 750

const starting: Http.RequestListener = (request, response) => {
  if (request.url === "/healthz") {
    response.writeHead(200, { "content-type": "application/json", "cache-control": "no-store" })
    return response.end('{"status":"ok"}')
  }
  return refuse(response, ApiError.temporarily("The service is starting.", 1))
}

/** Answers an `Expect` that nobody knows; what is to follow is not waited for. */
const unexpected: Http.RequestListener = (_request, response) => {
  response.setHeader("connection", "close")
  return refuse(response, ApiError.unexpected(417, "The only expectation that is met here is 100-continue."))
}

const refuse = (response: Http.ServerResponse, refusal: OpenApiError.Refusal) => {
  const { body, headers, status } = OpenApiError.toResponse(refusal, Crypto.randomBytes(12).toString("hex"))
  const length = String(Buffer.byteLength(body))
  response.writeHead(status, { ...headers, "cache-control": "no-store", "content-length": length })
  return response.end(body)
}

/** Answers what is no HTTP with the error body of everything else; Node's own answer would be without. */
const unreadable = (error: Error & { readonly code?: string }, socket: Duplex): void => {
  if (!socket.writable || error.code === "ECONNRESET") return void socket.destroy()
  const [line, refusal] =
    error.code === "HPE_HEADER_OVERFLOW"
      ? ["431 Request Header Fields Too Large", ApiError.unexpected(431, "The headers are too large.")]
      : error.code === "ERR_HTTP_REQUEST_TIMEOUT"
        ? ["408 Request Timeout", ApiError.unexpected(408, "The request took too long to arrive.")]
        : ["400 Bad Request", ApiError.invalidRequest("This is no HTTP request.")]
  const { body, headers } = OpenApiError.toResponse(refusal, Crypto.randomBytes(12).toString("hex"))
  const lines = Object.entries({
    ...headers,
    "cache-control": "no-store",
    "content-length": String(Buffer.byteLength(body)),
    connection: "close"
  }).map(([name, value]) => `${name}: ${value}`)
  socket.end(`HTTP/1.1 ${[line, ...lines].join("\r\n")}\r\n\r\n${body}`)
}

const isEventStream = (response: Http.ServerResponse): boolean =>
  String(response.getHeader("content-type") ?? "").startsWith("text/event-stream")

const cannotListen = (error: ServeError, address: { readonly host: string; readonly port: number }) => {
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
