import { assert, describe, layer } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as Layer from "effect/Layer"
import * as Net from "node:net"
import * as Api from "../support/Api.ts"
import * as TestServer from "../support/TestServer.ts"

class Server extends Context.Tag("test/Server")<Server, TestServer.TestServer>() {}

const seed = Number(process.env["HEDDLE_TEST_SEED"] ?? 20_261_121)

/** How many cases each kind of input has: HEDDLE_ROUNDS=2840 by hand. */
const rounds = Number(process.env["HEDDLE_ROUNDS"] ?? 300)
const timeout = 60_000 + 50 * rounds

interface Reply {
  readonly status: number
  readonly location: string | undefined
  readonly body: string
}

/**
 * Sends requests as they are, byte by byte, over one connection after the other; a connection that the server gives up
 * is replaced. Undefined where the server closed without an answer.
 */
const send = (server: TestServer.TestServer, head: string, body: Buffer): Promise<Reply | undefined> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(server.url)
    const socket = Net.connect(Number(port), hostname)
    const pieces: Array<Buffer> = []
    socket.setTimeout(10_000, () => {
      socket.destroy()
      reject(new Error("no answer within ten seconds"))
    })
    const done = () => {
      const text = Buffer.concat(pieces).toString("latin1")
      const status = /^HTTP\/1\.1 (\d{3})/.exec(text)
      resolve(
        status === null
          ? undefined
          : {
              status: Number(status[1]),
              location: /^location: ([^\r\n]*)/im.exec(text.split("\r\n\r\n", 1)[0] ?? "")?.[1],
              body: text.slice(text.indexOf("\r\n\r\n") + 4)
            }
      )
    }
    socket.on("data", (piece) => pieces.push(piece))
    socket.once("close", done)
    // The server may answer and close before it has read everything; what it said is what counts.
    socket.once("error", () => socket.destroy())
    socket.write(Buffer.concat([Buffer.from(head, "latin1"), body]))
  })

const post = (server: TestServer.TestServer, path: string, headers: ReadonlyArray<string>, body: Buffer) =>
  send(
    server,
    [
      `POST ${path} HTTP/1.1`,
      "Host: any",
      "Connection: close",
      `Content-Length: ${body.length}`,
      ...headers,
      "",
      ""
    ].join("\r\n"),
    body
  )

const get = (server: TestServer.TestServer, target: string, headers: ReadonlyArray<string>) =>
  send(
    server,
    [`GET ${target} HTTP/1.1`, "Host: any", "Connection: close", ...headers, "", ""].join("\r\n"),
    Buffer.alloc(0)
  )

/** Runs a generated case each, a few at a time; a failure names the seed and the case. */
const each = <A>(cases: FastCheck.Arbitrary<A>, check: (each: A) => Promise<void>) =>
  Effect.forEach(
    FastCheck.sample(cases, { seed, numRuns: rounds }),
    (one, index) =>
      Effect.promise(() =>
        check(one).catch((cause: unknown) => {
          const shown = JSON.stringify(one)?.slice(0, 2000)
          throw new Error(`HEDDLE_TEST_SEED=${seed}, case ${index}: ${shown}\n${String(cause)}`)
        })
      ),
    { concurrency: 8, discard: true }
  )

const form = "Content-Type: application/x-www-form-urlencoded"

const name = FastCheck.constantFrom(
  ..."grant_type code client_id client_secret redirect_uri refresh_token code_verifier scope device_code token state".split(
    " "
  ),
  "step",
  "form_token",
  "user_code",
  "__proto__",
  "constructor",
  "%00",
  "[]",
  ""
)

const value = FastCheck.oneof(
  FastCheck.constantFrom(
    ..."authorization_code refresh_token device_code sign_in allow cancel check".split(" "),
    "urn:ietf:params:oauth:grant-type:device_code",
    "%00",
    "a%00b",
    "%",
    "%zz",
    "%e0%a4%a",
    "%ff%fe",
    "%c0%ae%c0%ae",
    "%ed%a0%80",
    "+",
    "%0d%0aSet-Cookie:%20a=b",
    "'; DROP TABLE grants; --",
    "%F0%9F%92%A9",
    "💩"
  ),
  FastCheck.string(),
  FastCheck.unicodeString(),
  FastCheck.string({ minLength: 500, maxLength: 3000 })
)

