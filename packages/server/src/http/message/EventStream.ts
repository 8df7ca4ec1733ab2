import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Effect from "effect/Effect"
import type { ServerResponse } from "node:http"

/** What every event stream says about itself. */
export const headers = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-cache, no-store, no-transform",
  "x-accel-buffering": "no"
}

/**
 * Makes a raw response an event stream. Its end is the end of its connection: a stream in chunks costs two writes more
 * per event, and gains nothing where events tell themselves where they end.
 */
export const begin = (response: ServerResponse, more: Readonly<Record<string, string>> = {}): void => {
  response.socket?.setNoDelay(true)
  response.useChunkedEncodingByDefault = false
  response.writeHead(200, { ...headers, ...more })
  response.write(": ok\n\n")
}

/** Waits for the end of a stream that was begun, whichever side ends it; `onEnd` runs once it is there. */
export const ended = (
  response: ServerResponse,
  onEnd: () => void
): Effect.Effect<HttpServerResponse.HttpServerResponse> =>
  Effect.async<HttpServerResponse.HttpServerResponse>((resume) => {
    const end = () => {
      onEnd()
      // Marks the response as given, so that nothing writes a second head.
      response.end()
      resume(Effect.succeed(HttpServerResponse.empty()))
    }
    if (response.closed) return end()
    response.once("close", end)
    return Effect.sync(end)
  })

/**
 * Leaves a stream that was begun to those who write it; `onEnd` runs when it is closed. The request counts as answered:
 * a fiber that waited for the end would keep everything that the request was given, for as long as the stream is open.
 */
export const leave = (response: ServerResponse, onEnd: () => void): HttpServerResponse.HttpServerResponse => {
  if (response.closed) onEnd()
  else response.once("close", onEnd)
  // What answers requests asks this before it writes a head; Node itself does not.
  Object.defineProperty(response, "writableEnded", { value: true })
  return HttpServerResponse.empty()
}
