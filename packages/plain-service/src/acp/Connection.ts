import { randomUUID } from "node:crypto"
import type { ServerResponse } from "node:http"
import type { Readings } from "../Readings.ts"

const maximumQueuedBytes = 32 * 1024 * 1024

/** An SSE stream of the channel, named by Acp-Connection-Id (4.13). */
export class Connection {
  readonly id = randomUUID()
  /** The token with which it was opened. */
  readonly ticket: string
  initialized = false
  loaded = false
  open = true
  readonly #readings: () => Readings
  #response: ServerResponse | undefined
  #requests = 0

  constructor(ticket: string, readings: () => Readings) {
    this.ticket = ticket
    this.#readings = readings
  }

  attach(response: ServerResponse, closed: () => void): void {
    this.#response = response
    response.once("close", () => {
      this.open = false
      closed()
    })
    if (this.#readings().sse === "awkward") response.write("\uFEFF")
  }

  /** The id of the next request of the service; numbers begin at 0 on each connection. */
  nextRequestId(): number | string {
    const id = this.#requests++
    return this.#readings().requestIds === "numbers" ? id : `request-${id}-${this.id}`
  }

  send(message: Readonly<Record<string, unknown>>): void {
    const response = this.#response
    if (response === undefined || !this.open) return
    if (response.writableLength > maximumQueuedBytes) return this.close("reset")
    const value = { jsonrpc: "2.0", ...message }
    if (this.#readings().sse === "plain") return void response.write(`data: ${JSON.stringify(value)}\n\n`)
    const lines = JSON.stringify(value, undefined, 1).split("\n")
    const bytes = Buffer.from(`event:message\r\n${lines.map((line) => `data:${line}\r\n`).join("")}\r\n`)
    const middle = tearAt(bytes)
    response.write(bytes.subarray(0, middle))
    response.write(bytes.subarray(middle))
  }

  close(how: "end" | "reset"): void {
    this.open = false
    if (how === "end") this.#response?.end()
    else this.#response?.socket?.resetAndDestroy()
  }
}

/** Inside of a character of several bytes, if there is one. */
const tearAt = (bytes: Buffer): number => {
  const index = bytes.findIndex((byte) => byte >= 0xc0)
  return index < 0 ? bytes.length >> 1 : index + 1
}
