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
    return {
      status: answer.statusCode,
      header: (name) => {
        const value = answer.headers[name]
        return Array.isArray(value) ? value.join(", ") : value
      },
      cookies: [answer.headers["set-cookie"] ?? []].flat(),
      body: bodyOf(answer.body)
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
  body.on("error", () => {
    // The reader gets the error; a body that was aborted may fail without one.
  })
  return {
    read: (sink) => {
      let ended = false
      const end = (error?: unknown) => {
        if (ended) return
        ended = true
        sink.end(error)
      }
      body.once("end", () => end())
      body.once("error", end)
      body.once("close", () => end(new Error("The body was given up")))
      body.on("data", sink.piece)
    },
    pause: () => body.pause(),
    resume: () => body.resume(),
    cancel: () => body.destroy()
  }
}
