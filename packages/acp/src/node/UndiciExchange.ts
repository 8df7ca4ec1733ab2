import { Agent, type Dispatcher, request } from "undici"
import type { Body, HttpExchange } from "../HttpExchange.ts"

/**
 * Uses undici directly, which costs less than Node's `fetch`. By default all channels of the process share one
 * dispatcher.
 */
export const make =
  (dispatcher?: Dispatcher): HttpExchange =>
  async ({ url, method, headers, body, signal }) => {
    const answer = await request(url, {
      method,
      headers,
      signal,
      dispatcher: dispatcher ?? shared(),
      ...(body === undefined ? {} : { body })
    })
    const { body: stream, headers: fields, statusCode: status } = answer
    return {
      status,
      header: (name) => {
        const value = fields[name]
        return Array.isArray(value) ? value.join(", ") : value
      },
      cookies: [fields["set-cookie"] ?? []].flat(),
      body: bodyOf(stream)
    }
  }

let agent: Agent | undefined

// The limits of undici would end a silent stream. Keep-alive probes end the sockets of hosts that are gone.
const shared = () =>
  (agent ??= new Agent({
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: { keepAlive: true, keepAliveInitialDelay: 30_000 }
  }))

const bodyOf = (body: Dispatcher.ResponseData["body"]): Body => {
  let end: ((error?: unknown) => void) | undefined
  // Without a reader it may fail, too: a body that was aborted does.
  body.on("error", (error) => end?.(error))
  return {
    read: (sink) => {
      // Only the first end counts: a body that ended, or broke off, is closed afterwards.
      end = (error) => {
        end = undefined
        sink.end(error)
      }
      body.on("end", () => end?.())
      body.on("close", () => end?.(new Error("The body was given up")))
      body.on("data", sink.piece)
    },
    pause: () => body.pause(),
    resume: () => body.resume(),
    cancel: () => body.destroy()
  }
}
