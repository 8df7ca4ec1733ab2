import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Http from "node:http"
import * as Https from "node:https"

/** A request exactly as it is sent. */
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

/** A response with its complete body. */
export interface RawResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

/** No response, or an incomplete one, arrived. */
export class ConnectionError extends Data.TaggedError("ConnectionError")<{
  readonly reason: string
  readonly code?: string
}> {}

// Only reads reuse connections: if a reused one closes, a write may or may not have arrived.
const agents = {
  "http:": new Http.Agent({ keepAlive: true, maxSockets: 16, timeout: 4000 }),
  "https:": new Https.Agent({ keepAlive: true, maxSockets: 16, timeout: 4000 })
}

/** Sends a request and reads the response; redirects are never followed. Waits for 8 seconds. */
export const exchange = (request: RawRequest): Effect.Effect<RawResponse, ConnectionError> =>
  withTimeout(
    Effect.catchIf(exchangeOnce(request, { keepAlive: true }), isRetryable(request), () =>
      exchangeOnce(request, { keepAlive: false })
    )
  )

/** Sends a request and returns the response once its head has arrived, before its body. Ends with `ConnectionError`. */
export const startExchange = (
  request: RawRequest,
  options: { readonly keepAlive: boolean }
): Effect.Effect<Http.IncomingMessage, ConnectionError> =>
  Effect.async((resume) => {
    const outgoing = open(request, options)
    let hasResponse = false
    outgoing.once("response", (response) => {
      hasResponse = true
      resume(Effect.succeed(response))
    })
    outgoing.on("error", (error) => {
      // A service that refuses a body early closes the connection while it is being sent: the response counts.
      if (!hasResponse) resume(Effect.fail(connectionError(error)))
    })
    write(outgoing, request)
    return Effect.sync(() => void outgoing.destroy())
  })

/** Fails after 8 seconds. */
export const withTimeout = <A>(waiting: Effect.Effect<A, ConnectionError>): Effect.Effect<A, ConnectionError> =>
  Effect.timeoutFail(waiting, {
    duration: "8 seconds",
    onTimeout: () => new ConnectionError({ reason: "no response within 8 seconds" })
  })

const connectionError = (error: NodeJS.ErrnoException) =>
  new ConnectionError({
    reason: error.message || (error.code ?? "the connection broke"),
    ...(error.code === undefined ? {} : { code: error.code })
  })

const exchangeOnce = (
  request: RawRequest,
  { keepAlive }: { readonly keepAlive: boolean }
): Effect.Effect<RawResponse, ConnectionError> =>
  Effect.flatMap(startExchange(request, { keepAlive: keepAlive && isRead(request) }), readBody)

const isRead = ({ method }: RawRequest) => method === "GET" || method === "HEAD"

const isRetryable = (request: RawRequest) => (error: ConnectionError) => isRead(request) && error.code === "ECONNRESET"

const open = ({ headers, method, target, url }: RawRequest, { keepAlive }: { readonly keepAlive: boolean }) => {
  const isHttps = url.protocol === "https:"
  const options: Http.RequestOptions = {
    method,
    hostname: url.hostname.replace(/^\[|\]$/g, ""),
    port: url.port === "" ? (isHttps ? 443 : 80) : url.port,
    path: target,
    headers,
    agent: keepAlive ? agents[isHttps ? "https:" : "http:"] : false
  }
  return isHttps ? Https.request(options) : Http.request(options)
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

const readBody = (response: Http.IncomingMessage): Effect.Effect<RawResponse, ConnectionError> =>
  Effect.async((resume) => {
    const chunks: Array<Buffer> = []
    response.on("data", (chunk: Buffer) => chunks.push(chunk))
    response.once("end", () =>
      resume(
        Effect.succeed({ status: response.statusCode ?? 0, headers: headersOf(response), body: Buffer.concat(chunks) })
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
