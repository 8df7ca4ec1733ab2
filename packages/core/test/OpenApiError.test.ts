import { assert, describe, it } from "@effect/vitest"
import * as OpenApiError from "@heddle/core/OpenApiError"
import * as Arbitrary from "effect/Arbitrary"
import * as FastCheck from "effect/FastCheck"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { inspect } from "node:util"

const answer = (status: number, body: unknown = "", headers: Record<string, string> = {}, operation = "tasks.get") =>
  OpenApiError.fromResponse({
    status,
    headers,
    body: typeof body === "string" ? body : JSON.stringify(body),
    operation
  })

/** How many responses and errors are tried: HEDDLE_ROUNDS=10000 by hand. */
const runs = Number(process.env["HEDDLE_ROUNDS"] ?? 1_000)

describe("fromResponse", () => {
  const rows: ReadonlyArray<readonly [status: number, code: string, tag: string]> = [
    [400, "invalid_request", "InvalidRequest"],
    [400, "unsupported_grant_type", "Unsupported"],
    [400, "unsupported_response_type", "Unsupported"],
    [400, "invalid_grant", "InvalidGrant"],
    [400, "invalid_scope", "InvalidScope"],
    [400, "authorization_pending", "AuthorizationPending"],
    [400, "slow_down", "SlowDown"],
    [400, "expired_token", "ExpiredToken"],
    [401, "invalid_token", "InvalidToken"],
    [401, "invalid_client", "InvalidClient"],
    [400, "invalid_client", "InvalidClient"],
    [401, "unauthorized_client", "InvalidClient"],
    [400, "unauthorized_client", "InvalidClient"],
    [401, "Unauthorized", "SignInRequired"],
    [403, "access_denied", "AccessDenied"],
    [403, "insufficient_scope", "InsufficientScope"],
    [403, "forbidden", "Forbidden"],
    [403, "PermissionDenied", "PermissionDenied"],
    [404, "not_found", "NotFound"],
    [404, "not found", "NotFound"],
    [409, "invalid_request", "Conflict"],
    [412, "invalid_request", "PreconditionFailed"],
    [429, "rate_limited", "RateLimited"],
    [500, "server_error", "ServiceFailure"],
    [500, "server error", "ServiceFailure"],
    [500, "InternalServerError", "ServiceFailure"],
    [502, "server error", "ServiceFailure"],
    [503, "temporarily unavailable", "ServiceFailure"],
    [405, "invalid_request", "UnexpectedStatus"],
    [418, "teapot", "UnexpectedStatus"]
  ]
  it.each(rows)("reads %i %s as %s in every shape of body", (status, code, tag) => {
    const shapes = [
      { error: code, error_description: "why", request_id: "r-1" },
      { code, msg: "why", request_id: "r-1" },
      { code, message: "why", request_id: "r-1" },
      { error: { code, message: "why" }, request_id: "r-1" },
      { error: code, error_description: "why", code: status, msg: "why", request_id: "r-1" }
    ]
    for (const shape of shapes) {
      const error = answer(status, shape)
      assert.strictEqual(error._tag, tag)
      assert.strictEqual(error.description, "why")
      assert.strictEqual(error.requestId, "r-1")
      assert.strictEqual(error.status, status)
    }
  })

  it("folds the spellings of one error code", () => {
    for (const code of ["server_error", "server error", "InternalServerError", "Server-Error"]) {
      assert.strictEqual(answer(500, { code }).code, "server_error")
    }
  })

  it("falls back to the status where the body says nothing", () => {
    for (const body of ["", "null", "[]", "42", '{"error":"inval', "<html><title>Nope</title>", "Bad things"]) {
      assert.strictEqual(answer(400, body)._tag, "InvalidRequest")
      assert.strictEqual(answer(401, body)._tag, "InvalidToken")
      assert.strictEqual(answer(401, body, {}, "token.refresh")._tag, "InvalidClient")
      assert.strictEqual(answer(401, { error: "Unauthorized" }, {}, "token.refresh")._tag, "InvalidClient")
      assert.strictEqual(answer(403, body)._tag, "AccessDenied")
      assert.strictEqual(answer(404, body)._tag, "NotFound")
      assert.strictEqual(answer(429, body)._tag, "RateLimited")
      assert.strictEqual(answer(504, body)._tag, "ServiceFailure")
      assert.strictEqual(answer(302, body)._tag, "UnexpectedStatus")
    }
    assert.strictEqual(answer(502, "<html><head><TITLE>Bad Gateway</TITLE>").description, "Bad Gateway")
    assert.strictEqual(answer(500, "boom").description, "boom")
    assert.strictEqual(answer(500).description, "tasks.get answered 500")
  })

  it("lists the scopes to add from the challenge, else from body or description", () => {
    const required = (body: unknown, headers: Record<string, string> = {}) => {
      const error = answer(403, body, headers)
      return error._tag === "InsufficientScope" ? error.required : error._tag
    }
    assert.deepStrictEqual(
      required("", {
        "WWW-Authenticate": 'Basic realm="a, b", Bearer error="insufficient_scope", scope="user.task.invokable a.b"'
      }),
      ["user.task.invokable", "a.b"]
    )
    assert.deepStrictEqual(required({ error: "insufficient_scope", scope: "a b a" }), ["a", "b"])
    assert.deepStrictEqual(required({ error: "insufficient_scope", error_description: "needs user.task.readable." }), [
      "user.task.readable"
    ])
    assert.deepStrictEqual(required({ error: "insufficient_scope" }), [])
    assert.deepStrictEqual(
      required({ error: "Forbidden" }, { "www-authenticate": "bearer error=insufficient_scope" }),
      []
    )
  })

  it("takes an expired token for a device code only at the token endpoint", () => {
    const body = { error: "expired_token" }
    assert.strictEqual(answer(401, body)._tag, "InvalidToken")
    assert.strictEqual(answer(401, body, {}, "token.device")._tag, "ExpiredToken")
  })

  it("lets the challenge decide over a vague word", () => {
    const challenge = { "www-authenticate": 'Bearer error="invalid_token", error_description="expired"' }
    assert.strictEqual(answer(401, { message: "Unauthorized" }, challenge)._tag, "InvalidToken")
    assert.strictEqual(answer(401, { code: "Unauthorized" }, challenge)._tag, "InvalidToken")
    assert.strictEqual(answer(401, "", challenge).description, "expired")
  })

  it("reads Retry-After in seconds and as a date", () => {
    const wait = (headers: Record<string, string>) => {
      const error = answer(429, "", headers)
      return error._tag === "RateLimited" ? error.retryAfter : error._tag
    }
    assert.strictEqual(wait({ "retry-after": "30" }), 30)
    assert.strictEqual(
      wait({ "retry-after": "Sat, 21 Nov 2026 10:00:10 GMT", date: "Sat, 21 Nov 2026 10:00:00 GMT" }),
      10
    )
    assert.strictEqual(
      wait({ "retry-after": "Sat, 21 Nov 2026 10:00:00 GMT", date: "Sat, 21 Nov 2026 10:00:10 GMT" }),
      0
    )
    for (const odd of ["", "-1", "soon", "1e400"]) assert.isUndefined(wait({ "retry-after": odd }))
  })

  it("finds the request id in the headers", () => {
    assert.strictEqual(answer(500, "", { "X-Request-Id": "h-1" }).requestId, "h-1")
    assert.strictEqual(answer(500, "", { "request-id": "h-2" }).requestId, "h-2")
    assert.strictEqual(answer(500, { request_id: "b" }, { "x-request-id": "h" }).requestId, "b")
  })

  it("never shows a secret, however the service echoes it", () => {
    const secret = "s3cret"
    const token = "oa_at_0123456789abcdefghijklmnopqrstuv"
    const error = OpenApiError.fromResponse({
      status: 400,
      headers: {},
      body: JSON.stringify({ error: "invalid_grant", error_description: `no ${secret} and ${token}` }),
      operation: "token.refresh",
      secrets: [Redacted.make(secret)]
    })
    for (const shown of [String(error), inspect(error), JSON.stringify(error), error.message]) {
      assert.notInclude(shown, secret)
      assert.notInclude(shown, token)
    }
    assert.strictEqual(error.description, "no [redacted] and [redacted]")
  })

  it("redacts short secrets as whole words only, and no error codes", () => {
    const read = (secrets: ReadonlyArray<string>, body: unknown) =>
      OpenApiError.fromResponse({
        status: 400,
        headers: {},
        body: typeof body === "string" ? body : JSON.stringify(body),
        operation: "redemptions.redeem",
        secrets: secrets.map((secret) => Redacted.make(secret))
      })
    for (const secret of ["a", "e", "d", "i", "_", "r", "grant", "invalid_grant", "redacted"]) {
      const error = read([secret, "t"], { error: "invalid_grant" })
      assert.deepInclude({ ...error }, { code: "invalid_grant", description: "redemptions.redeem answered 400" })
      assert.strictEqual(read([secret], "").code, "invalid_request")
    }
    const say = (secrets: ReadonlyArray<string>, description: string) =>
      read(secrets, { error: "invalid_grant", msg: description }).description
    assert.strictEqual(
      say(["a"], "a code that has had a bad day: a, A."),
      "[redacted] code that has had [redacted] bad day: [redacted], A."
    )
    assert.strictEqual(say(["12"], "12 is not 120 or r-12"), "[redacted] is not 120 or r-12")
    assert.strictEqual(say(["e", "d", "redact", "redacted"], "no e, redacteds"), "no [redacted], [redacted]s")
    assert.strictEqual(say(["secret-one", "one-secret"], "xsecret-one-secretx"), "x[redacted]x")
    assert.strictEqual(say(["$&.*+?^"], "no $&.*+?^ here"), "no [redacted] here")
  })

  it("falls back to the usual error code where that of the service is blank", () => {
    for (const code of ["\u0000", "\u202e", " \u0007 "]) {
      for (const shape of [{ code }, { error: code }, { error: { code } }, { code, msg: code }]) {
        const error = answer(403, shape)
        assert.deepInclude({ ...error }, { code: "access_denied", description: "tasks.get answered 403" })
      }
      assert.strictEqual(answer(400, { error: code, code: "invalid_grant" })._tag, "InvalidGrant")
    }
  })

  it("caps and cleans what it shows", () => {
    const error = answer(400, { error: "invalid_request", error_description: `a\u0000b\u202e${"🙂 é".repeat(5000)}` })
    assert.isAtMost(error.description.length, 500)
    assert.match(error.description, /^a b 🙂/u)
    assert.isFalse(/\p{Cs}/u.test(error.description))
  })

  const anyBody = FastCheck.oneof(
    FastCheck.string({ unit: "binary" }),
    FastCheck.json(),
    FastCheck.json().map((text) => text.slice(0, text.length >> 1)),
    FastCheck.dictionary(
      FastCheck.constantFrom("error", "code", "msg", "message", "error_description", "request_id", "scope"),
      FastCheck.oneof(FastCheck.string(), FastCheck.jsonValue())
    ).map((record) => JSON.stringify(record)),
    FastCheck.string().map((text) => `<html><title>${text}`)
  )
  const anyHeaders = FastCheck.dictionary(
    FastCheck.constantFrom("www-authenticate", "retry-after", "date", "x-request-id", "__proto__", "X"),
    FastCheck.oneof(FastCheck.string(), FastCheck.string({ unit: FastCheck.constantFrom(...'Bearer eo="\\, ;scp') }))
  )
  it("ends in a typed error whatever arrives", () => {
    FastCheck.assert(
      FastCheck.property(
        FastCheck.oneof(FastCheck.integer({ min: 0, max: 999 }), FastCheck.constantFrom(400, 401, 403, 429, 503)),
        anyBody,
        anyHeaders,
        FastCheck.constantFrom("token.exchange", "tasks.create"),
        (status, body, headers, operation) => {
          const error = OpenApiError.fromResponse({ status, headers, body, operation })
          assert.isTrue(Schema.is(OpenApiError.Refusal)(error))
          assert.isAtMost(error.description.length, 500)
          assert.isAtMost(error.code.length, 64)
        }
      ),
      { numRuns: runs }
    )
  })

  it("takes linear time on hostile input", () => {
    // Processor time, so that a busy machine does not matter; a quadratic reader would take minutes.
    const started = process.cpuUsage()
    answer(401, "<".repeat(500_000), { "www-authenticate": 'Bearer a="'.repeat(50_000) })
    answer(400, JSON.stringify({ error: "aA ".repeat(200_000), error_description: " ".repeat(500_000) }))
    assert.isBelow(process.cpuUsage(started).user, 5_000_000)
  })
})

