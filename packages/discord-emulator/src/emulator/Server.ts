import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { setTimeout as wait } from "node:timers/promises"
import { serveAttachment } from "../cdn/Cdn.ts"
import { type Gateway, makeGateway } from "../gateway/Gateway.ts"
import type { SessionStore } from "../gateway/SessionStore.ts"
import { hostRefusal, foreignPageRefusal } from "../http/RequestGuard.ts"
import { installLingeringClose } from "../http/LingeringClose.ts"
import { makePageServer } from "../web/PageServer.ts"
import type { Context } from "../context/Context.ts"
import { makeRest } from "../rest/Rest.ts"
import { SettingsError } from "../settings/Settings.ts"

/** The one listening socket: REST, gateway, files and page. */
export interface Server {
  readonly origin: string
  readonly gateway: Gateway
  readonly close: () => Promise<void>
}

/** Listens; rejects with `SettingsError` when the address cannot be used. */
export const startServer = async (context: Context, sessionStore: SessionStore): Promise<Server> => {
  const rest = makeRest(context)
  const page = makePageServer(context)
  const gateway = makeGateway(context, sessionStore)

  const route = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = urlOf(request)
    if (url === undefined) return void response.writeHead(400).end()
    const refusal = hostRefusal(request, context.settings.host)
    if (refusal !== undefined) return sendRefusal(response, refusal)
    if (url.pathname === "/api" || url.pathname.startsWith("/api/")) {
      // Checked before counting and reading: a foreign page must not use the bot's limits or keep the server busy.
      const pageRefusal = foreignPageRefusal(request)
      return pageRefusal === undefined ? rest(request, response, url) : sendRefusal(response, pageRefusal)
    }
    if (url.pathname.startsWith("/attachments/") && (request.method === "GET" || request.method === "HEAD"))
      return serveFile(request, response, url.pathname)
    return page.serve(request, response, url)
  }

  const serveFile = async (request: IncomingMessage, response: ServerResponse, path: string): Promise<void> => {
    const fault = context.faults.file(path)
    if (fault?.delayMs !== undefined) await wait(fault.delayMs)
    if (fault?.dropSocket === true) return void request.socket.resetAndDestroy()
    if (fault?.status !== undefined) return void response.writeHead(fault.status).end()
    return serveAttachment(context.files, context.store.messages.attachmentType, response, {
      path,
      isHead: request.method === "HEAD",
      range: request.headers.range,
      bytesPerSecond: fault?.bytesPerSecond
    })
  }

  const logError = (cause: unknown): void =>
    context.settings.log(`discord-emulator: ${cause instanceof Error ? (cause.stack ?? cause.message) : String(cause)}`)
  const server = createServer((request, response) => {
    // An unhandled error event would end the process.
    request.on("error", () => undefined) // The reader of the request body gets the error.
    response.on("error", logError)
    route(request, response).catch((cause: unknown) => {
      // A client that disconnected while sending is no error.
      if (request.destroyed || response.destroyed) return
      logError(cause)
      if (response.headersSent) response.destroy()
      else response.writeHead(500).end()
    })
  })
  installLingeringClose(server)
  // Node answers this by itself only where nobody listens, as the line above does.
  server.on("checkExpectation", (_request, response) => void response.writeHead(417).end())
  server.keepAliveTimeout = 65_000
  server.on("upgrade", gateway.handleUpgrade)

  const { host, port } = context.settings
  await new Promise<void>((resolve, reject) => {
    server.once("error", (cause: NodeJS.ErrnoException) => {
      void gateway.close()
      reject(cannotListen(cause, host, port))
    })
    server.listen(port, host, resolve)
  })
  // A connection that cannot be accepted, as without file handles, must not end the process.
  server.on("error", logError)
  const { port: boundPort } = server.address() as AddressInfo
  const hostname = host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host.includes(":") ? `[${host}]` : host
  return {
    origin: `http://${hostname}:${boundPort}`,
    gateway,
    close: async () => {
      page.close()
      await gateway.close()
      await new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
    }
  }
}

const urlOf = (request: IncomingMessage): URL | undefined => {
  const text = `http://localhost${request.url ?? "/"}`
  return URL.canParse(text) ? new URL(text) : undefined
}

const sendRefusal = (response: ServerResponse, reason: string): void =>
  void response
    .writeHead(403, { "content-type": "application/json" })
    // Clients of the API read `message`, the page reads `error`.
    .end(JSON.stringify({ message: reason, code: 0, error: reason }))

const cannotListen = (cause: NodeJS.ErrnoException, host: string, port: number): SettingsError => {
  if (cause.code === "EADDRINUSE")
    return new SettingsError(
      `port ${port} is already taken on ${host}; choose another with --port, or 0 for a free one`
    )
  if (cause.code === "EACCES")
    return new SettingsError(`port ${port} needs more rights; choose one above 1024 with --port`)
  return new SettingsError(`cannot listen on ${host}:${port} (${cause.code ?? cause.message}); check --host and --port`)
}
