import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import type * as HttpClient from "@effect/platform/HttpClient"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as Ticket from "@heddle/acp/Ticket"
import * as Artifacts from "@heddle/artifacts/Artifacts"
import { assert, describe, it } from "@effect/vitest"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { createServer, type IncomingMessage, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"

interface Seen {
  readonly path: string
  readonly authorization: string | undefined
}

/** A server on a free port that says what it saw. */
const serve = (handler: RequestListener) =>
  Effect.acquireRelease(
    Effect.async<{ readonly url: string; readonly seen: Array<Seen>; readonly stop: () => void }>((resume) => {
      const seen: Array<Seen> = []
      const server = createServer((request, response) => {
        seen.push({ path: request.url ?? "", authorization: request.headers.authorization })
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

const artifactsAt = (link: string) =>
  Effect.gen(function* () {
    let fetched = 0
    const ticket = yield* Ticket.make(Effect.sync(() => ({ link, token: Redacted.make(`token-${++fetched}`) })))
    return yield* Effect.provideService(Artifacts.make, Ticket.Ticket, ticket)
  })

const entries = (count: number, from = 0) =>
  Array.from({ length: count }, (_, index) => ({
    sessionId: "task-1",
    event: "created",
    artifact: { type: "overview", uri: `agent:///${from + index}`, text: `${from + index}` }
  }))

const params = (request: IncomingMessage) => new URL(request.url ?? "", "http://x").searchParams

const media = { artifact: { type: "media" as const, uri: "agent:///artifacts/a.bin" } }

const bytes = (stream: Stream.Stream<Uint8Array, Artifacts.DownloadError>) =>
  stream.pipe(
    Stream.runCollect,
    Effect.map((chunk) => Buffer.concat(Chunk.toReadonlyArray(chunk)))
  )

describe.each([
  ["fetch", FetchHttpClient.layer],
  ["undici", NodeHttpClient.layerUndici]
] as const)("Artifacts over %s", (_, client) => {
  const run = <A, E>(name: string, effect: () => Effect.Effect<A, E, Scope.Scope | HttpClient.HttpClient>) =>
    it.scopedLive(name, () => Effect.suspend(effect).pipe(Effect.provide(client)))

  run("renews a refused token and asks again", () =>
    Effect.gen(function* () {
      const server = yield* serve((request, response) => {
        if (request.headers.authorization !== "Bearer token-2") return response.writeHead(401).end()
        const body = { code: 0, msg: "success", data: { sessionId: "task-1", artifacts: entries(1) } }
        response.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify(body))
      })
      const artifacts = yield* artifactsAt(`${server.url}/box/acp?sessionId=task-1`)
      const page = yield* artifacts.list({ sessionId: "task-1", type: "overview" })
      assert.strictEqual(page.entries[0]?.artifact.uri, "agent:///0")
      assert.strictEqual(server.seen[1]?.path, "/box/api/session/artifacts?sessionId=task-1&type=overview")
      assert.strictEqual(server.seen.length, 2)
    })
  )

  run("reads all pages, each uri once, and again when the list moved meanwhile", () =>
    Effect.gen(function* () {
      let requests = 0
      const server = yield* serve((request, response) => {
        const limit = Number(params(request).get("limit"))
        const offset = Number(params(request).get("offset"))
        // One artifact is added at the front after the first page.
        const all = entries(requests++ === 0 ? 450 : 451, requests === 1 ? 1 : 0)
        const pagination = { total: all.length, returned: limit, limit, offset, hasMore: offset + limit < all.length }
        const data = { sessionId: "task-1", artifacts: [...all.slice(offset, offset + limit), "odd"], pagination }
        response.writeHead(200).end(JSON.stringify({ code: 0, msg: "success", data }))
      })
      const artifacts = yield* artifactsAt(`${server.url}/acp`)
      const all = yield* artifacts.listAll({})
      assert.strictEqual(all.length, 451)
      assert.strictEqual(new Set(all.map(({ artifact }) => artifact.uri)).size, 451)
      assert.strictEqual(requests, 6)
    })
  )

  for (const [status, tag] of [
    [400, "InvalidQuery"],
    [401, "Unauthorized"],
    [403, "Unauthorized"],
    [404, "SessionGone"],
    [302, "SandboxUnavailable"],
    [500, "SandboxUnavailable"]
  ] as const) {
    run(`turns status ${status} into ${tag}`, () =>
      Effect.gen(function* () {
        const server = yield* serve((_, response) =>
          response.writeHead(status, { Location: "/elsewhere" }).end(JSON.stringify({ code: 1, msg: "because" }))
        )
        const artifacts = yield* artifactsAt(`${server.url}/acp`)
        const error = yield* Effect.flip(artifacts.list({}))
        assert.strictEqual(error._tag, tag)
        assert.isFalse(server.seen.some(({ path }) => path === "/elsewhere"))
        assert.notInclude(JSON.stringify(error), "token-")
      })
    )
  }

  run("gives typed errors for HTML, a closed port and a link without a sandbox", () =>
    Effect.gen(function* () {
      const server = yield* serve((_, response) => response.writeHead(200).end("<html>"))
      const artifacts = yield* artifactsAt(`${server.url}/acp`)
      assert.strictEqual((yield* Effect.flip(artifacts.list({})))._tag, "SandboxUnavailable")
      const closed = yield* artifactsAt("http://127.0.0.1:9/acp")
      const lost = yield* Effect.flip(closed.list({}))
      assert.strictEqual(lost._tag, "SandboxUnavailable")
      assert.notInclude(JSON.stringify(lost), "token-")
      const elsewhere = yield* artifactsAt("https://host/sessions/7")
      assert.strictEqual((yield* Effect.flip(elsewhere.list({})))._tag, "BadLink")
    })
  )

  run("downloads the bytes from the sandbox with the token", () =>
    Effect.gen(function* () {
      const content = Buffer.alloc(300_000, 7)
      const server = yield* serve((request, response) => {
        if (request.headers.authorization !== "Bearer token-2") return response.writeHead(401).end()
        response.writeHead(200, { "Content-Type": "application/octet-stream" }).end(content)
      })
      const artifacts = yield* artifactsAt(`${server.url}/acp`)
      assert.isTrue(content.equals(yield* bytes(artifacts.download(media, { maxBytes: 300_000 }))))
      assert.strictEqual(server.seen[1]?.path, "/artifacts/a.bin")
    })
  )

  run("stops at the limit, announced or not", () =>
    Effect.gen(function* () {
      const server = yield* serve((request, response) => {
        const body = Buffer.alloc(10_000)
        if (request.url === "/announced") return response.writeHead(200, { "Content-Length": body.length }).end(body)
        response.writeHead(200).write(body)
        response.end(body)
      })
      const artifacts = yield* artifactsAt(`${server.url}/acp`)
      for (const url of ["/announced", "/silent"]) {
        const entry = { ...media, url: `${server.url}${url}` }
        const error = yield* Effect.flip(bytes(artifacts.download(entry, { maxBytes: 9_999 })))
        assert.strictEqual(error._tag, "MediaTooLarge")
      }
    })
  )

  run("does not follow a redirect", () =>
    Effect.gen(function* () {
      const elsewhere = yield* serve((_, response) => response.writeHead(200).end("stolen"))
      const server = yield* serve((_, response) => response.writeHead(302, { Location: elsewhere.url }).end())
      const artifacts = yield* artifactsAt(`${server.url}/acp`)
      const error = yield* Effect.flip(bytes(artifacts.download(media, { maxBytes: 1000 })))
      assert.strictEqual(error._tag, "SandboxUnavailable")
      assert.deepStrictEqual(elsewhere.seen, [])
    })
  )

  run("says when a file is gone or cannot be fetched", () =>
    Effect.gen(function* () {
      const server = yield* serve((_, response) => response.writeHead(404).end())
      const artifacts = yield* artifactsAt(`${server.url}/acp`)
      assert.strictEqual((yield* Effect.flip(bytes(artifacts.download(media, { maxBytes: 1 }))))._tag, "MediaGone")
      const local = { artifact: { type: "media" as const, uri: "file:///home/me/a.png" } }
      assert.strictEqual(
        (yield* Effect.flip(bytes(artifacts.download(local, { maxBytes: 1 }))))._tag,
        "NotDownloadable"
      )
      assert.strictEqual(server.seen.length, 1)
    })
  )
})
