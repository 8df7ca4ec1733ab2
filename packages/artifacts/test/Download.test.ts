import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import type * as Artifacts from "@heddle/artifacts/Artifacts"
import type * as Download from "@heddle/artifacts/Download"
import { assert } from "@effect/vitest"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { createHash } from "node:crypto"
import type { IncomingMessage, ServerResponse } from "node:http"
import { Readable } from "node:stream"
import { artifactsAt, serve } from "./support/Serve.ts"
import { overEachClient } from "./support/Clients.ts"

const media = { artifact: { type: "media" as const, uri: "agent:///artifacts/a.bin" } }

const bytes = (stream: Stream.Stream<Uint8Array, Artifacts.DownloadError>) =>
  stream.pipe(
    Stream.runCollect,
    Effect.map((chunk) => Buffer.concat(Chunk.toReadonlyArray(chunk)))
  )

// Of no even length, so that a piece at a wrong place is another piece.
const pattern = Buffer.from(Array.from({ length: 100_003 }, (_, at) => (at * 31 + (at >> 8)) & 255))

/** The bytes of a file of any size, without the file. */
function* content(from: number, to: number): Generator<Buffer> {
  for (let at = from; at < to;) {
    const piece = pattern.subarray(at % pattern.length).subarray(0, to - at)
    yield piece
    at += piece.length
  }
}

const md5 = (size: number) => {
  const hash = createHash("md5")
  for (const piece of content(0, size)) hash.update(piece)
  return hash.digest("hex")
}

/** A file server; `end` says where a response is cut, by its number. */
const file =
  (options: {
    readonly size: number
    readonly end?: (request: number) => number | undefined
    readonly headers?: (request: number) => Record<string, string>
    readonly ranges?: boolean
    readonly onPiece?: (bytes: number) => void
  }) =>
  () => {
    let requests = 0
    return (request: IncomingMessage, response: ServerResponse) => {
      const number = ++requests
      const headers: Record<string, string> = { etag: '"one"', ...options.headers?.(number) }
      const asked = options.ranges === false ? null : /^bytes=(\d+)-$/.exec(request.headers.range ?? "")
      const condition = request.headers["if-range"]
      const from = asked !== null && (condition === undefined || condition === headers["etag"]) ? Number(asked[1]) : 0
      if (headers["content-length"] === undefined) headers["content-length"] = String(options.size - from)
      if (headers["content-length"] === "") delete headers["content-length"]
      if (from > 0) headers["content-range"] = `bytes ${from}-${options.size - 1}/${options.size}`
      response.writeHead(from > 0 ? 206 : 200, headers)
      const end = options.end?.(number)
      const counted = function* () {
        for (const piece of content(from, end ?? options.size)) {
          options.onPiece?.(piece.length)
          yield piece
        }
      }
      const pieces = Readable.from(counted())
      response.once("close", () => pieces.destroy())
      pieces.pipe(response, { end: end === undefined })
      // Cut once what was written has left.
      if (end !== undefined) pieces.once("end", () => response.write("", () => response.destroy()))
    }
  }

/** The size of the large file in MiB: HEDDLE_ROUNDS=1024 by hand. */
const mebibytes = Number(process.env["HEDDLE_ROUNDS"] ?? 10)

/** A file of 20,000 bytes, whose size `/silent` does not announce. */
const serveSized = serve((request, response) =>
  file({ size: 20_000, headers: () => (request.url === "/silent" ? { "content-length": "" } : {}) })()(
    request,
    response
  )
)

