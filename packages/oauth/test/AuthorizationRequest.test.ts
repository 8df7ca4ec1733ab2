import { assert, describe, it } from "@effect/vitest"
import * as AuthorizationRequest from "@heddle/oauth/AuthorizationRequest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as TestClock from "effect/TestClock"
import { createHash } from "node:crypto"
import { inspect } from "node:util"

const options = {
  baseUrl: "https://api.example/v/",
  clientId: "app 1",
  redirectUri: "https://bot.example/cb?x=1&y=%2F"
}

describe("make", () => {
  it.effect("builds the authorize URL with state and PKCE", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(1_000)
      const request = yield* AuthorizationRequest.make({ ...options, scopes: ["user.task.readable", "a.b"] })
      const url = new URL(request.url)
      assert.strictEqual(url.origin + url.pathname, "https://api.example/v/openapi/v2/authorize")
      assert.deepStrictEqual(Object.fromEntries(url.searchParams), {
        response_type: "code",
        client_id: "app 1",
        redirect_uri: options.redirectUri,
        scope: "user.task.readable a.b",
        state: request.state,
        code_challenge: createHash("sha256").update(Redacted.value(request.codeVerifier)).digest("base64url"),
        code_challenge_method: "S256"
      })
      assert.match(request.state, /^[\w-]{43}$/)
      assert.match(Redacted.value(request.codeVerifier), /^[\w-]{43}$/)
      assert.strictEqual(request.expiresAt, 1_000 + Duration.toMillis("10 minutes"))
      assert.notInclude(inspect(request) + request.url, Redacted.value(request.codeVerifier))
    })
  )

  it.effect("requests all scopes when none is named, with a new state each time", () =>
    Effect.gen(function* () {
      const [one, two] = yield* Effect.all([AuthorizationRequest.make(options), AuthorizationRequest.make(options)])
      assert.isFalse(new URL(one.url).searchParams.has("scope"))
      assert.notStrictEqual(one.state, two.state)
      assert.notStrictEqual(Redacted.value(one.codeVerifier), Redacted.value(two.codeVerifier))
    })
  )

  it.effect("can be encoded and decoded", () =>
    Effect.gen(function* () {
      const codec = Schema.parseJson(AuthorizationRequest.AuthorizationRequest)
      const request = yield* AuthorizationRequest.make({ ...options, scopes: ["a.b"] })
      const decoded = yield* Schema.decode(codec)(yield* Schema.encode(codec)(request))
      assert.deepStrictEqual({ ...decoded, codeVerifier: undefined }, { ...request, codeVerifier: undefined })
      assert.strictEqual(Redacted.value(decoded.codeVerifier), Redacted.value(request.codeVerifier))
    })
  )

  it.effect("refuses to send a user over http to another machine", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(AuthorizationRequest.make({ ...options, baseUrl: "http://api.example" }))
      assert.strictEqual(error._tag, "InvalidBaseUrl")
    })
  )
})
