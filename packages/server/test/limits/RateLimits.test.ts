import { assert, describe, it, vi } from "@effect/vitest"
import * as RateLimiter from "@heddle/server/limits/RateLimiter"
import type { Rates } from "@heddle/server/config/ServerConfig"
import * as Server from "@heddle/server/Server"
import { SignIns } from "@heddle/server/accounts/SignIns"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Api from "../support/Api.ts"
import { withRules } from "../support/Rules.ts"
import * as TestServer from "../support/TestServer.ts"

const limited = (rate: Partial<Rates>, more: Parameters<typeof TestServer.make>[0] = {}) =>
  TestServer.make({ ...more, limits: { rate } })

const statuses = (count: number, call: Effect.Effect<Api.Answer>) =>
  Effect.map(
    Effect.forEach(Array.from({ length: count }), () => call),
    (answers) => answers.map(({ status }) => status)
  )

const timeOfDay = Date.now.bind(Date)

/** Sets the time of day to some hours from the real one, until the test ends. */
const setClock = (hours: number) =>
  Effect.acquireRelease(
    Effect.sync(() => vi.spyOn(Date, "now").mockImplementation(() => timeOfDay() + hours * 3_600_000)),
    (clock) => Effect.sync(() => clock.mockRestore())
  )

describe("RateLimiter", () => {
  it("allows a full burst, then one request per refill", () => {
    const limiter = RateLimiter.make({ requests: 3, seconds: 3 })
    assert.deepStrictEqual(
      [0, 0, 0, 0].map((now) => limiter.take("a", now)),
      [undefined, undefined, undefined, 1000]
    )
    assert.isUndefined(limiter.take("b", 0))
    assert.strictEqual(limiter.take("a", 999), 1)
    assert.isUndefined(limiter.take("a", 1000))
    assert.strictEqual(limiter.take("a", 1000), 1000)
    assert.deepStrictEqual(
      [0, 0, 0, 0].map(() => limiter.take("a", 100_000)),
      [undefined, undefined, undefined, 1000]
    )
  })

  it("does not count refused requests or queries of the limit", () => {
    const limiter = RateLimiter.make({ requests: 1, seconds: 10 })
    assert.isUndefined(limiter.wait("a", 0))
    assert.isUndefined(limiter.take("a", 0))
    for (let times = 0; times < 50; times++) assert.strictEqual(limiter.take("a", 5000), 5000)
    assert.strictEqual(limiter.wait("a", 9000), 1000)
    assert.isUndefined(limiter.take("a", 10_000))
  })

  it("limits the number of stored keys and drops the oldest", () => {
    const limiter = RateLimiter.make({ requests: 1, seconds: 1000 }, 100)
    limiter.take("first", 0)
    for (let key = 0; key < 99; key++) limiter.take(`key ${key}`, 1)
    assert.isDefined(limiter.wait("first", 2))
    for (let key = 0; key < 1000; key++) limiter.take(`other ${key}`, 3)
    assert.isUndefined(limiter.wait("first", 4))
    assert.isDefined(limiter.wait("other 999", 4))
    assert.isDefined(limiter.wait("other 901", 4))
  })

  it("keeps a key that was used again for longer", () => {
    const limiter = RateLimiter.make({ requests: 2, seconds: 1000 }, 3)
    for (const key of ["used again", "one", "one", "two", "two", "used again"]) limiter.take(key, 0)
    limiter.take("three", 0)
    assert.deepStrictEqual(
      ["used again", "one", "two"].map((key) => limiter.wait(key, 0)),
      [500_000, undefined, 500_000]
    )
  })
})

