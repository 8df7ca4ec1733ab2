import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import type * as Artifacts from "@heddle/artifacts/Artifacts"
import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/TestClock"
import { artifactsAt, lists, serve, wire } from "./support/Serve.ts"
import { overEachClient } from "./support/Clients.ts"
import type { ServerResponse } from "node:http"

const uris = (entries: Iterable<{ readonly artifact: { readonly uri: string } }>) =>
  Array.from(entries, ({ artifact }) => artifact.uri)

/** The fields of a value that are not undefined. */
const definedOf = (value: object | undefined) =>
  Object.fromEntries(Object.entries(value ?? {}).filter(([, field]) => field !== undefined))

/** A client whose server is busy for good, and the milliseconds at which it was asked. */
const busy = (status: number, headers: Record<string, string> = {}) => {
  const asked: Array<number> = []
  const http = HttpClient.make((request) =>
    Effect.map(Clock.currentTimeMillis, (now) => {
      asked.push(now)
      return HttpClientResponse.fromWeb(request, new Response("", { status, headers }))
    })
  )
  return { asked, http }
}

describe("Artifacts at a busy sandbox", () => {
  const media = { artifact: { type: "media" as const, uri: "agent:///artifacts/a.bin" } }
  const calls = {
    list: (artifacts: Artifacts.Artifacts["Type"]) => artifacts.list({}),
    download: (artifacts: Artifacts.Artifacts["Type"]) => Stream.runDrain(artifacts.download(media, { maxBytes: 1 }))
  }
  for (const [name, call] of Object.entries(calls)) {
    it.effect(`waits 1, 2 and 4 s, or as long as it is asked to, before it gives up to ${name}`, () =>
      Effect.gen(function* () {
        const cases = [
          [429, {}, [1, 2, 4]],
          [502, {}, [1, 2, 4]],
          [503, {}, [1, 2, 4]],
          [504, {}, [1, 2, 4]],
          [503, { "retry-after": "3" }, [3, 3, 4]],
          [429, { "retry-after": "Thu, 01 Jan 2026 00:00:09 GMT", date: "Thu, 01 Jan 2026 00:00:04 GMT" }, [5, 5, 5]],
          [503, { "retry-after": "61" }, []],
          [500, {}, []]
        ] as const
        for (const [status, headers, waits] of cases) {
          const { asked, http } = busy(status, headers)
          const artifacts = yield* Effect.provideService(artifactsAt("http://host/acp"), HttpClient.HttpClient, http)
          const fiber = yield* Effect.fork(Effect.flip(call(artifacts) as Effect.Effect<void, Artifacts.DownloadError>))
          // Answers are read on the real event loop, so time passes in steps in which it turns.
          const turn = Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
          yield* Effect.repeatN(Effect.zipRight(Effect.repeatN(turn, 9), TestClock.adjust("1 second")), 24)
          const error = yield* fiber
          assert.deepInclude(error, { _tag: "SandboxUnavailable", status })
          const waited = asked.slice(1).map((at, number) => (at - (asked[number] ?? 0)) / 1000)
          assert.strictEqual(waited.length, waits.length)
          waited.forEach((seconds, at) => {
            const least = waits[at] ?? 0
            assert.isTrue(seconds >= least && seconds <= least * 1.25, `${seconds} instead of ${least}`)
          })
        }
      })
    )
  }
})