/** A form, or bytes that are none. `@id` and `@secret` become the application's own, so that some get further. */
const body = FastCheck.oneof(
  {
    weight: 6,
    arbitrary: FastCheck.tuple(
      FastCheck.boolean(),
      FastCheck.array(FastCheck.tuple(name, value), { maxLength: 8 }),
      FastCheck.constantFrom("&", "&&", ";", "&=&")
    ).map(
      ([known, pairs, separator]) =>
        (known ? "client_id=@id&client_secret=@secret&" : "") +
        pairs.map(([key, text]) => `${key}=${text}`).join(separator)
    )
  },
  {
    weight: 1,
    arbitrary: FastCheck.uint8Array({ maxLength: 400 }).map((bytes) => Buffer.from(bytes).toString("latin1"))
  }
)

const contentType = FastCheck.constantFrom(
  form,
  form,
  form,
  `${form};charset=utf-8`,
  `${form}; charset=nonsense; charset="`,
  "Content-Type: application/json",
  "Content-Type: multipart/form-data; boundary=x",
  "Content-Type: text/plain",
  "Content-Type: ",
  "X-None: 1"
)

const authorization = FastCheck.oneof(
  FastCheck.constantFrom(
    "Basic",
    "Basic ",
    "Basic %%%",
    "Basic Og==",
    "Basic OjpAOg==",
    "Basic JTo=",
    "basic  dTpw",
    "Bearer",
    "Bearer ",
    "Bearer a b",
    "bearer x",
    "BEARER  x ",
    "Bearer\tx",
    "Bearer =",
    "Negotiate abc",
    ",",
    "Bearer, Basic",
    'Digest username="a", realm="b'
  ),
  FastCheck.base64String().map((text) => `Basic ${text}`),
  FastCheck.tuple(FastCheck.unicodeString(), FastCheck.unicodeString()).map(
    ([user, secret]) => `Basic ${Buffer.from(`${user}:${secret}`).toString("base64")}`
  ),
  FastCheck.string({ maxLength: 200 })
    .map((text) => text.replace(/[^\x20-\x7e]/g, ""))
    .map((text) => `Bearer ${text}`),
  FastCheck.array(FastCheck.integer({ min: 0x20, max: 0xff }), { maxLength: 80 }).map((codes) =>
    String.fromCharCode(...codes.map((code) => (code === 0x7f ? 0x20 : code)))
  ),
  FastCheck.integer({ min: 1000, max: 14_000 }).map((length) => `Bearer ${"x".repeat(length)}`)
)

const registered = TestServer.redirectUri

/** Addresses that look like the registered one to a person or a parser. */
const lookAlike = FastCheck.oneof(
  FastCheck.constantFrom(
    `${registered}/`,
    `${registered}?`,
    `${registered}#`,
    `${registered}%2f`,
    `${registered}/..`,
    `${registered}/../callback`,
    `${registered}%00`,
    `${registered} `,
    ` ${registered}`,
    `${registered}\t`,
    `${registered}\r\nLocation: http://evil.example`,
    `${registered}@evil.example`,
    `${registered}\\@evil.example`,
    "http://127.0.0.1:9@evil.example/callback",
    "http://127.0.0.1:9.evil.example/callback",
    "http://evil.example/?http://127.0.0.1:9/callback",
    "http://evil.example#http://127.0.0.1:9/callback",
    "http:/127.0.0.1:9/callback",
    "http:127.0.0.1:9/callback",
    "http:\\\\127.0.0.1:9\\callback",
    "//127.0.0.1:9/callback",
    "///evil.example",
    "/\\evil.example",
    "http://2130706433:9/callback",
    "http://0x7f000001:9/callback",
    "http://127.1:9/callback",
    "http://①27.0.0.1:9/callback",
    "http://127。0。0。1:9/callback",
    "http://localhost:9/callback",
    "http://[::ffff:127.0.0.1]:9/callback",
    "http://127.0.0.1:09/callback",
    "http://127.0.0.1:9//callback",
    "http://127.0.0.1:9/./callback",
    "http://127.0.0.1:9/%63allback",
    "http://127.0.0.1:9/Callback",
    "HTTP://127.0.0.1:9/callback",
    "https://127.0.0.1:9/callback",
    "javascript:alert(1)//127.0.0.1:9/callback",
    "data:text/html,http://127.0.0.1:9/callback"
  ),
  // One letter changed, added or left out.
  FastCheck.tuple(
    FastCheck.nat(registered.length - 1),
    FastCheck.constantFrom("change", "add", "drop"),
    FastCheck.fullUnicode()
  ).map(
    ([at, how, letter]) =>
      registered.slice(0, at) + (how === "drop" ? "" : letter) + registered.slice(how === "add" ? at : at + 1)
  ),
  FastCheck.webUrl({ withQueryParameters: true, withFragments: true }),
  FastCheck.unicodeString({ maxLength: 60 })
).filter((uri) => uri !== registered)

