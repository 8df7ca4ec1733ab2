import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientError from "@effect/platform/HttpClientError"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Ticket from "@heddle/acp/Ticket"
import * as Artifacts from "@heddle/artifacts/Artifacts"
import type * as Download from "@heddle/artifacts/Download"
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { artifactsAt, serve } from "./support/Serve.ts"
import { overEachClient } from "./support/Clients.ts"

const of = (uri: string, url?: string): Download.File => ({
  artifact: { type: "media", uri },
  ...(url === undefined ? {} : { url })
})

const fetchFile = (artifacts: Artifacts.Artifacts["Type"], file: Download.File) =>
  Stream.runDrain(artifacts.download(file, { maxBytes: 1000, resumes: 2 }))

/** Addresses that name no file of the session; SANDBOX and FOREIGN stand for the two servers. */
const uris = [
  "",
  "agent:",
  "agent:///",
  "agent:///.",
  "agent:///..",
  "agent:///../secret",
  "agent:///artifacts/../../secret",
  "agent:///artifacts/./a.png",
  "agent:///artifacts/..",
  "agent:///artifacts/%2e%2e/secret",
  "agent:///artifacts/%2E./secret",
  "agent:///artifacts/%252e%252e/secret",
  "agent:///artifacts/..%2fsecret",
  "agent:///artifacts/..%252fsecret",
  "agent:///artifacts/..%5csecret",
  "agent:///artifacts\\..\\secret",
  "agent:///artifacts//secret",
  "agent:////FOREIGN/secret",
  "agent:///artifacts/a.png/",
  "agent:///artifacts/a%00.png",
  "agent:///artifacts/a\n.png",
  "agent:///artifacts/a%0d%0aHost:x",
  "agent:///artifacts/%zz",
  "agent:///artifacts/%c0%ae%c0%ae/secret",
  "agent://FOREIGN/artifacts/a.png",
  "agent:/artifacts/a.png",
  "AGENT:///artifacts/a.png",
  " agent:///artifacts/a.png",
  "file:///etc/passwd",
  "file://FOREIGN/a.png",
  "FILE:///etc/passwd",
  "http://FOREIGN/a.png",
  "https://cdn.example/a.png",
  "//FOREIGN/a.png",
  "javascript:alert(1)",
  "data:text/plain,x"
]

const urls = [
  "http://FOREIGN/a.png",
  "HTTP://FOREIGN/a.png",
  "http:FOREIGN/a.png",
  "http:/FOREIGN/a.png",
  "http:///FOREIGN/a.png",
  "http:\\\\FOREIGN\\a.png",
  "//FOREIGN/a.png",
  "///FOREIGN/a.png",
  "/\\FOREIGN/a.png",
  "\\\\FOREIGN\\a.png",
  "/\t/FOREIGN/a.png",
  "\thttp://FOREIGN/a.png",
  " //FOREIGN/a.png",
  "http://SANDBOX@FOREIGN/a.png",
  "http://SANDBOX:x@FOREIGN/a.png",
  "http://me:pw@SANDBOX/a.png",
  "http://@SANDBOX/a.png",
  "http://SANDBOX\\@FOREIGN/a.png",
  "http://FOREIGN#@SANDBOX/a.png",
  "http://FOREIGN?@SANDBOX/a.png",
  "http://SANDBOX.FOREIGN/a.png",
  "http://127.1:1/a.png",
  "http://SANDBOX/../api",
  "http://SANDBOX/x/%2e%2e/api",
  "http://SANDBOX/x/..%2fapi",
  "http://SANDBOX/x\\..\\api",
  "http://SANDBOX/x/%252e%252e/api",
  "../api",
  "x/../../api",
  "https://SANDBOX/a.png",
  "https://FOREIGN/a.png",
  "https://localhost/a.png",
  "https://localhost./a.png",
  "https://intranet/a.png",
  "https://db.internal/a.png",
  "https://printer.local/a.png",
  "https://127.0.0.1/a.png",
  "https://2130706433/a.png",
  "https://0x7f.1/a.png",
  "https://017700000001/a.png",
  "https://[::1]/a.png",
  "https://[::ffff:127.0.0.1]/a.png",
  "https://169.254.169.254/latest/meta-data",
  "https://１２７.0.0.1/a.png",
  "https://cdn.exаmple/a.png",
  "https://xn--80ak6aa92e.com/a.png",
  "https://cdn。example/a.png",
  "https://me:pw@cdn.example/a.png",
  "https://cdn.example\\@FOREIGN/a.png",
  "https:cdn.example/a.png",
  "https:///cdn.example/a.png",
  "ftp://cdn.example/a.png",
  "file:///etc/passwd",
  "javascript:alert(1)",
  "java\nscript:alert(1)",
  "data:text/plain,x",
  "blob:https://cdn.example/1",
  "ws://FOREIGN/a.png",
  "agent:///artifacts/a.png",
  ""
]