describe("Artifacts at a sandbox that asks for a long wait", () => {
  /** A client whose server refuses its first request with this `Retry-After`. */
  const busyOnce = (seconds: number) => {
    let asked = 0
    const http = HttpClient.make((request) =>
      Effect.sync(() =>
        HttpClientResponse.fromWeb(
          request,
          asked++ === 0
            ? new Response("", { status: 429, headers: { "retry-after": String(seconds) } })
            : Response.json({ code: 0, data: { artifacts: [wire("agent:///a", 1)] } })
        )
      )
    )
    return { asked: () => asked, http }
  }
  /** Answers are read on the real event loop. */
  const turns = Effect.repeatN(
    Effect.promise(() => new Promise((resolve) => setImmediate(resolve))),
    20
  )

  it.effect("asks again after ten minutes, however long the wait is", () =>
    Effect.gen(function* () {
      const { asked, http } = busyOnce(1e9)
      const artifacts = yield* Effect.provideService(artifactsAt("http://host/acp"), HttpClient.HttpClient, http)
      assert.deepInclude(yield* Effect.flip(artifacts.list({})), { _tag: "SandboxUnavailable", status: 429 })
      yield* TestClock.adjust("8 minutes")
      assert.deepInclude(yield* Effect.flip(artifacts.list({})), { _tag: "SandboxUnavailable", status: 429 })
      assert.strictEqual(asked(), 1)
      yield* TestClock.adjust("2 minutes")
      assert.deepStrictEqual(uris((yield* artifacts.list({})).entries), ["agent:///a"])
    })
  )

  it.effect("follows a session whose first list comes after that wait", () =>
    Effect.gen(function* () {
      const { asked, http } = busyOnce(90)
      const artifacts = yield* Effect.provideService(artifactsAt("http://host/acp"), HttpClient.HttpClient, http)
      const first = yield* Effect.fork(Stream.runHead(artifacts.changes(Stream.never, { sessionId: "task-1" })))
      for (let seconds = 0; seconds < 100; seconds++) yield* Effect.zipRight(turns, TestClock.adjust("1 second"))
      yield* turns
      assert.strictEqual(asked(), 2)
      assert.isTrue(Option.isSome(yield* first))
    })
  )
})

describe("a file that broke off at a busy sandbox", () => {
  it.effect("is asked for again no earlier than the sandbox says", () =>
    Effect.gen(function* () {
      const asked: Array<number> = []
      const http = HttpClient.make((request) =>
        Effect.map(Clock.currentTimeMillis, (now) => {
          const headers = { etag: '"a"', "content-length": "10" }
          const number = asked.push(now)
          const part = new ReadableStream({
            start: (controller) => controller.enqueue(new Uint8Array(5)),
            pull: (controller) => controller.error(new Error("broken off"))
          })
          const busy = new Response("", { status: 503, headers: { "retry-after": "3" } })
          const rest = new Response(new Uint8Array(5), { status: 206, headers: { "content-range": "bytes 5-9/10" } })
          return HttpClientResponse.fromWeb(
            request,
            number === 1 ? new Response(part, { headers }) : number < 8 ? busy : rest
          )
        })
      )
      const artifacts = yield* Effect.provideService(artifactsAt("http://host/acp"), HttpClient.HttpClient, http)
      const file = { artifact: { type: "media" as const, uri: "agent:///artifacts/a.bin" } }
      const fetched = yield* Effect.fork(Stream.runCollect(artifacts.download(file, { maxBytes: 10 })))
      const turn = Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
      yield* Effect.repeatN(Effect.zipRight(Effect.repeatN(turn, 9), TestClock.adjust("250 millis")), 200)
      yield* fetched
      const waits = asked.slice(2).map((at, index) => (at - (asked[index + 1] ?? 0)) / 1000)
      assert.lengthOf(waits, 6)
      for (const wait of waits) assert.isAtLeast(wait, 3)
    })
  )
})

describe("Artifacts at a hostile sandbox", () => {
  it.scopedLive("reads no answer that has no end", () =>
    Effect.gen(function* () {
      const piece = `${JSON.stringify({ artifact: { type: "overview", uri: "u", text: "x".repeat(1000) } })},`.repeat(
        500
      )
      let sent = 0
      const server = yield* serve((_, response) => {
        response.writeHead(200, { "content-type": "application/json" })
        response.write('{"code":0,"data":{"artifacts":[')
        const more = () => {
          while (!response.destroyed) {
            sent += piece.length
            if (!response.write(piece)) return response.once("drain", more)
          }
        }
        more()
      })
      const artifacts = yield* artifactsAt(`${server.url}/acp`)
      const error = yield* Effect.flip(artifacts.list({}))
      assert.strictEqual(error._tag, "SandboxUnavailable")
      assert.isBelow(sent, 160 * 1024 * 1024)
    }).pipe(Effect.provide(FetchHttpClient.layer))
  )
})

