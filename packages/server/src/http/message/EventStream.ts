import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Effect from "effect/Effect"
import type { ServerResponse } from "node:http"

/** The headers of every event stream. */
export const headers = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-cache, no-store, no-transform",
  "x-accel-buffering": "no"
}

/**
 * Makes a raw response an event stream that ends with its connection. Chunked encoding would cost two more writes per
 * event without a benefit, since events mark their own end.
 */
export const begin = (response: ServerResponse, extraHeaders: Readonly<Record<string, string>> = {}): void => {
  response.socket?.setNoDelay(true)
  response.useChunkedEncodingByDefault = false
  response.writeHead(200, { ...headers, ...extraHeaders })
  response.write(": ok\n\n")
}

/** Waits until either side ends a stream; `onEnd` runs once. */
export const waitForEnd = (
  response: ServerResponse,
  onEnd: () => void
): Effect.Effect<HttpServerResponse.HttpServerResponse> =>
  Effect.async<HttpServerResponse.HttpServerResponse>((resume) => {
    const end = () => {
      onEnd()
      // Marks the response as sent, so that the platform does not write a second head.
      response.end()
      resume(Effect.succeed(HttpServerResponse.empty()))
    }
    if (response.closed) return end()
    response.once("close", end)
    return Effect.sync(end)
  })

/**
 * Finishes the request while its stream stays open; `onEnd` runs when the stream closes. A fiber that waits for the end
 * would keep the memory of the request while the stream is open.
 */
export const detach = (response: ServerResponse, onEnd: () => void): HttpServerResponse.HttpServerResponse => {
  if (response.closed) onEnd()
  else response.once("close", onEnd)
  // The platform checks this before it writes a head; Node does not.
  Object.defineProperty(response, "writableEnded", { value: true })
  return HttpServerResponse.empty()
}
