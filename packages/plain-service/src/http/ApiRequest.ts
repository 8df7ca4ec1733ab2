import type { IncomingHttpHeaders, IncomingMessage } from "node:http"
import { isRecord } from "../IsRecord.ts"
import { Refusal } from "./Refusal.ts"

const maximumBytes = 8 * 1024 * 1024

/** A request that was read to its end. */
export class ApiRequest {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: IncomingHttpHeaders
  readonly body: string

  constructor(incoming: IncomingMessage, body: string) {
    const target = incoming.url ?? "/"
    const mark = target.indexOf("?")
    this.method = incoming.method ?? "GET"
    this.path = mark < 0 ? target : target.slice(0, mark)
    this.query = new URLSearchParams(mark < 0 ? "" : target.slice(mark + 1))
    this.headers = incoming.headers
    this.body = body
  }

  static async read(incoming: IncomingMessage): Promise<ApiRequest> {
    const chunks: Array<Buffer> = []
    let size = 0
    for await (const chunk of incoming as AsyncIterable<Buffer>) {
      size += chunk.length
      // A longer body is read to its end, so that the client receives the refusal.
      if (size <= maximumBytes) chunks.push(chunk)
      else chunks.length = 0
    }
    if (size > maximumBytes) throw Refusal.invalid("the body is too long")
    return new ApiRequest(incoming, Buffer.concat(chunks).toString("utf8"))
  }

  /** The media type of the body, without its parameters. */
  get mediaType(): string {
    return (this.headers["content-type"] ?? "").split(";")[0]?.trim().toLowerCase() ?? ""
  }

  get bearer(): string | undefined {
    return /^Bearer +(\S+)$/i.exec(this.headers.authorization ?? "")?.[1]
  }

  /** The body as a JSON object (4). */
  get fields(): Readonly<Record<string, unknown>> {
    if (this.mediaType !== "application/json") throw Refusal.invalid("Content-Type must be application/json")
    const value = this.json
    if (!isRecord(value)) throw Refusal.invalid("the body must be a JSON object")
    return value
  }

  /** The body as JSON, or undefined. */
  get json(): unknown {
    try {
      return JSON.parse(this.body)
    } catch {
      return undefined
    }
  }

  /** The JSON-RPC method of the body; "response" for the answer to a request of the service. */
  get rpcMethod(): string | undefined {
    if (this.method !== "POST" || !this.path.endsWith("/acp")) return undefined
    const message = this.json
    if (!isRecord(message)) return undefined
    return typeof message["method"] === "string" ? message["method"] : "response"
  }
}