const answered = (reply: Reply | undefined): Reply => {
  if (reply === undefined) throw new Error("the connection was closed without an answer")
  assert.isBelow(reply.status, 500, reply.body)
  return reply
}

describe("hostile input causes no internal error and no foreign redirect", { timeout }, () => {
  layer(
    Layer.scoped(
      Server,
      TestServer.make({
        limits: { rate: "off" },
        contract: {
          deviceFlow: true,
          revocation: true,
          introspection: true,
          tokenJsonBody: true,
          publicClients: true,
          loopbackPort: "any"
        }
      })
    ),
    { excludeTestServices: true }
  )((it) => {
    it.effect("bodies of forms", () =>
      Effect.gen(function* () {
        const server = yield* Server
        const paths = ["token", "revoke", "introspect", "device_authorization", "authorize"].map(
          (at) => `/openapi/v2/${at}`
        )
        const pages = ["/device", "/connected-apps"]
        const cases = FastCheck.tuple(FastCheck.constantFrom(...paths, paths[0] ?? "", ...pages), contentType, body)
        const seen = new Set<number>()
        yield* each(cases, async ([path, type, text]) => {
          const filled = text.replaceAll("@id", server.clientId).replaceAll("@secret", server.clientSecret)
          const bytes = Buffer.from(filled, /[^\0-\xff]/.test(filled) ? "utf8" : "latin1")
          const reply = answered(await post(server, path, [type], bytes))
          assert.isUndefined(reply.location)
          assert.notInclude(reply.body, server.clientSecret)
          seen.add(reply.status)
        })
        assert.includeMembers([...seen], [200, 400, 401])
      })
    )

    it.effect("bodies that are large", () =>
      Effect.gen(function* () {
        const server = yield* Server
        const client = `client_id=${server.clientId}&client_secret=${server.clientSecret}`
        const cases: ReadonlyArray<readonly [string, string, number, number]> = [
          ["refresh_token=", "x", 65_000, 400],
          ["", "a&", 65_000, 400],
          ["", "%00", 65_000, 400],
          ["", "&", 65_000, 400],
          ["code=", "x", 66_000, 413],
          ["", "a=b&", 2_000_000, 413]
        ]
        for (const [start, filler, size, status] of cases) {
          const text = `grant_type=refresh_token&${client}&${start}`
          const bytes = Buffer.from(text + filler.repeat(Math.ceil((size - text.length) / filler.length)))
          const reply = answered(yield* Effect.promise(() => post(server, "/openapi/v2/token", [form], bytes)))
          assert.strictEqual(reply.status, status, `${start}${filler} × ${size}`)
        }
      })
    )

    it.effect("Authorization headers", () =>
      Effect.gen(function* () {
        const server = yield* Server
        const cases = FastCheck.tuple(FastCheck.boolean(), authorization)
        yield* each(cases, async ([atToken, header]) => {
          const headers = [`Authorization: ${header}`]
          const grant = Buffer.from("grant_type=refresh_token&refresh_token=x")
          const reply = answered(
            await (atToken
              ? post(server, "/openapi/v2/token", [form, ...headers], grant)
              : get(server, "/openapi/v2/credit", headers))
          )
          assert.include([400, 401, 429, 431], reply.status)
        })
      })
    )

    it.effect("redirect addresses that look like the registered one", () =>
      Effect.gen(function* () {
        const server = yield* Server
        const cases = FastCheck.tuple(lookAlike, FastCheck.constantFrom("code", "token", ""), FastCheck.boolean())
        yield* each(cases, async ([uri, response_type, byPost]) => {
          // What has no UTF-8 form arrives as something else anyway.
          const query = new URLSearchParams({
            client_id: server.clientId,
            redirect_uri: uri,
            response_type
          }).toString()
          const headers = ["Accept: text/html"]
          const reply = answered(
            await (byPost
              ? post(server, "/openapi/v2/authorize", [form, ...headers], Buffer.from(query))
              : get(server, `/openapi/v2/authorize?${query}`, headers))
          )
          // Another port of the same loopback address is the one exception, as this service is set.
          const samePlace = /^http:\/\/127\.0\.0\.1(:\d{1,5})?\/callback$/.test(uri)
          if (samePlace) {
            const places = [uri, "/openapi/v2/authorize?"]
            assert.isTrue(reply.location === undefined || places.some((place) => reply.location?.startsWith(place)))
            return
          }
          assert.strictEqual(reply.status, 400)
          assert.isUndefined(reply.location)
        })
        const { status } = yield* Api.request(server, "/openapi/v2/credit")
        assert.strictEqual(status, 401)
      })
    )
  })
})
