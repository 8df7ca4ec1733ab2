import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Zlib from "node:zlib"
import * as Api from "../support/Api.ts"
import * as Raw from "../support/Raw.ts"
import * as TestServer from "../support/TestServer.ts"

const mebibyte = 1024 * 1024

const started = Effect.gen(function* () {
  const server = yield* TestServer.make()
  const token = yield* server.grantTo("Loom", "Ada")
  const authorization = `Bearer ${token}`
  const post = (body: string | Buffer, headers: Record<string, string> = { "content-type": "application/json" }) =>
    Raw.exchange(server, [
      Raw.head("POST", "/openapi/v2/tasks", {
        authorization,
        "content-length": String(Buffer.byteLength(body)),
        ...headers
      }),
      body
    ])
  const chunked = (pieces: Iterable<Buffer>) =>
    Raw.exchange(server, [
      Raw.head("POST", "/openapi/v2/tasks", {
        authorization,
        "content-type": "application/json",
        "transfer-encoding": "chunked"
      }),
      ...pieces
    ])
  return { server, authorization, post, chunked }
})

const refused = (answer: Raw.RawAnswer, status: number, mention: string) => {
  assert.strictEqual(answer.status, status, answer.body)
  assert.strictEqual(answer.json["error"], "invalid_request")
  assert.include(String(answer.json["error_description"]), mention)
  assert.include(answer.head, `x-request-id: ${String(answer.json["request_id"])}`)
}

