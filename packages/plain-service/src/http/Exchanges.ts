import type { IncomingMessage, ServerResponse } from "node:http"
import { setTimeout as sleep } from "node:timers/promises"
import { keepNewest } from "../KeepNewest.ts"
import { ApiRequest } from "./ApiRequest.ts"
import { Faults } from "./Faults.ts"
import { Refusal } from "./Refusal.ts"
import type { Reply } from "./Reply.ts"

/** One request that arrived, in the order of arrival. */
export interface RequestRecord {
  readonly method: string
  readonly path: string
  readonly query: string
  readonly rpcMethod?: string
  /** Whether it had an Authorization header. */
  readonly authorized: boolean
  readonly at: number
  /** 0 until it is answered, and for ever when it is reset or hangs. */
  readonly status: number
}

/** Answers requests through the rules for faults, and records them. */
export class Exchanges {
  readonly requests: Array<RequestRecord & { status: number }> = []
  readonly faults = new Faults()
  readonly #answer: (request: ApiRequest) => Reply

  constructor(answer: (request: ApiRequest) => Reply) {
    this.#answer = answer
  }

  readonly serve = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    response.on("error", () => response.destroy())
    try {
      const request = await ApiRequest.read(incoming)
      const record = this.#record(request)
      const outcome = await this.#outcome(request)
      if (outcome === "hang") return
      if (outcome === "reset") return void response.socket?.resetAndDestroy()
      record.status = outcome.status
      write(response, outcome)
    } catch (error) {
      if (error instanceof Refusal) write(response, error.reply)
      else response.destroy()
    }
  }

  #record(request: ApiRequest): RequestRecord & { status: number } {
    const rpcMethod = request.rpcMethod
    const record = {
      method: request.method,
      path: request.path,
      query: request.query.toString(),
      ...(rpcMethod === undefined ? {} : { rpcMethod }),
      authorized: request.headers.authorization !== undefined,
      at: Date.now(),
      status: 0
    }
    this.requests.push(record)
    keepNewest(this.requests)
    return record
  }

  async #outcome(request: ApiRequest): Promise<Reply | "reset" | "hang"> {
    const fault = this.faults.take(request)
    if (fault === undefined) return this.#reply(request)
    const { effect, when } = fault
    if (typeof effect === "object" && "delayMs" in effect) {
      const early = when === "after" ? this.#reply(request) : undefined
      await sleep(effect.delayMs, undefined, { ref: false })
      return early ?? this.#reply(request)
    }
    if (when === "after") this.#reply(request)
    return typeof effect === "string" ? effect : Faults.reply(effect, request)
  }

  #reply(request: ApiRequest): Reply {
    try {
      return this.#answer(request)
    } catch (error) {
      if (error instanceof Refusal) return error.reply
      return Refusal.api(500, "server_error", error instanceof Error ? error.message : "unknown").reply
    }
  }
}

const write = (response: ServerResponse, { body, headers, status, stream }: Reply): void => {
  if (response.destroyed) return
  if (stream !== undefined) {
    response.writeHead(status, headers)
    response.flushHeaders()
    return stream(response)
  }
  response.writeHead(status, { ...headers, "Content-Length": Buffer.byteLength(body) })
  response.end(body)
}
