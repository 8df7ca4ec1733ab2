import { Agent, type Dispatcher, request } from "undici"
import type { Body, HttpExchange } from "../HttpExchange.ts"

/**
 * Exchanges by undici, straight from the socket's bytes: what Node's `fetch` adds to them is saved.
 *
 * Without a dispatcher of the caller's (a proxy, say) all channels of this process share one.
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

// Its own limits would end a stream that is silent by right; a channel watches over its silence itself.
const shared = () => (agent ??= new Agent({ headersTimeout: 0, bodyTimeout: 0 }))

const bodyOf = (body: Dispatcher.ResponseData["body"]): Body => {
  body.on("error", () => {
    // Whoever reads hears of it; a body that was given up may fail unheard.
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
