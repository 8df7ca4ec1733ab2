import { assert, describe, it } from "@effect/vitest"
import * as Listener from "@heddle/server/http/Listener"
import { RateLimits } from "@heddle/server/limits/RateLimits"
import * as RateLimitsLayer from "@heddle/server/limits/RateLimits"
import { ServerConfig } from "@heddle/server/config/ServerConfig"
import { settings } from "@heddle/server/config/ServerOptions"
import { SignIns } from "@heddle/server/accounts/SignIns"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Net from "node:net"
import * as V8 from "node:v8"
import * as Vm from "node:vm"
import * as Api from "./support/Api.ts"
import * as Browser from "./support/Browser.ts"
import * as Raw from "./support/Raw.ts"
import * as Rules from "./support/Rules.ts"
import * as TestServer from "./support/TestServer.ts"

const mebibyte = 1024 * 1024

const post = (path: string, body: string, headers: Record<string, string> = {}) => [
  Raw.head("POST", path, {
    "content-type": "application/x-www-form-urlencoded",
    "content-length": String(Buffer.byteLength(body)),
    ...headers
  }),
  body
]

/** The heap in use after garbage collection. */
const heap = (): number => {
  V8.setFlagsFromString("--expose-gc")
  const collect = Vm.runInNewContext("gc") as () => void
  collect()
  return process.memoryUsage().heapUsed
}

