import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { once } from "node:events"
import * as Http from "node:http"

/** A request as the service saw it. */
export interface Seen {
  readonly method: string
  readonly url: string
  readonly headers: Http.IncomingHttpHeaders
  readonly body: string
}

/** What the service does with a request: an answer, or something to its socket. */
export type Reply =
  | { readonly status: number; readonly body?: unknown; readonly headers?: Record<string, string> }
  | ((response: Http.ServerResponse) => void)

/** A real HTTP service on a free loopback port that gives the configured answers and records its requests. */
export const make = (reply: (seen: Seen, nth: number) => Reply) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const seen: Array<Seen> = []
      const server = Http.createServer(async (request, response) => {
        const parts: Array<Buffer> = []
        for await (const part of request) parts.push(part)
        const one = {
          method: request.method ?? "",
          url: request.url ?? "",
          headers: request.headers,
          body: Buffer.concat(parts).toString()
        }
        seen.push(one)
        const answer = reply(one, seen.length)
        if (typeof answer === "function") return answer(response)
        const { body } = answer
        response.writeHead(answer.status, { "content-type": "application/json", ...answer.headers })
        response.end(body === undefined ? "" : typeof body === "string" ? body : JSON.stringify(body))
      })
      server.listen(0, "127.0.0.1")
      await once(server, "listening")
      const address = server.address()
      const port = typeof address === "object" && address !== null ? address.port : 0
      return { seen, url: `http://127.0.0.1:${port}`, server }
    }),
    ({ server }) =>
      Effect.async<void>((resume) => {
        server.close(() => resume(Effect.void))
        server.closeAllConnections()
      })
  )

/** Interrupts a call once the service has its request, and waits until its connection is closed. */
export const assertClosesOnInterrupt = <A, E, R>(
  { server }: { readonly server: Http.Server },
  call: Effect.Effect<A, E, R>
) =>
  Effect.gen(function* () {
    const requested = once(server, "request")
    const fiber = yield* Effect.fork(call)
    const [, response] = yield* Effect.promise(() => requested)
    const closed = once(response, "close")
    yield* Fiber.interrupt(fiber)
    yield* Effect.promise(() => closed)
  })
