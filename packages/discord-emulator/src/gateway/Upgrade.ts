import { type IncomingMessage, STATUS_CODES } from "node:http"
import type { Duplex } from "node:stream"
import type { WebSocket, WebSocketServer } from "ws"
import type { Context } from "../context/Context.ts"
import { hostRefusal, foreignPageRefusal } from "../http/RequestGuard.ts"
import { CloseCode } from "./Codes.ts"
import { plainTransport, type Transport, zlibStreamTransport } from "./Transport.ts"

/** Upgrades a request to a gateway connection, unless a fault or the request itself forbids it. */
export const upgradeConnection = (
  { faults, settings }: Context,
  server: WebSocketServer,
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  onClient: (client: WebSocket, transport: Transport) => void
): void => {
  // The HTTP server no longer handles errors of this socket; an unhandled one would end the process.
  socket.on("error", () => socket.destroy())
  const { url = "/" } = request
  if (!URL.canParse(url, "http://gateway")) return refuseUpgrade(socket, 400, "The address cannot be read.")
  const refusal = hostRefusal(request, settings.host) ?? foreignPageRefusal(request)
  if (refusal !== undefined) return refuseUpgrade(socket, 403, refusal)
  const query = new URL(url, "http://gateway").searchParams
  const accept = (): void =>
    server.handleUpgrade(request, socket, head, (client) => {
      client.on("error", (cause) => settings.log(`discord-emulator: gateway connection: ${cause.message}`))
      const reason = unsupportedQuery(query)
      if (reason !== undefined) {
        settings.log(`discord-emulator: a client was refused: ${reason}`)
        return client.close(CloseCode.invalidApiVersion, reason)
      }
      const compressed = query.get("compress") === "zlib-stream"
      onClient(client, compressed ? zlibStreamTransport(client) : plainTransport(client, socket))
    })
  const fault = faults.connect()
  if (fault === undefined) return accept()
  const fail = (): void => {
    if (fault.dropSocket === true) socket.destroy()
    else if (fault.status === undefined) accept()
    else refuseUpgrade(socket, fault.status, "A fault on demand.")
  }
  setTimeout(fail, fault.delayMs ?? 0).unref()
}

/** Why the query of a connection is not supported, if it is not. */
const unsupportedQuery = (query: URLSearchParams): string | undefined => {
  const version = query.get("v") ?? "10"
  if (version !== "9" && version !== "10") return `Only versions 9 and 10 are served, not ${version.slice(0, 20)}.`
  const encoding = query.get("encoding") ?? "json"
  if (encoding !== "json") return `Only the encoding json is served, not ${encoding.slice(0, 20)}.`
  const compress = query.get("compress") ?? "zlib-stream"
  if (compress !== "zlib-stream") return `Only the compression zlib-stream is served, not ${compress.slice(0, 20)}.`
  return undefined
}

const refuseUpgrade = (socket: Duplex, status: number, reason: string): void => {
  const body = Buffer.from(`${reason}\n`)
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}`,
    "connection: close",
    "content-type: text/plain; charset=utf-8",
    `content-length: ${body.length}`
  ]
  socket.end(Buffer.concat([Buffer.from(`${head.join("\r\n")}\r\n\r\n`), body]), () => socket.destroy())
}
