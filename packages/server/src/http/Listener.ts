import type { ServeError } from "@effect/platform/HttpServerError"
import * as HttpServer from "@effect/platform/HttpServer"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Http from "node:http"
import { ServerStartError } from "../ServerStartError.ts"

/** A port that is listened on. */
export interface Listener {
  readonly server: HttpServer.HttpServer
  readonly port: number
  /** From now on requests go to whatever is served; before, they are answered that the service is starting. */
  readonly open: Effect.Effect<void>
  /** Takes no new requests, ends event streams, waits a moment for what is being answered. */
  readonly drain: Effect.Effect<void>
}

/** Takes the port; 0 picks a free one. It is given back when the scope closes. */
export const listen = (address: {
  readonly host: string
  readonly port: number
}): Effect.Effect<Listener, ServerStartError, Scope.Scope> =>
  Effect.gen(function* () {
    const node = Http.createServer()
    const answering = new Set<Http.ServerResponse>()
    node.on("request", starting)
    node.on("request", (_request, response) => {
      answering.add(response)
      response.once("close", () => answering.delete(response))
    })
    const server = yield* NodeHttpServer.make(() => node, address).pipe(
      Effect.mapError((error) => cannotListen(error, address))
    )
    return {
      server,
      port: server.address._tag === "TcpAddress" ? server.address.port : address.port,
      open: Effect.sync(() => void node.off("request", starting)),
      drain: Effect.async<void>((resume) => {
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

const starting: Http.RequestListener = (_request, response) => {
  response.writeHead(503, { "content-type": "application/json", "retry-after": "1", "cache-control": "no-store" })
  response.end('{"error":"temporarily_unavailable","error_description":"The service is starting."}')
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