overEachClient("Download", { timeout: 600_000 }, (run) => {
  run("brings the bytes from the sandbox with the token, and says how far it is", () =>
    Effect.gen(function* () {
      const size = 300_000
      const answer = file({ size })()
      const server = yield* serve((request, response) => {
        if (request.headers.authorization !== "Bearer token-2") return response.writeHead(401).end()
        return answer(request, response)
      })
      const artifacts = yield* artifactsAt(`${server.url}/acp`)
      const told: Array<Download.Progress> = []
      const options = {
        maxBytes: size,
        onProgress: (progress: Download.Progress) => Effect.sync(() => told.push(progress))
      }
      const got = yield* bytes(artifacts.download({ ...media, md5: md5(size).toUpperCase() }, options))
      assert.isTrue(got.equals(Buffer.concat([...content(0, size)])))
      assert.strictEqual(server.seen[1]?.path, "/artifacts/a.bin")
      assert.deepStrictEqual(told.at(-1), { received: size, total: size })
      assert.isAbove(told.length, 1)
      assert.deepStrictEqual(
        told.map(({ received }) => received),
        told.map(({ received }) => received).toSorted((a, b) => a - b)
      )
    })
  )

  run("goes on where it was cut, asking for the same file, with a fresh token where the old one ended", () =>
    Effect.gen(function* () {
      const size = 2_000_000
      const answer = file({ size, end: (request) => [700_000, 1_400_000][request - 1] })()
      let refused = false
      const server = yield* serve((request, response) => {
        if (request.headers.range !== undefined && !refused) {
          refused = true
          return response.writeHead(401).end()
        }
        return answer(request, response)
      })
      const artifacts = yield* artifactsAt(`${server.url}/acp`)
      const got = yield* bytes(artifacts.download({ ...media, md5: md5(size) }, { maxBytes: size }))
      assert.isTrue(got.equals(Buffer.concat([...content(0, size)])))
      assert.deepStrictEqual(
        server.seen.map(({ authorization, ifRange, range }) => [authorization, range?.split("=")[0], ifRange]),
        [
          ["Bearer token-1", undefined, undefined],
          ["Bearer token-1", "bytes", '"one"'],
          ["Bearer token-2", "bytes", '"one"'],
          ["Bearer token-2", "bytes", '"one"']
        ]
      )
    })
  )

  run("streams a large file in little memory, cut twice on the way", () =>
    Effect.gen(function* () {
      const size = mebibytes * 1024 * 1024
      let sent = 0
      let ahead = 0
      let peak = 0
      const before = process.memoryUsage().rss
      const answer = file({
        size,
        end: (request) => [Math.trunc(size / 3), Math.trunc((size * 2) / 3)][request - 1],
        onPiece: (count) => (sent += count)
      })()
      const server = yield* serve(answer)
      const artifacts = yield* artifactsAt(`${server.url}/acp`)
      let received = 0
      yield* artifacts.download({ ...media, md5: md5(size) }, { maxBytes: size }).pipe(
        Stream.runForEach((piece) =>
          Effect.sync(() => {
            received += piece.length
            ahead = Math.max(ahead, sent - received)
            peak = Math.max(peak, process.memoryUsage().rss - before)
          })
        )
      )
      assert.strictEqual(received, size)
      assert.strictEqual(server.seen.length, 3)
      assert.isBelow(ahead, 8 * 1024 * 1024)
      if (process.env["HEDDLE_ROUNDS"] !== undefined) {
        console.info(`${size} bytes; at most ${ahead} under way; ${peak} bytes more memory than before`)
      }
    })
  )

  run("gives up after the configured number of cuts, and reports its progress", () =>
    Effect.gen(function* () {
      const answer = file({ size: 1_000_000, end: (request) => request * 100_000 })()
      const server = yield* serve(answer)
      const artifacts = yield* artifactsAt(`${server.url}/acp`)
      const error = yield* Effect.flip(bytes(artifacts.download(media, { maxBytes: 1_000_000, resumes: 2 })))
      assert.strictEqual(error._tag, "SandboxUnavailable")
      assert.match(error.message, /after \d+ bytes/)
      assert.strictEqual(server.seen.length, 3)
      assert.notInclude(JSON.stringify(error), "token-")
    })
  )

  run("notices that the file was replaced while it was fetched", () =>
    Effect.gen(function* () {
      const cut = { size: 200_000, end: (request: number) => (request === 1 ? 100_000 : undefined) }
      for (const later of [{ etag: '"two"' }, { etag: '"one"', "content-range": "bytes 0-1/2" }]) {
        const answer = file({ ...cut, headers: (request) => (request === 1 ? {} : later) })()
        const server = yield* serve((request, response) =>
          request.headers.range !== undefined && later["content-range"] !== undefined
            ? void response.writeHead(416, later).end()
            : answer(request, response)
        )
        const artifacts = yield* artifactsAt(`${server.url}/acp`)
        const error = yield* Effect.flip(bytes(artifacts.download(media, { maxBytes: 200_000 })))
        assert.strictEqual(error._tag, "MediaChanged")
        assert.strictEqual(server.seen.length, 2)
      }
    })
  )

  run("skips what it has where the server knows no ranges, and goes on without a tag where there is an md5", () =>
    Effect.gen(function* () {
      const size = 200_000
      const end = (request: number) => (request === 1 ? 100_000 : undefined)
      const untagged = { headers: () => ({ etag: 'W/"weak"' }) }
      const ways = [
        { given: media, answer: file({ size, end, ranges: false }) },
        { given: { ...media, md5: md5(size) }, answer: file({ size, end, ...untagged }) },
        { given: { ...media, md5: md5(size) }, answer: file({ size, end, ranges: false, ...untagged }) }
      ]
      for (const { answer, given } of ways) {
        const server = yield* serve(answer())
        const artifacts = yield* artifactsAt(`${server.url}/acp`)
        const got = yield* bytes(artifacts.download(given, { maxBytes: size }))
        assert.isTrue(got.equals(Buffer.concat([...content(0, size)])))
        assert.strictEqual(server.seen.length, 2)
      }
      const unsafe = yield* serve(file({ size, end, ...untagged })())
      const artifacts = yield* artifactsAt(`${unsafe.url}/acp`)
      const error = yield* Effect.flip(bytes(artifacts.download(media, { maxBytes: size })))
      assert.include(error.message, "no safe way to go on")
      assert.strictEqual(unsafe.seen.length, 1)
    })
  )

  run("says that the bytes are not those of the md5, also where the runtime has none", () =>
    Effect.gen(function* () {
      const server = yield* serve(file({ size: 1000 })())
      const artifacts = yield* artifactsAt(`${server.url}/acp`)
      const { getBuiltinModule } = process
      yield* Effect.addFinalizer(() => Effect.sync(() => Object.assign(process, { getBuiltinModule })))
      const forbidden = () => ({
        createHash: () => {
          throw new Error("md5 is not in this mode")
        }
      })
      const [right, wrong] = [md5(1000), md5(999)]
      for (const runtime of [getBuiltinModule, undefined, forbidden]) {
        Object.assign(process, { getBuiltinModule: runtime })
        yield* bytes(artifacts.download({ ...media, md5: right }, { maxBytes: 1000 }))
        const error = yield* Effect.flip(bytes(artifacts.download({ ...media, md5: wrong }, { maxBytes: 1000 })))
        assert.deepInclude(error, { _tag: "MediaCorrupted", expected: wrong, actual: right })
      }
    })
  )

  run("does not wait for a server that sends nothing more", () =>
    Effect.gen(function* () {
      const server = yield* serve((request, response) => {
        if (request.url === "/silent") return
        response.writeHead(200, { "content-length": 10, etag: '"one"' }).write("12345")
      })
      const artifacts = yield* artifactsAt(`${server.url}/acp`)
      const options = { maxBytes: 10, resumes: 1, idleTimeout: "500 millis" } as const
      const stalled = yield* Effect.flip(bytes(artifacts.download(media, options)))
      assert.strictEqual(stalled._tag, "SandboxUnavailable")
      assert.include(stalled.message, "after 5 bytes")
      const silent = yield* Effect.flip(bytes(artifacts.download({ ...media, url: "/silent" }, options)))
      assert.include(silent.message, "no answer came")
    })
  )

  run("stops at the limit, announced or not", () =>
    Effect.gen(function* () {
      const server = yield* serveSized
      const artifacts = yield* artifactsAt(`${server.url}/acp`)
      for (const [url, size] of [
        ["/announced", 20_000],
        ["/silent", undefined]
      ] as const) {
        const error = yield* Effect.flip(bytes(artifacts.download({ ...media, url }, { maxBytes: 19_999 })))
        assert.strictEqual(error._tag, "MediaTooLarge")
        assert.strictEqual(error._tag === "MediaTooLarge" ? error.size : 0, size)
        assert.strictEqual((yield* bytes(artifacts.download({ ...media, url }, { maxBytes: 20_000 }))).length, 20_000)
      }
    })
  )

  run("notices fewer and more bytes than the artifact has, announced or not", () =>
    Effect.gen(function* () {
      const server = yield* serveSized
      const artifacts = yield* artifactsAt(`${server.url}/acp`)
      for (const url of ["/announced", "/silent"]) {
        const sized = (size: number) => ({ artifact: { ...media.artifact, size }, url })
        assert.strictEqual((yield* bytes(artifacts.download(sized(20_000), { maxBytes: 20_000 }))).length, 20_000)
        for (const size of [19_999, 20_001]) {
          const error = yield* Effect.flip(bytes(artifacts.download(sized(size), { maxBytes: 30_000 })))
          assert.deepInclude(error, { _tag: "MediaCorrupted", property: "size", expected: String(size) })
          assert.strictEqual(error._tag === "MediaCorrupted" ? error.actual : "", "20000")
        }
      }
    })
  )

  run("goes on by itself when the server was busy, as late as it asks to", () =>
    Effect.gen(function* () {
      const answer = file({ size: 10 })()
      const server = yield* serve((request, response) =>
        server.seen.length === 1 ? response.writeHead(429, { "retry-after": "1" }).end() : answer(request, response)
      )
      const artifacts = yield* artifactsAt(`${server.url}/acp`)
      const began = Date.now()
      assert.strictEqual((yield* bytes(artifacts.download(media, { maxBytes: 10 }))).length, 10)
      assert.isAtLeast(Date.now() - began, 990)
    })
  )

  run("goes on by itself when the first connection was reset", () =>
    Effect.gen(function* () {
      const answer = file({ size: 10 })()
      const server = yield* serve((request, response) =>
        server.seen.length === 1 ? void response.destroy() : answer(request, response)
      )
      const artifacts = yield* artifactsAt(`${server.url}/acp`)
      assert.strictEqual((yield* bytes(artifacts.download(media, { maxBytes: 10 }))).length, 10)
    })
  )

  run("takes the artifact's own address when the direct one is at an unreachable server", () =>
    Effect.gen(function* () {
      const server = yield* serve(file({ size: 10 })())
      const closed = yield* serve(() => {})
      closed.stop()
      const http = HttpClient.mapRequest(yield* HttpClient.HttpClient, (request) =>
        HttpClientRequest.setUrl(request, request.url.replace("https://cdn.example", closed.url))
      )
      const artifacts = yield* Effect.provideService(artifactsAt(`${server.url}/acp`), HttpClient.HttpClient, http)
      for (const url of ["https://cdn.example/a", "http://cdn.example/a", "https://localhost/a"]) {
        assert.strictEqual((yield* bytes(artifacts.download({ ...media, url }, { maxBytes: 10 }))).length, 10)
      }
      assert.deepStrictEqual(
        server.seen.map(({ path }) => path),
        ["/artifacts/a.bin", "/artifacts/a.bin", "/artifacts/a.bin"]
      )
      const only = { artifact: { ...media.artifact, uri: "file:///a" }, url: "https://cdn.example/a" }
      assert.strictEqual(
        (yield* Effect.flip(bytes(artifacts.download(only, { maxBytes: 10 }))))._tag,
        "SandboxUnavailable"
      )
    })
  )

  run("takes the artifact's own address when the direct one has expired or has no file", () =>
    Effect.gen(function* () {
      for (const status of [403, 404]) {
        const answer = file({ size: 10 })()
        const server = yield* serve((request, response) =>
          request.url === "/artifacts/a.bin" ? answer(request, response) : void response.writeHead(status).end()
        )
        const artifacts = yield* artifactsAt(`${server.url}/acp`)
        const got = yield* bytes(artifacts.download({ ...media, url: "/signed?until=1" }, { maxBytes: 10 }))
        assert.strictEqual(got.length, 10)
        assert.deepStrictEqual(
          server.seen.map(({ path }) => path),
          ["/signed?until=1", "/artifacts/a.bin"]
        )
      }
    })
  )

  run("says when a file is gone, is busy, or is no file", () =>
    Effect.gen(function* () {
      let answer: readonly [number, Record<string, string>] = [404, {}]
      const server = yield* serve((_, response) => response.writeHead(...answer).end("data: x\n\n"))
      const artifacts = yield* artifactsAt(`${server.url}/acp`)
      const image = { artifact: { ...media.artifact, mimeType: "image/png" } }
      for (const [status, headers, tag] of [
        [404, {}, "MediaGone"],
        [410, {}, "MediaGone"],
        [403, {}, "Unauthorized"],
        [503, { "retry-after": "3600" }, "SandboxUnavailable"],
        [206, { "content-range": "bytes 0-8/9" }, "SandboxUnavailable"],
        [200, { "content-type": "text/event-stream" }, "NotDownloadable"],
        [200, { "content-type": "text/html; charset=utf-8" }, "NotDownloadable"]
      ] as const) {
        answer = [status, headers]
        const error = yield* Effect.flip(bytes(artifacts.download(image, { maxBytes: 1000 })))
        assert.strictEqual(error._tag, tag)
      }
      assert.strictEqual(server.seen.length, 7)
      const local = { artifact: { type: "media" as const, uri: "file:///home/me/a.png" } }
      assert.strictEqual(
        (yield* Effect.flip(bytes(artifacts.download(local, { maxBytes: 1 }))))._tag,
        "NotDownloadable"
      )
      assert.strictEqual(server.seen.length, 7)
    })
  )
})