describe("RequestBody", () => {
  it.scopedLive("answers 413 to a too large body with or without Content-Length, and completes the answer", () =>
    Effect.gen(function* () {
      const { authorization, chunked, post, server } = yield* started
      const over = JSON.stringify({ prompt: "x", more: "m".repeat(mebibyte) })
      refused(yield* post(over), 413, "too large")
      const piece = Raw.chunk("m".repeat(64 * 1024))
      const end = Buffer.from("0\r\n\r\n")
      refused(yield* chunked([Raw.chunk('{"prompt":"'), ...Array.from({ length: 17 }, () => piece), end]), 413, "large")
      // Still sending when the answer comes.
      refused(yield* chunked(Array.from({ length: 200 }, () => piece)), 413, "large")
      const announced = yield* Raw.exchange(server, [
        Raw.head("POST", "/openapi/v2/tasks", {
          authorization,
          "content-type": "application/json",
          "content-length": String(50 * mebibyte)
        }),
        "{"
      ])
      refused(announced, 413, "large")
    })
  )

  it.scopedLive("accepts a body of exactly the limit, in one chunk or many", () =>
    Effect.gen(function* () {
      const { chunked, post } = yield* started
      const full = JSON.stringify({ prompt: "x", more: "" })
      const exact = full.replace('""', `"${"m".repeat(mebibyte - full.length)}"`)
      assert.strictEqual(Buffer.byteLength(exact), mebibyte)
      assert.strictEqual((yield* post(exact)).status, 201)
      const bytes = Buffer.from('{"prompt":"é🧵"}')
      const single = [...bytes].map((byte) => Raw.chunk(Buffer.from([byte])))
      const answer = yield* chunked([...single, Buffer.from("0\r\n\r\n")])
      assert.strictEqual(answer.status, 201, answer.body)
      assert.strictEqual(answer.json["name"], "é🧵")
    })
  )

  it.scopedLive("answers 415 to a body of a wrong type or without a type", () =>
    Effect.gen(function* () {
      const { post } = yield* started
      const body = '{"prompt":"x"}'
      for (const type of [
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "application/jsonx",
        "application/octet-stream",
        ""
      ]) {
        refused(yield* post(body, { "content-type": type }), 415, "Content-Type")
      }
      refused(yield* post(body, {}), 415, "Content-Type")
      for (const type of ["application/json", "Application/JSON; charset=utf-8", "application/json;charset=UTF-8"]) {
        assert.strictEqual((yield* post(body, { "content-type": type })).status, 201, type)
      }
    })
  )

  it.scopedLive("answers 415 to a body in another charset or with a Content-Encoding, of JSON and of a form", () =>
    Effect.gen(function* () {
      const { post, server } = yield* started
      const body = '{"prompt":"x"}'
      const json = "application/json"
      for (const charset of ["utf-16", '"UTF-16LE"', "iso-8859-1", "utf-7", "x", '""', ""]) {
        const encoded = Buffer.from(body, charset.includes("16") ? "utf16le" : "utf8")
        refused(
          yield* post(encoded, {
            "content-type": `${json}; charset=${charset}`,
            "content-length": `${encoded.length}`
          }),
          415,
          "charset"
        )
      }
      const zipped = Zlib.gzipSync(body)
      for (const coding of ["gzip", "GZIP", "br", "identity, gzip", "unknown"]) {
        const headers = { "content-type": json, "content-length": `${zipped.length}`, "content-encoding": coding }
        refused(yield* post(zipped, headers), 415, "Content-Encoding")
      }
      for (const headers of [
        { "content-type": `${json}; charset="utf-8"` },
        { "content-type": `${json}; charset=US-ASCII` },
        { "content-type": `${json}; profile=x ; charset=UTF-8` },
        { "content-type": json, "content-encoding": "identity" }
      ]) {
        assert.strictEqual((yield* post(body, headers)).status, 201, JSON.stringify(headers))
      }
      const form = (headers: Record<string, string>) =>
        Api.request(server, "/openapi/v2/token", { method: "POST", body: "grant_type=x", headers })
      const formType = "application/x-www-form-urlencoded"
      assert.strictEqual((yield* form({ "content-type": formType })).status, 400)
      for (const answer of [
        yield* form({ "content-type": `${formType}; charset=utf-16` }),
        yield* form({ "content-type": formType, "content-encoding": "gzip" })
      ]) {
        assert.strictEqual(answer.status, 415)
        assert.strictEqual(answer.json["error"], "invalid_request")
      }
    })
  )

  it.scopedLive("answers 400 to invalid JSON, invalid UTF-8 and non-objects, without repeating them", () =>
    Effect.gen(function* () {
      const { post } = yield* started
      const secret = "s3cr3t-words"
      const bad: ReadonlyArray<readonly [string | Buffer, string]> = [
        ["", "missing"],
        [`{"prompt":"${secret}`, "JSON"],
        [`{"prompt":"${secret}"}}`, "JSON"],
        [`${secret}`, "JSON"],
        [Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), "UTF-8"],
        [Buffer.concat([Buffer.from('{"prompt":"'), Buffer.from([0xc3]), Buffer.from('"}')]), "UTF-8"],
        ["[]", "object"],
        ["null", "object"],
        ["12", "object"],
        [`"${secret}"`, "object"],
        ["{}", "prompt"],
        [`{"prompt":["${secret}"]}`, "prompt"],
        ['{"prompt":null}', "prompt"],
        [`{"prompt":"x","name":{"${secret}":1}}`, "name"],
        [`{"prompt":"x","initial_prompt":"${secret}"}`, "initial_prompt"]
      ]
      for (const [body, mention] of bad) {
        const answer = yield* post(body)
        refused(answer, 400, mention)
        assert.notInclude(answer.body, secret)
      }
    })
  )

  it.scopedLive("answers 400 to too deep nesting of any depth, and keeps serving", () =>
    Effect.gen(function* () {
      const { post } = yield* started
      const nested = (depth: number) => `{"prompt":"x","more":${"[".repeat(depth - 1)}${"]".repeat(depth - 1)}}`
      assert.strictEqual((yield* post(nested(100))).status, 201)
      refused(yield* post(nested(101)), 400, "nested")
      refused(yield* post(nested(400_000)), 400, "nested")
      refused(yield* post("[".repeat(mebibyte)), 400, "nested")
      const quoted = JSON.stringify({ prompt: `${"[{".repeat(500)} \\" ${"\\".repeat(3)}` })
      assert.strictEqual((yield* post(quoted)).status, 201)
    })
  )

  it.scopedLive("uses the last of repeated keys, and treats special keys as plain keys", () =>
    Effect.gen(function* () {
      const { post } = yield* started
      const twice = yield* post('{"prompt":"one","prompt":"two"}')
      assert.strictEqual(twice.json["name"], "two")
      const odd = yield* post('{"__proto__":{"prompt":"three"},"constructor":1,"prompt":"four","unknown":[1]}')
      assert.strictEqual(odd.status, 201)
      assert.strictEqual(odd.json["name"], "four")
      refused(yield* post('{"__proto__":{"prompt":"three"}}'), 400, "prompt")
    })
  )

  it.scopedLive("checks the token before it reads the body", () =>
    Effect.gen(function* () {
      const { server } = yield* started
      const json = { "content-type": "text/plain", "content-length": String(3 * mebibyte) }
      const answer = yield* Raw.exchange(server, [Raw.head("POST", "/openapi/v2/tasks", json)])
      assert.strictEqual(answer.status, 401)
      const wrongMethod = yield* Raw.exchange(server, [Raw.head("POST", "/openapi/v2/credit", json)])
      assert.strictEqual(wrongMethod.status, 405)
    })
  )

  it.scopedLive("answers invalid HTTP with the same error body", () =>
    Effect.gen(function* () {
      const { server } = yield* started
      const nonsense = yield* Raw.exchange(server, ["HELLO\r\n\r\n"])
      refused(nonsense, 400, "no HTTP")
      const huge = yield* Raw.exchange(server, [Raw.head("GET", "/", { big: "x".repeat(40_000) })])
      refused(huge, 431, "headers")
      const both = yield* Raw.exchange(server, [
        Raw.head("POST", "/openapi/v2/token", { "content-length": "3", "transfer-encoding": "chunked" }),
        "0\r\n\r\n"
      ])
      refused(both, 400, "no HTTP")
      assert.strictEqual((yield* Api.request(server, "/healthz")).status, 200)
    })
  )
})