overEachClient("Artifacts", { concurrent: true, timeout: 60_000 }, (run) => {
  run("renews a refused token and asks again", () =>
    Effect.gen(function* () {
      const server = yield* serve((request, response) => {
        if (request.headers.authorization !== "Bearer token-2") return response.writeHead(401).end()
        const body = { code: 0, msg: "success", data: { sessionId: "task-1", artifacts: [wire("agent:///0", 1)] } }
        response.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify(body))
      })
      const artifacts = yield* artifactsAt(`${server.url}/box/acp?sessionId=task-1`)
      const page = yield* artifacts.list({ sessionId: "task-1", type: "overview" })
      assert.strictEqual(page.entries[0]?.artifact.uri, "agent:///0")
      assert.strictEqual(server.seen[1]?.path, "/box/api/session/artifacts?sessionId=task-1&type=overview")
      assert.strictEqual(server.seen.length, 2)
    })
  )

  run("reads all pages, each uri once, and everything at once when the list moved meanwhile", () =>
    Effect.gen(function* () {
      const all = Array.from({ length: 450 }, (_, at) => wire(`agent:///${at}`, at))
      let requests = 0
      let change = () => {}
      const server = yield* serve(
        lists(() => {
          if (requests++ === 1) change()
          return all
        })
      )
      const artifacts = yield* artifactsAt(`${server.url}/acp`)
      assert.deepStrictEqual(uris(yield* artifacts.listAll({})), uris(all))
      assert.deepStrictEqual(
        server.seen.map(({ path }) => path.split("?")[1]),
        ["limit=200&offset=0", "limit=200&offset=199", "limit=200&offset=398"]
      )
      // One is deleted from the first page and one is added at the end: the total tells nothing.
      requests = 0
      change = () => {
        all.splice(5, 1)
        all.push(wire("agent:///new", 1000))
      }
      assert.deepStrictEqual(uris(yield* artifacts.listAll({})), uris(all))
      assert.strictEqual(requests, 4)
    })
  )

  run(
    "pages through 2,000 artifacts that are added and deleted meanwhile, none twice and none of the lasting left out",
    () =>
      Effect.gen(function* () {
        const all = Array.from({ length: 2000 }, (_, at) => wire(`agent:///lasting/${at}`, at))
        let requests = 0
        const server = yield* serve(
          lists(() => {
            const at = requests++
            all.splice(at * 7, 0, wire(`agent:///passing/${at}`, 5000 + at))
            const gone = all.findIndex(({ artifact }) => artifact.uri === `agent:///passing/${at - 2}`)
            if (gone >= 0) all.splice(gone, 1)
            return all
          })
        )
        const artifacts = yield* artifactsAt(`${server.url}/acp`)
        const got = uris(yield* Stream.runCollect(artifacts.items({ limit: 100 })))
        assert.strictEqual(new Set(got).size, got.length)
        assert.strictEqual(got.filter((uri) => uri.startsWith("agent:///lasting/")).length, 2000)
        assert.isAbove(requests, 20)
        const sizes = [...(yield* Stream.runCollect(artifacts.pages({ limit: 500 })))].map(
          ({ entries }) => entries.length
        )
        assert.isAtMost(Math.max(...sizes.slice(0, -1)), 500)
      })
  )

  run("emits the same entries each time a stream of pages runs", () =>
    Effect.gen(function* () {
      const server = yield* serve(lists(() => Array.from({ length: 5 }, (_, at) => wire(`agent:///${at}`, at))))
      const artifacts = yield* artifactsAt(`${server.url}/acp`)
      const pages = artifacts.pages({ limit: 2 })
      const readUris = Effect.map(Stream.runCollect(pages), (read) => [...read].flatMap(({ entries }) => uris(entries)))
      const first = yield* readUris
      assert.strictEqual(first.length, 5)
      assert.deepStrictEqual(yield* readUris, first)
    })
  )

  run("ends although a server gives the same page again and again", () =>
    Effect.gen(function* () {
      const server = yield* serve((_, response) => {
        const pagination = { total: 9, returned: 1, limit: 1, offset: 0, hasMore: true }
        response
          .writeHead(200)
          .end(JSON.stringify({ code: 0, data: { artifacts: [wire("agent:///a", 1)], pagination } }))
      })
      const artifacts = yield* artifactsAt(`${server.url}/acp`)
      assert.deepStrictEqual(uris(yield* Stream.runCollect(artifacts.items({ limit: 1 }))), ["agent:///a"])
      assert.strictEqual(server.seen.length, 3)
    })
  )

  run("reads what changed since a time, and says where to go on", () =>
    Effect.gen(function* () {
      const all = Array.from({ length: 20 }, (_, at) => wire(`agent:///${at}`, at))
      const server = yield* serve(
        lists((asked) => all.filter(({ artifact }) => artifact.updatedAt >= Number(asked.get("startMs") ?? 0)))
      )
      const artifacts = yield* artifactsAt(`${server.url}/acp`)
      const first = yield* artifacts.since(15, { type: "overview" })
      assert.deepStrictEqual([uris(first.entries).length, first.next], [5, 19])
      all.push(wire("agent:///new", 19), wire("agent:///newer", 25))
      const second = yield* artifacts.since(first.next)
      assert.deepStrictEqual(uris(second.entries), ["agent:///19", "agent:///new", "agent:///newer"])
      assert.deepStrictEqual(yield* artifacts.since(26), { entries: [], next: 26 })
    })
  )

  run("refuses by itself what the document does not allow to be asked", () =>
    Effect.gen(function* () {
      const server = yield* serve(lists(() => []))
      const artifacts = yield* artifactsAt(`${server.url}/acp`)
      for (const query of [{ limit: 0 }, { limit: 501 }, { limit: 1.5 }, { offset: -1 }, { startMs: Number.NaN }]) {
        assert.strictEqual((yield* Effect.flip(artifacts.list(query)))._tag, "InvalidQuery")
      }
      assert.deepStrictEqual(server.seen, [])
      yield* artifacts.list({ limit: 500, offset: 3, startMs: 0, endMs: 5, type: "media" })
      assert.strictEqual(server.seen[0]?.path.split("?")[1], "limit=500&offset=3&startMs=0&endMs=5&type=media")
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

  run("leaves out a number beyond 2^53 and keeps its artifact (contract decision 21)", () =>
    Effect.gen(function* () {
      const big = 2 ** 60
      const numbers = [
        { updatedAt: big, createdAt: "1152921504606846976", version: -big },
        { updatedAt: Number.MAX_SAFE_INTEGER, createdAt: "9007199254740991", version: 1.5 }
      ]
      const server = yield* serve(
        lists(() => numbers.map((each, n) => ({ artifact: { type: "plan", uri: `agent:///${n}`, ...each } })))
      )
      const artifacts = yield* artifactsAt(`${server.url}/acp`)
      const [rounded, exact] = Array.from(yield* artifacts.listAll({}), ({ artifact }) => artifact)
      for (const name of ["updatedAt", "createdAt", "version"]) assert.notProperty(definedOf(rounded), name)
      assert.propertyVal(rounded, "uri", "agent:///0")
      assert.propertyVal(exact, "updatedAt", Number.MAX_SAFE_INTEGER)
      assert.propertyVal(exact, "createdAt", Number.MAX_SAFE_INTEGER)
    })
  )

  for (const [name, body, type] of [
    ["no body", "", undefined],
    ["a msg without code", '{"msg":"Unauthorized"}', "application/json"],
    ["a page", "<html>401</html>", "text/html"]
  ] as const) {
    run(`renews the token once after 401 with ${name} (contract decision 108)`, () =>
      Effect.gen(function* () {
        const list = lists(() => [wire("agent:///0", 1)])
        const server = yield* serve((request, response) =>
          server.seen.length === 1
            ? void response.writeHead(401, type === undefined ? {} : { "content-type": type }).end(body)
            : list(request, response)
        )
        const artifacts = yield* artifactsAt(`${server.url}/acp`)
        assert.deepStrictEqual(uris((yield* artifacts.list({})).entries), ["agent:///0"])
        assert.lengthOf(server.seen, 2)
      })
    )
  }

  for (const [name, fail] of [
    ["is reset", (response: ServerResponse) => response.destroy()],
    ["breaks off", (response: ServerResponse) => response.writeHead(200).write('{"code":0', () => response.destroy())]
  ] as const) {
    run(`asks again when the connection ${name}`, () =>
      Effect.gen(function* () {
        const list = lists(() => [wire("agent:///0", 1)])
        const server = yield* serve((request, response) =>
          server.seen.length === 1 ? void fail(response) : list(request, response)
        )
        const artifacts = yield* artifactsAt(`${server.url}/acp`)
        assert.lengthOf((yield* artifacts.list({})).entries, 1)
        assert.lengthOf(server.seen, 2)
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
})
