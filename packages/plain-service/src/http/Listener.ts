import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

/** An HTTP server on the loopback address, which can stop and start again on its port. */
export class Listener {
  readonly #serve: (incoming: IncomingMessage, response: ServerResponse) => Promise<void>
  #port: number
  #server: Server | undefined

  constructor(port: number, serve: (incoming: IncomingMessage, response: ServerResponse) => Promise<void>) {
    this.#port = port
    this.#serve = serve
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`
  }

  async start(): Promise<void> {
    if (this.#server !== undefined) return
    const server = createServer((incoming, response) => void this.#serve(incoming, response))
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject)
      server.listen(this.#port, "127.0.0.1", resolve)
    })
    this.#server = server
    this.#port = (server.address() as AddressInfo).port
  }

  async stop(): Promise<void> {
    const server = this.#server
    this.#server = undefined
    if (server === undefined) return
    await new Promise<void>((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  }
}
