import * as Ticket from "@heddle/acp/Ticket"
import * as Artifacts from "@heddle/artifacts/Artifacts"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { createServer, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"

export interface Seen {
  readonly method: string | undefined
  readonly path: string
  readonly authorization: string | undefined
  readonly range: string | undefined
  readonly ifRange: string | undefined
}

/** A server on a free port that says what it saw. */
export const serve = (handler: RequestListener) =>
  Effect.acquireRelease(
    Effect.async<{ readonly url: string; readonly seen: Array<Seen>; readonly stop: () => void }>((resume) => {
      const seen: Array<Seen> = []
      const server = createServer((request, response) => {
        const { headers, method, url = "" } = request
        const ifRange = headers["if-range"]
        seen.push({
          method,
          path: url,
          authorization: headers.authorization,
          range: headers.range,
          ifRange: typeof ifRange === "string" ? ifRange : undefined
        })
        handler(request, response)
      })
      server.listen(0, "127.0.0.1", () => {
        const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
        const stop = () => {
          server.close()
          server.closeAllConnections()
        }
        resume(Effect.succeed({ url, seen, stop }))
      })
    }),
    ({ stop }) => Effect.sync(stop)
  )

/** The artifacts behind a link, with tokens "token-1", "token-2" and so on. */
export const artifactsAt = (link: string) =>
  Effect.gen(function* () {
    let fetched = 0
    const ticket = yield* Ticket.make(Effect.sync(() => ({ link, token: Redacted.make(`token-${++fetched}`) })))
    return yield* Effect.provideService(Artifacts.make, Ticket.Ticket, ticket)
  })

/** Artifacts as the wire has them: a push need not have the md5. */
export const wire = (uri: string, updatedAt: number, event = "created") => ({
  sessionId: "task-1",
  event,
  md5: String(updatedAt),
  artifact: { type: "overview", uri, text: `${uri} ${updatedAt}`, updatedAt }
})

/** Serves the current result of `list`, as the document says. */
export const lists =
  (list: (asked: URLSearchParams) => ReadonlyArray<unknown>): RequestListener =>
  (request, response) => {
    const asked = new URL(request.url ?? "", "http://x").searchParams
    const all = list(asked)
    const limit = Number(asked.get("limit") ?? 0)
    const offset = Number(asked.get("offset") ?? 0)
    const artifacts = limit === 0 ? all : all.slice(offset, offset + limit)
    const pagination = {
      total: all.length,
      returned: artifacts.length,
      limit,
      offset,
      hasMore: limit > 0 && offset + limit < all.length
    }
    const data = { sessionId: "task-1", artifacts, pagination }
    response.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify({ code: 0, data }))
  }