describe("requests of unauthenticated callers", () => {
  it.scopedLive("every form is limited to 64 KiB and 100 parameters", () =>
    Effect.gen(function* () {
      const server = yield* TestServer.make({
        contract: { deviceFlow: true, revocation: true, introspection: true, tokenJsonBody: true }
      })
      const names = (count: number) => Array.from({ length: count }, (_, index) => `${index}=`).join("&")
      const json = { "content-type": "application/json" }
      const object = (count: number) =>
        JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, index) => [index, ""])))
      for (const path of ["token", "revoke", "introspect", "device_authorization", "authorize"]) {
        const { status } = yield* Raw.exchange(server, post(`/openapi/v2/${path}`, names(60_000)))
        assert.strictEqual(status, 413, path)
      }
      assert.strictEqual((yield* Raw.exchange(server, post("/device", names(60_000)))).status, 413)
      const many = yield* Raw.exchange(server, post("/openapi/v2/token", names(101)))
      assert.strictEqual(many.status, 400)
      assert.include(String(many.json["error_description"]), "More than 100 parameters")
      const fits = yield* Raw.exchange(server, post("/openapi/v2/token", names(100)))
      assert.include(String(fits.json["error_description"]), "grant_type is missing")
      assert.strictEqual((yield* Raw.exchange(server, post("/openapi/v2/token", object(20_000), json))).status, 413)
      assert.strictEqual((yield* Raw.exchange(server, post("/openapi/v2/token", object(101), json))).status, 400)
    })
  )

  it.scopedLive("headers and queries take no quadratic time", () =>
    Effect.gen(function* () {
      const server = yield* TestServer.make({ contract: { deviceFlow: true } })
      const ask = (path: string, headers: Record<string, string> = {}) =>
        Effect.map(
          Effect.timed(Raw.exchange(server, [Raw.head("GET", path, { accept: "text/html", ...headers })])),
          ([took, answer]) => ({ millis: Number(took.value._tag === "Millis" ? took.value.millis : 0), answer })
        )
      const long = 14_000
      const authorize = Browser.authorizePath(server)
      for (const [name, path, headers] of [
        ["parameters", `${authorize}&${"a&".repeat(long / 2)}`, {}],
        ["scopes", `${authorize}&scope=${"a+".repeat(long / 2)}`, {}],
        ["user code", `/device?user_code=${"A".repeat(long)}`, {}],
        ["path", `/${"/".repeat(long)}`, {}],
        ["percent", `/${"%41".repeat(long / 3)}`, {}],
        ["Basic", "/openapi/v2/credit", { authorization: `Basic ${"OjpA".repeat(long / 4)}` }],
        ["Bearer", "/openapi/v2/credit", { authorization: `Bearer ${" ".repeat(long)}x y` }],
        ["cookies", authorize, { cookie: "a=b; ".repeat(long / 5) }],
        ["cookie", authorize, { cookie: `a="${"\\".repeat(long)}` }],
        ["forwarded", "/openapi/v2/credit", { "x-forwarded-for": ",".repeat(long) }],
        ["traceparent", "/openapi/v2/credit", { traceparent: "00-".repeat(long / 3) }]
      ] as const) {
        const { answer, millis } = yield* ask(path, headers)
        assert.isBelow(answer.status, 500, name)
        assert.isBelow(millis, 1000, name)
      }
    })
  )

  it("rate limits use the same memory for every name that a caller may choose", () =>
    Effect.gen(function* () {
      const config = (yield* settings({ dataDir: "/nowhere" })).withPort(1)
      const limits = yield* Effect.provide(
        RateLimits,
        Layer.provide(RateLimitsLayer.layer, Layer.succeed(ServerConfig, config))
      )
      const before = heap()
      for (let index = 0; index < 300; index++) {
        const id = `${index}`.padEnd(mebibyte, "x")
        limits.tokenFailed(id, "198.51.100.1")
        if (index >= 40) continue
        limits.phone({ clientId: id, userId: id })
        // A part of a long header keeps all of it.
        const part = `${id}, 198.51.100.${index % 250}`.slice(-13)
        limits.address(part)
        limits.open("token", part)
      }
      assert.isBelow(heap() - before, 4 * mebibyte)
    }).pipe(Effect.runPromise))

  it.scopedLive("spellings of one address by a trusted proxy count as one caller", () =>
    Effect.gen(function* () {
      const server = yield* TestServer.make({
        trustProxy: true,
        limits: { rate: { token: { requests: 1, seconds: 600 } } }
      })
      const ask = (forwarded: string) =>
        Effect.map(Api.token(server, {}, { "x-forwarded-for": forwarded }), ({ status }) => status)
      for (const spellings of [
        ["198.51.100.1", "198.51.100.1:4711", " 198.51.100.1 ", "::ffff:198.51.100.1", "[::FFFF:c633:6401]:80"],
        ["2001:db8::1", "[2001:DB8::1]", "[2001:db8::1]:443", "2001:0db8:0:0:1::", "2001:db8::%eth0"],
        // None of these is an address: the caller's own counts.
        ["unknown", "_hidden", "203.0.113.300", "203.0.113.07", "1", "a:b", "[::1", "x".repeat(5000), ""]
      ]) {
        const statuses = yield* Effect.forEach(spellings, ask)
        assert.deepStrictEqual(statuses, [400, ...spellings.slice(1).map(() => 429)], spellings.join())
      }
      assert.strictEqual(yield* ask("2001:db8:0:1::1"), 400)
    })
  )

  it.live("the addresses of a /64 network share their password guesses", () =>
    Rules.withRules({}, () =>
      Effect.gen(function* () {
        const signIns = yield* SignIns
        const guess = (address: string) =>
          Effect.either(signIns.signIn({ name: "Ada", password: Redacted.make("wrong"), address }))
        for (let index = 1; index <= 10; index++) {
          assert.isTrue(Either.isRight(yield* guess(`2001:db8::${index}`)), String(index))
        }
        assert.isTrue(Either.isLeft(yield* guess("2001:db8::ffff")))
        assert.isTrue(Either.isRight(yield* guess("2001:db8:0:1::1")))
      })
    ).pipe(Effect.scoped)
  )

  it.scopedLive("the demo account works only from this machine", () =>
    Effect.gen(function* () {
      const server = yield* TestServer.make({
        signInHint: { name: "Ada", password: "correct horse" },
        contract: { deviceFlow: true }
      })
      for (const path of [Browser.authorizePath(server), "/device"]) {
        const page = (headers: Record<string, string>) =>
          Raw.exchange(server, [Raw.head("GET", path, { accept: "text/html", ...headers })])
        assert.include((yield* page({ host: "localhost:4310" })).body, "correct horse")
        assert.notInclude((yield* page({ host: "rebound.example" })).body, "correct horse")
        assert.notInclude((yield* page({ host: "localhost", "x-forwarded-proto": "https" })).body, "correct horse")
      }
    })
  )

  it.scopedLive("a request without Host or with an unknown Expect gets the error body, too", () =>
    Effect.gen(function* () {
      const server = yield* TestServer.make()
      const hostless = yield* Raw.exchange(server, ["GET /healthz HTTP/1.1\r\n\r\n"])
      assert.strictEqual(hostless.status, 400)
      assert.include(String(hostless.json["error_description"]), "Host")
      assert.include(hostless.head, `x-request-id: ${String(hostless.json["request_id"])}`)
      assert.strictEqual((yield* Raw.exchange(server, ["GET /healthz HTTP/1.0\r\n\r\n"])).status, 200)
      const expecting = yield* Raw.exchange(server, [Raw.head("GET", "/healthz", { expect: "evil" })])
      assert.strictEqual(expecting.status, 417)
      assert.strictEqual(expecting.json["error"], "invalid_request")
      const [head = "", body = ""] = post("/openapi/v2/token", "a=b", { expect: "100-continue" })
      const going = yield* Raw.exchange(server, [head, body])
      assert.strictEqual(going.status, 100)
    })
  )

  it.scopedLive("a slow request head or body ends with 408", () =>
    Effect.gen(function* () {
      const listener = yield* Listener.listen({ host: "127.0.0.1", port: 0 }, { headMs: 300, requestMs: 600 })
      const drip = (start: string) =>
        Effect.async<string>((resume) => {
          const socket = Net.connect(listener.port, "127.0.0.1")
          let received = ""
          socket.on("data", (data) => (received += data.toString()))
          // The service may close while a drop is on its way.
          socket.on("error", () => {})
          socket.once("close", () => resume(Effect.succeed(received)))
          socket.write(start)
          const drops = setInterval(() => socket.write("x"), 50)
          return Effect.sync(() => {
            clearInterval(drops)
            socket.destroy()
          })
        }).pipe(Effect.timeout("5 seconds"))
      for (const start of [
        "GET / HTTP/1.1\r\nhost: service\r\nslow: ",
        "POST / HTTP/1.1\r\nhost: service\r\ncontent-length: 1000\r\n\r\n"
      ]) {
        assert.match(yield* drip(start), /HTTP\/1\.1 408 .*"The request took too long to arrive\."/s, start)
      }
    })
  )
})
