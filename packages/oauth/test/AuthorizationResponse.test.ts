import { assert, describe, it } from "@effect/vitest"
import * as AuthorizationRequest from "@heddle/oauth/AuthorizationRequest"
import * as AuthorizationResponse from "@heddle/oauth/AuthorizationResponse"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/TestClock"

const pending = AuthorizationRequest.make({
  baseUrl: "https://api.example",
  clientId: "app",
  redirectUri: "https://bot.example/cb"
})

type Options = Parameters<typeof AuthorizationResponse.read>[2]

describe("read", () => {
  it.effect("returns the code of an answer to the request", () =>
    Effect.gen(function* () {
      const request = yield* pending
      const params = new URLSearchParams({ code: "c/1+2", state: request.state, extra: "1" })
      const { code } = yield* AuthorizationResponse.read(params, request)
      assert.strictEqual(Redacted.value(code), "c/1+2")
      assert.strictEqual(yield* AuthorizationResponse.stateOf(params), request.state)
    })
  )

  const rejected: ReadonlyArray<readonly [query: string, reason: AuthorizationResponse.Reason, options?: Options]> = [
    ["code=c&code=d&state=STATE", "duplicate"],
    ["code=c&state=STATE&state=STATE", "duplicate"],
    ["error=access_denied&error=x&state=STATE", "duplicate"],
    ["code=c&state=STATE&iss=a&iss=b", "duplicate"],
    ["code=c", "stateMissing"],
    ["code=c&state=", "stateMissing"],
    ["", "stateMissing"],
    ["code=c&state=other", "stateForeign"],
    ["code=c&state=STATE0", "stateForeign"],
    ["code=c&state=%20STATE", "stateForeign"],
    ["error=access_denied&state=other", "stateForeign"],
    ["error=access_denied", "stateMissing"],
    ["code=c&state=STATE&iss=https://evil.example", "issuer", { issuer: "https://api.example" }],
    ["code=c&state=STATE&iss=https://evil.example", "issuer"],
    ["code=c&state=STATE&iss=http://api.example", "issuer"],
    ["code=c&state=STATE&iss=api.example", "issuer"],
    ["code=c&state=STATE&iss=", "issuer"],
    ["code=c&state=STATE", "issuer", { issuer: "https://api.example", requireIssuer: true }],
    ["code=c&state=STATE&access_token=t", "unexpected"],
    ["state=STATE&id_token=t", "unexpected"],
    ["state=STATE", "codeMissing"],
    ["code=&state=STATE", "codeMissing"],
    [`code=${"c".repeat(3000)}&state=STATE`, "codeMissing"]
  ]
  it.effect.each(rejected)("rejects %s as %s", ([query, reason, options]) =>
    Effect.gen(function* () {
      const request = yield* pending
      const params = new URLSearchParams(query.replaceAll("STATE", request.state))
      const error = yield* Effect.flip(AuthorizationResponse.read(params, request, options))
      assert.deepInclude({ ...error }, { _tag: "CallbackRejected", reason })
      assert.notInclude(error.message, request.state)
    })
  )

  it.effect("rejects an answer after ten minutes", () =>
    Effect.gen(function* () {
      const request = yield* pending
      yield* TestClock.adjust("10 minutes")
      const params = new URLSearchParams({ code: "c", state: request.state })
      assert.propertyVal(yield* Effect.flip(AuthorizationResponse.read(params, request)), "reason", "expired")
    })
  )

  const refused: ReadonlyArray<readonly [error: string, tag: string]> = [
    ["access_denied", "AccessDenied"],
    ["invalid_scope", "InvalidScope"],
    ["unsupported_response_type", "Unsupported"],
    ["unauthorized_client", "InvalidClient"],
    ["invalid_request", "InvalidRequest"],
    ["server_error", "ServiceFailure"],
    ["temporarily_unavailable", "ServiceFailure"],
    ["something_new", "InvalidRequest"]
  ]
  it.effect.each(refused)("fails with the service's error %s as %s", ([error, tag]) =>
    Effect.gen(function* () {
      const request = yield* pending
      const params = new URLSearchParams({ error, error_description: "why", state: request.state })
      const failure = yield* Effect.flip(AuthorizationResponse.read(params, request))
      assert.strictEqual(failure._tag, tag)
      assert.propertyVal(failure, "description", "why")
      assert.propertyVal(failure, "code", error)
    })
  )

  it.effect("accepts the issuer it expects, and none where it is not required", () =>
    Effect.gen(function* () {
      const request = yield* pending
      const params = new URLSearchParams({ code: "c", state: request.state })
      yield* AuthorizationResponse.read(params, request, { issuer: "https://api.example" })
      params.set("iss", "https://api.example")
      yield* AuthorizationResponse.read(params, request, { issuer: "https://api.example", requireIssuer: true })
    })
  )
})