describe("toResponse", () => {
  it("writes the body with header, status and request id", () => {
    const { body, headers, status } = OpenApiError.toResponse(
      new OpenApiError.RateLimited({ code: "Too Many Requests", description: "slow", retryAfter: 1.2 }),
      "req-9"
    )
    assert.strictEqual(status, 429)
    assert.strictEqual(headers["retry-after"], "2")
    assert.strictEqual(headers["x-request-id"], "req-9")
    assert.deepStrictEqual(JSON.parse(body), {
      error: "rate_limited",
      error_description: "slow",
      code: "rate_limited",
      msg: "slow",
      request_id: "req-9"
    })
  })

  it("challenges as RFC 6750 says", () => {
    const token = new OpenApiError.InvalidToken({ code: "invalid_token", description: 'it "expired"' })
    const challenge = (error: OpenApiError.Refusal, credentials?: "none" | "basic") =>
      OpenApiError.toResponse(error, "r", credentials === undefined ? {} : { credentials }).headers["www-authenticate"]
    assert.strictEqual(challenge(token, "none"), 'Bearer realm="openapi"')
    assert.strictEqual(
      challenge(token),
      'Bearer realm="openapi", error="invalid_token", error_description="it \\"expired\\""'
    )
    const client = new OpenApiError.InvalidClient({ code: "invalid_client", description: "no" })
    assert.isUndefined(challenge(client))
    assert.strictEqual(challenge(client, "basic"), 'Basic realm="openapi"')
    assert.include(
      challenge(
        new OpenApiError.InsufficientScope({
          code: "insufficient_scope",
          description: "more",
          required: ["user.task.readable", "user.task.invokable"]
        })
      ),
      'scope="user.task.readable user.task.invokable"'
    )
  })

  const words = FastCheck.string({ unit: FastCheck.constantFrom(..."abcdefgh .") }).map((text) => `x${text.trim()}`)
  it("reads back as the same error", () => {
    FastCheck.assert(
      FastCheck.property(
        Arbitrary.make(OpenApiError.Refusal),
        words.map((text) => text.replace(/\s+/g, " ").slice(0, 300)),
        FastCheck.constantFrom(500, 502, 503, 504),
        FastCheck.constantFrom(405, 413, 415, 418, 501),
        FastCheck.option(FastCheck.integer({ min: 0, max: 100_000 }), { nil: undefined }),
        (any, description, failure, unexpected, retryAfter) => {
          const wait = retryAfter === undefined ? {} : { retryAfter }
          const status =
            any._tag === "ServiceFailure" ? failure : any._tag === "UnexpectedStatus" ? unexpected : any.status
          const error: OpenApiError.Refusal = Object.assign(any, { description, status, ...wait })
          if ("required" in error) Object.assign(error, { required: ["user.task.readable", "b.c"] })
          const back = OpenApiError.fromResponse({ ...OpenApiError.toResponse(error, "req-1"), operation: "tasks.get" })
          assert.strictEqual(back._tag, error._tag)
          assert.strictEqual(back.description, error.description)
          assert.strictEqual(back.requestId, "req-1")
          if (error._tag === "ServiceFailure" || error._tag === "UnexpectedStatus") {
            assert.strictEqual(back.status, error.status)
          }
          if ("required" in error) assert.deepPropertyVal(back, "required", error.required)
          if (retryAfter !== undefined) assert.strictEqual(back.retryAfter, retryAfter)
        }
      ),
      { numRuns: runs }
    )
  })
})