describe("RateLimits", () => {
  it.scopedLive("decision 17: refuses excess requests with 429, rate_limited and Retry-After", () =>
    Effect.gen(function* () {
      const server = yield* limited({ user: { requests: 3, seconds: 60 } })
      const { access_token } = yield* Api.connect(server)
      const credit = Api.call(server, access_token, "/credit")
      assert.deepStrictEqual(yield* statuses(3, credit), [200, 200, 200])
      const refused = yield* credit
      assert.strictEqual(refused.status, 429)
      assert.strictEqual(refused.json["error"], "rate_limited")
      const wait = Number(refused.headers.get("retry-after"))
      assert.isTrue(wait >= 1 && wait <= 20, `${wait}`)
      assert.strictEqual(refused.json["request_id"], refused.headers.get("x-request-id"))
      const other = yield* server.grantTo("Loom", "Bea")
      assert.strictEqual((yield* Api.call(server, other, "/credit")).status, 200)
    })
  )

  it.scopedLive("a clock that is set back or forward two hours changes no allowance", () =>
    Effect.gen(function* () {
      const server = yield* limited({ user: { requests: 3, seconds: 60 } })
      const token = yield* server.grantTo("Loom", "Ada")
      const credit = Api.call(server, token, "/credit")
      assert.deepStrictEqual(yield* statuses(2, credit), [200, 200])
      yield* setClock(-2)
      assert.deepStrictEqual(yield* statuses(1, credit), [200])
      const refused = yield* credit
      assert.strictEqual(refused.status, 429)
      assert.isAtMost(Number(refused.headers.get("retry-after")), 20)
      yield* setClock(2)
      assert.strictEqual((yield* credit).status, 429)
    })
  )

  it.scopedLive("a clock that is set back two hours locks out no one who mistyped a password", () =>
    withRules({}, (_, clientId) =>
      Effect.gen(function* () {
        const signIns = yield* SignIns
        const password = Redacted.make("wrong")
        const attempt = signIns.signIn({ address: "192.0.2.1", clientId, name: "ada", password })
        for (let tries = 0; tries < 10; tries++) assert.isTrue(Option.isNone(yield* attempt))
        yield* setClock(-2)
        const refused = yield* Effect.flip(attempt)
        assert.isAtMost("retryAfter" in refused ? Number(refused.retryAfter) : Infinity, 600)
      })
    )
  )

  it.scopedLive("limits what one address asks of the sandboxes, in their own words", () =>
    Effect.gen(function* () {
      const dataDir = yield* TestServer.dataDir
      const { url } = yield* Server.start({
        dataDir,
        port: 0,
        limits: { rate: { address: { requests: 3, seconds: 60 } } }
      })
      const channel = Api.request({ at: (path) => url + path }, "/sandboxes/unknown/acp")
      assert.deepStrictEqual(yield* statuses(3, channel), [401, 401, 401])
      const refused = yield* channel
      assert.strictEqual(refused.status, 429)
      assert.strictEqual(refused.json["code"], 1)
      assert.include(String(refused.json["msg"]), "Too many requests from this address")
      assert.isAtMost(Number(refused.headers.get("retry-after")), 20)
    })
  )

  it.scopedLive("limits applications, writing endpoints and addresses separately", () =>
    Effect.gen(function* () {
      const server = yield* limited({
        application: { requests: 8, seconds: 600 },
        write: { requests: 2, seconds: 600 },
        address: { requests: 30, seconds: 600 }
      })
      const ada = yield* server.grantTo("Loom", "Ada")
      const bea = yield* server.grantTo("Loom", "Bea")
      const create = Api.call(server, ada, "/tasks", { json: { prompt: "x" } })
      const list = (token: string) => Api.call(server, token, "/tasks")
      assert.deepStrictEqual(yield* statuses(3, create), [201, 201, 429])
      assert.deepStrictEqual(yield* statuses(3, list(ada)), [200, 200, 200])
      assert.deepStrictEqual(yield* statuses(3, list(bea)), [200, 200, 429])
      const carl = yield* server.grantTo("Other", "Carl")
      assert.strictEqual((yield* list(carl)).status, 200)

      yield* statuses(30, Api.request(server, "/openapi/v2/nothing"))
      const everyone = yield* list(carl)
      assert.strictEqual(everyone.status, 429)
      assert.include(String(everyone.json["msg"]), "address")
      assert.strictEqual((yield* Api.request(server, "/healthz")).status, 200)
    })
  )

  it.scopedLive("has a stricter limit for failed token requests alone", () =>
    Effect.gen(function* () {
      const server = yield* limited({ tokenFailure: { requests: 3, seconds: 600 } })
      const wrong = Api.token(server, { ...Api.codeFields(server, "wrong"), client_secret: "wrong" })
      assert.deepStrictEqual(yield* statuses(4, wrong), [401, 401, 401, 429])
      const fields = Api.codeFields(server, yield* Api.code(server))
      const right = yield* Api.token(server, fields)
      assert.strictEqual(right.status, 429)
      assert.isAbove(Number(right.headers.get("retry-after")), 100)
      const other = yield* server.applications.create({ name: "Other", redirectUris: [TestServer.redirectUri] })
      assert.strictEqual((yield* Api.token(server, { ...fields, client_id: other.clientId })).status, 401)
    })
  )

  it.scopedLive("counts token requests and authorization pages by address", () =>
    Effect.gen(function* () {
      const server = yield* limited({
        token: { requests: 2, seconds: 600 },
        authorize: { requests: 2, seconds: 600 }
      })
      const plain = (path: string, init: RequestInit = {}) => Api.request(server, path, init)
      assert.deepStrictEqual(yield* statuses(3, Api.token(server, {})), [400, 400, 429])
      assert.strictEqual((yield* plain("/openapi/v2/%74oken", { method: "POST" })).status, 429)
      assert.deepStrictEqual(yield* statuses(3, plain("/openapi/v2/authorize")), [400, 400, 429])
    })
  )

  it.scopedLive("distinguishes callers by the header of a trusted proxy alone", () =>
    Effect.gen(function* () {
      const rate = { token: { requests: 1, seconds: 600 } }
      const ask = (server: TestServer.TestServer, forwarded: string) =>
        Effect.map(Api.token(server, {}, { "x-forwarded-for": forwarded }), ({ status }) => status)
      const trusting = yield* limited(rate, { trustProxy: true })
      assert.strictEqual(yield* ask(trusting, "198.51.100.1"), 400)
      assert.strictEqual(yield* ask(trusting, "203.0.113.9, 198.51.100.1"), 429)
      assert.strictEqual(yield* ask(trusting, "198.51.100.1, 203.0.113.9"), 400)
      assert.strictEqual(yield* ask(trusting, "2001:db8::1"), 400)
      assert.strictEqual(yield* ask(trusting, "2001:db8:0:0:ffff::2"), 429)
      assert.strictEqual(yield* ask(trusting, "2001:db8:0:1::1"), 400)
      const plain = yield* limited(rate)
      assert.strictEqual(yield* ask(plain, "198.51.100.1"), 400)
      assert.strictEqual(yield* ask(plain, "203.0.113.9"), 429)
    })
  )

  it.scopedLive("can be switched off, and allows 600 quick calls by default", () =>
    Effect.gen(function* () {
      const server = yield* TestServer.make({ limits: { rate: "off" } })
      const all = yield* statuses(40, Api.token(server, {}))
      assert.deepStrictEqual([...new Set(all)], [400])

      const usual = yield* TestServer.make()
      const { access_token } = yield* Api.connect(usual)
      const credit = Api.call(usual, access_token, "/credit")
      const many = yield* Effect.forEach(Array.from({ length: 600 }), () => credit, { concurrency: 8 })
      assert.deepStrictEqual([...new Set(many.map(({ status }) => status))], [200])
    })
  )
})
