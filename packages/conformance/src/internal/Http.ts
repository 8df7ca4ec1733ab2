import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Http from "node:http"
import * as Https from "node:https"

/** A request exactly as it goes out. */
export interface RawRequest {
  readonly method: string
  readonly url: URL
  /** The path and query as sent; a URL would normalize them. */
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: Uint8Array | undefined
  /** Sends the body in chunks, without a length. */
  readonly chunked?: boolean | undefined
}

/** A response with its whole body. */
export interface RawResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

/** No response, or only a part of one, arrived. */
export class ConnectionError extends Data.TaggedError("ConnectionError")<{
  readonly reason: string
  readonly code?: string
}> {}

// Only reads reuse connections: a write on a connection that closes may or may not have arrived.
const agents = {
  "http:": new Http.Agent({ keepAlive: true, maxSockets: 16, timeout: 4000 }),
  "https:": new Https.Agent({ keepAlive: true, maxSockets: 16, timeout: 4000 })
}

/** Sends a request and reads the response; redirects are never followed. Waits for 8 seconds. */
export const exchange = (request: RawRequest): Effect.Effect<RawResponse, ConnectionError> =>
  inTime(Effect.catchIf(once(request, true), canTryAgain(request), () => once(request, false)))

/** The status and headers of a response whose body is still arriving. */
export const begin = (request: RawRequest, keptOpen: boolean): Effect.Effect<Http.IncomingMessage, ConnectionError> =>
  Effect.async((resume) => {
    const outgoing = open(request, keptOpen)
    let answered = false
    outgoing.once("response", (response) => {
      answered = true
      resume(Effect.succeed(response))
    })
    outgoing.on("error", (error) => {
      // A body that is refused early breaks the connection while it is still being sent: the response counts.
      if (!answered) resume(Effect.fail(connectionError(error)))
    })
    write(outgoing, request)
    return Effect.sync(() => void outgoing.destroy())
  })

/** Times out after 8 seconds. */
export const inTime = <A>(waiting: Effect.Effect<A, ConnectionError>): Effect.Effect<A, ConnectionError> =>
  Effect.timeoutFail(waiting, {
    duration: "8 seconds",
    onTimeout: () => new ConnectionError({ reason: "no response within 8 seconds" })
  })

const connectionError = (error: NodeJS.ErrnoException) =>
  new ConnectionError({
    reason: error.message || (error.code ?? "the connection broke"),
    ...(error.code === undefined ? {} : { code: error.code })
  })

const once = (request: RawRequest, keptOpen: boolean): Effect.Effect<RawResponse, ConnectionError> =>
  Effect.flatMap(begin(request, keptOpen && isRead(request)), readAll)

const isRead = ({ method }: RawRequest) => method === "GET" || method === "HEAD"

const canTryAgain = (request: RawRequest) => (error: ConnectionError) => isRead(request) && error.code === "ECONNRESET"

const open = ({ headers, method, target, url }: RawRequest, keptOpen: boolean) => {
  const secure = url.protocol === "https:"
  const options: Http.RequestOptions = {
    method,
    hostname: url.hostname.replace(/^\[|\]$/g, ""),
    port: url.port === "" ? (secure ? 443 : 80) : url.port,
    path: target,
    headers,
    agent: keptOpen ? agents[secure ? "https:" : "http:"] : false
  }
  return secure ? Https.request(options) : Http.request(options)
}

const write = (outgoing: Http.ClientRequest, { body, chunked }: RawRequest) => {
  if (body === undefined) return void outgoing.end()
  if (chunked !== true) {
    outgoing.setHeader("content-length", body.byteLength)
    return void outgoing.end(body)
  }
  outgoing.setHeader("transfer-encoding", "chunked")
  const half = Math.ceil(body.byteLength / 2)
  outgoing.write(body.subarray(0, half))
  outgoing.end(body.subarray(half))
}

const readAll = (response: Http.IncomingMessage): Effect.Effect<RawResponse, ConnectionError> =>
  Effect.async((resume) => {
    const pieces: Array<Buffer> = []
    response.on("data", (piece: Buffer) => pieces.push(piece))
    response.once("end", () =>
      resume(
        Effect.succeed({ status: response.statusCode ?? 0, headers: headersOf(response), body: Buffer.concat(pieces) })
      )
    )
    response.once("error", (error) => resume(Effect.fail(connectionError(error))))
    return Effect.sync(() => void response.destroy())
  })

/** The headers by lower-case name; repeated ones joined by a comma. */
export const headersOf = (response: Http.IncomingMessage): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(response.headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(", ") : (value ?? "")
    ])
  )
