import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import { assert, describe, it } from "@effect/vitest"
import * as DeviceAuthorization from "@heddle/oauth/DeviceAuthorization"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/TestClock"

type Reply = { readonly status: number; readonly body?: unknown; readonly headers?: Record<string, string> }

const refused = (error: string): Reply => ({ status: 400, body: { error } })
const granted: Reply = { status: 200, body: { access_token: "a-1", token_type: "Bearer", expires_in: 3600 } }
const issued = {
  device_code: "device-secret",
  user_code: "WDJB-MJHT",
  verification_uri: "https://a.example/device",
  expires_in: 600,
  interval: 5
}

/** A service that gives these answers to polls in order, repeats the last one, and notes each request with its time. */
const setUp = (replies: ReadonlyArray<Reply>, codes: unknown = issued) => {
  const polls: Array<number> = []
  const forms: Array<URLSearchParams> = []
  const http = HttpClient.make((request, url) =>
    Effect.map(Clock.currentTimeMillis, (now) => {
      const { body } = request
      forms.push(new URLSearchParams(body._tag === "Uint8Array" ? new TextDecoder().decode(body.body) : ""))
      const isStart = url.pathname === "/openapi/v2/device_authorization"
      if (!isStart) polls.push(now / 1000)
      const reply: Reply = isStart
        ? { status: 200, body: codes }
        : (replies[Math.min(polls.length, replies.length) - 1] ?? granted)
      return HttpClientResponse.fromWeb(
        request,
        new Response(JSON.stringify(reply.body ?? {}), { status: reply.status, headers: reply.headers ?? {} })
      )
    })
  )
  const layer = DeviceAuthorization.layer({
    baseUrl: "https://a.example",
    clientId: "app",
    clientSecret: Redacted.make("s"),
    deviceAuthorizationPath: "/openapi/v2/device_authorization"
  }).pipe(Layer.provide(Layer.succeed(HttpClient.HttpClient, http)))
  const run = Effect.gen(function* () {
    const device = yield* DeviceAuthorization.DeviceAuthorization
    const pending = yield* device.start(new Set(["user.task.readable"]))
    const fiber = yield* Effect.fork(Effect.either(device.tokens(pending)))
    yield* TestClock.adjust("20 minutes")
    const result = yield* Fiber.join(fiber)
    return { polls, forms, result: result._tag === "Right" ? "granted" : result.left._tag }
  }).pipe(Effect.provide(layer))
  return run
}

describe("a device authorization", () => {
  it.effect("is polled at the service's interval until the user has confirmed it", () =>
    Effect.gen(function* () {
      const { forms, polls, result } = yield* setUp([
        refused("authorization_pending"),
        refused("authorization_pending"),
        granted
      ])
      assert.strictEqual(result, "granted")
      assert.deepStrictEqual(polls, [5, 10, 15])
      assert.deepInclude(Object.fromEntries(forms[0] ?? []), { client_id: "app", scope: "user.task.readable" })
      assert.deepInclude(Object.fromEntries(forms[1] ?? []), {
        grant_type: "urn:ietf:params:oauth:grant-type:device_code",
        device_code: "device-secret",
        client_id: "app",
        client_secret: "s"
      })
    })
  )

  it.effect("is polled 5 seconds slower after each slow_down, for good (contract decision 48)", () =>
    Effect.gen(function* () {
      const { polls } = yield* setUp([
        refused("slow_down"),
        refused("authorization_pending"),
        refused("slow_down"),
        refused("authorization_pending"),
        granted
      ])
      assert.deepStrictEqual(polls, [5, 15, 25, 40, 55])
    })
  )

  it.effect("is polled every 5 seconds where the service names no interval", () =>
    Effect.gen(function* () {
      const { polls } = yield* setUp([refused("authorization_pending"), granted], { ...issued, interval: undefined })
      assert.deepStrictEqual(polls, [5, 10])
    })
  )

  it.effect("polls a failing service with growing waits and honours Retry-After", () =>
    Effect.gen(function* () {
      const { polls, result } = yield* setUp([
        { status: 503 },
        { status: 503 },
        { status: 429, headers: { "retry-after": "45" } },
        granted
      ])
      assert.strictEqual(result, "granted")
      assert.deepStrictEqual(polls, [5, 15, 35, 80])
    })
  )

  it.effect("ends at once where it is refused, used up or unknown", () =>
    Effect.gen(function* () {
      for (const [code, tag] of [
        ["access_denied", "AccessDenied"],
        ["expired_token", "ExpiredToken"],
        ["invalid_grant", "InvalidGrant"],
        ["invalid_client", "InvalidClient"]
      ] as const) {
        const { polls, result } = yield* setUp([refused(code)])
        assert.strictEqual(result, tag)
        assert.lengthOf(polls, 1)
      }
    })
  )

  it.effect("is polled at its interval again once the service answers", () =>
    Effect.gen(function* () {
      const limited = { status: 429, headers: { "retry-after": "45" } }
      const { polls } = yield* setUp([
        limited,
        refused("authorization_pending"),
        refused("slow_down"),
        { status: 503 },
        granted
      ])
      assert.deepStrictEqual(polls, [5, 50, 55, 65, 85])
    })
  )

  it.effect("does not blame the user where the service wants no poll before the code ends", () =>
    Effect.gen(function* () {
      const { polls, result } = yield* setUp([{ status: 429, headers: { "retry-after": "3600" } }])
      assert.strictEqual(result, "RateLimited")
      assert.deepStrictEqual(polls, [5])
    })
  )

  it.effect("is not ended by a wrong Retry-After while its code lives", () =>
    Effect.gen(function* () {
      const limited = { status: 429, headers: { "retry-after": "3600" } }
      const { polls, result } = yield* setUp([limited, granted], { ...issued, expires_in: 900 })
      assert.strictEqual(result, "granted")
      assert.deepStrictEqual(polls, [5, 605])
    })
  )

  it.effect("ends when its code does", () =>
    Effect.gen(function* () {
      const { polls, result } = yield* setUp([refused("authorization_pending")], { ...issued, expires_in: 22 })
      assert.strictEqual(result, "ExpiredToken")
      assert.deepStrictEqual(polls, [5, 10, 15, 20])
    })
  )
})