overEachClient("Attacks", {}, (run) => {
  /** The foreign server also answers for every https address. */
  const twoServers = Effect.gen(function* () {
    const foreign = yield* serve((_, response) => response.writeHead(200).end("stolen"))
    let redirect: readonly [number, string] | undefined
    const sandbox = yield* serve((_, response) => {
      if (redirect === undefined) return response.writeHead(200).end("own")
      return response.writeHead(redirect[0], { location: redirect[1] }).end("moved")
    })
    const http = HttpClient.mapRequest(yield* HttpClient.HttpClient, (request) =>
      HttpClientRequest.setUrl(request, request.url.replace(/^https:\/\/[^/]+/, foreign.url))
    )
    const artifacts = yield* Effect.provideService(artifactsAt(`${sandbox.url}/box/acp`), HttpClient.HttpClient, http)
    const host = (text: string) =>
      text.replaceAll("SANDBOX", new URL(sandbox.url).host).replaceAll("FOREIGN", new URL(foreign.url).host)
    return { artifacts, foreign, host, http, sandbox, answer: (with_: typeof redirect) => (redirect = with_) }
  })

  run("refuses every address that names no file of the session, and sends no request", () =>
    Effect.gen(function* () {
      const { artifacts, foreign, host, sandbox } = yield* twoServers
      const taken: Array<string> = []
      for (const file of [...uris.map((uri) => of(host(uri))), ...urls.map((url) => of("file:///a.png", host(url)))]) {
        const outcome = yield* Effect.either(fetchFile(artifacts, file))
        if (outcome._tag === "Right" || outcome.left._tag !== "NotDownloadable") {
          taken.push(`${file.url ?? file.artifact.uri}: ${outcome._tag === "Right" ? "fetched" : outcome.left.message}`)
        }
      }
      assert.deepStrictEqual(taken, [])
      assert.deepStrictEqual([...foreign.seen, ...sandbox.seen], [])
    })
  )

  run("takes the artifact's own address instead of one that it refuses, and requests no other", () =>
    Effect.gen(function* () {
      const { artifacts, foreign, host, sandbox } = yield* twoServers
      for (const url of urls) yield* fetchFile(artifacts, of("agent:///artifacts/a.png", host(url)))
      assert.deepStrictEqual(foreign.seen, [])
      assert.deepStrictEqual([...new Set(sandbox.seen.map(({ path }) => path))], ["/box/artifacts/a.png"])
      assert.strictEqual(sandbox.seen.length, urls.length)
    })
  )

  run("follows no redirect, wherever it leads", () =>
    Effect.gen(function* () {
      const { answer, artifacts, foreign, host, sandbox } = yield* twoServers
      const statuses = [300, 301, 302, 303, 304, 305, 307, 308, 399]
      for (const status of statuses) {
        for (const location of ["http://FOREIGN/a", "https://cdn.example/a", "//FOREIGN/a", "/elsewhere"]) {
          answer([status, host(location)])
          const error = yield* Effect.flip(fetchFile(artifacts, of("agent:///artifacts/a.png")))
          assert.strictEqual(error._tag, "NotDownloadable")
          assert.isTrue((yield* Effect.either(artifacts.list({})))._tag === "Left")
        }
      }
      assert.deepStrictEqual(foreign.seen, [])
      assert.isFalse(sandbox.seen.some(({ path }) => path === "/elsewhere"))
    })
  )

  run("gives the token to the sandbox's own origin, and to no other server that it does ask", () =>
    Effect.gen(function* () {
      const { artifacts, foreign, host, sandbox } = yield* twoServers
      const files = [
        "https://cdn.example/a.png?signature=a%2Fb",
        "HTTPS://CDN.example:8443/a.png",
        "https://cdn.example"
      ]
      for (const url of files) yield* fetchFile(artifacts, of("file:///a.png", url))
      assert.strictEqual(foreign.seen.length, 3)
      assert.isTrue(foreign.seen.every(({ authorization }) => authorization === undefined))
      for (const url of ["http://SANDBOX/signed/a.png?x=..%2f#part", "/signed/a.png", "signed/a.png"]) {
        yield* fetchFile(artifacts, of("agent:///a.png", host(url)))
      }
      yield* fetchFile(artifacts, of("agent:///artifacts/my chart#1.png"))
      assert.deepStrictEqual(
        sandbox.seen.map(({ authorization, path }) => [authorization, path]),
        ["/signed/a.png?x=..%2f", "/signed/a.png", "/box/signed/a.png", "/box/artifacts/my%20chart%231.png"].map(
          (path) => ["Bearer token-1", path]
        )
      )
    })
  )

  run("asks no other server that its caller's client refuses, and takes the artifact's own address instead", () =>
    Effect.gen(function* () {
      const { artifacts, foreign, http, sandbox } = yield* twoServers
      const asked: Array<string> = []
      const choosy = HttpClient.make((request, url) =>
        url.hostname === "cdn.example"
          ? http.execute(request)
          : Effect.fail(new HttpClientError.RequestError({ request, reason: "InvalidUrl" }))
      )
      const otherServers = (host: string) => Effect.sync(() => (asked.push(host), choosy))
      const fetch = (uri: string, url?: string) =>
        Effect.either(Stream.runDrain(artifacts.download(of(uri, url), { maxBytes: 100, otherServers })))
      const refused = yield* fetch("file:///a.png", "https://wiki.example.com/secret")
      assert.isTrue(refused._tag === "Left" && refused.left._tag === "NotDownloadable")
      yield* fetch("agent:///a.png", "https://wiki.example.com/secret")
      assert.deepStrictEqual(foreign.seen, [])
      assert.deepStrictEqual(
        sandbox.seen.map(({ path }) => path),
        ["/box/a.png"]
      )
      yield* fetch("file:///a.png", "https://cdn.example/a.png")
      assert.lengthOf(foreign.seen, 1)
      assert.deepStrictEqual(asked, ["127.0.0.1", "127.0.0.1", "127.0.0.1"])
    })
  )

  run("gives a fresh token only to where the fresh link leads", () =>
    Effect.gen(function* () {
      const old = yield* serve((_, response) => response.writeHead(401).end())
      const fresh = yield* serve((_, response) => response.writeHead(200).end("own"))
      const values = [old, fresh].map(({ url }, at) => ({ link: `${url}/acp`, token: Redacted.make(`token-${at}`) }))
      let given = 0
      const ticket = yield* Ticket.make(
        Effect.sync(() => values[Math.min(given++, 1)] ?? { link: "", token: Redacted.make("") })
      )
      const artifacts = yield* Effect.provideService(Artifacts.make, Ticket.Ticket, ticket)
      const error = yield* Effect.flip(fetchFile(artifacts, of("file:///a.png", `${old.url}/signed/a.png`)))
      assert.strictEqual(error._tag, "NotDownloadable")
      yield* fetchFile(artifacts, of("agent:///a.png"))
      assert.deepStrictEqual(
        [...old.seen, ...fresh.seen].map(({ authorization, path }) => [authorization, path]),
        [
          ["Bearer token-0", "/signed/a.png"],
          ["Bearer token-1", "/a.png"]
        ]
      )
    })
  )
})
