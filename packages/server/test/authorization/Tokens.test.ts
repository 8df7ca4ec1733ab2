import { assert, describe, it } from "@effect/vitest"
import { freePort } from "@heddle/test-support/FreePort"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Http from "node:http"
import * as Api from "../support/Api.ts"
import * as TestServer from "../support/TestServer.ts"

const post = (server: TestServer.TestServer, path: string, fields: Record<string, string>) =>
  Api.request(server, `/openapi/v2/${path}`, {
    method: "POST",
    body: new URLSearchParams({ client_id: server.clientId, client_secret: server.clientSecret, ...fields })
  })

const another = (server: TestServer.TestServer) =>
  Effect.map(server.applications.create({ name: "Other", redirectUris: [TestServer.redirectUri] }), (app) => ({
    ...server,
    clientId: app.clientId,
    clientSecret: Redacted.value(app.clientSecret)
  }))

describe("RevokeHttp", () => {
  it.scopedLive("revokes an access token alone, and a refresh token with its grant", () =>
    Effect.gen(function* () {
      const server = yield* TestServer.make({ contract: { revocation: true } })
      const first = yield* Api.connect(server)
      const { json: second } = yield* Api.token(server, Api.refreshFields(server, first.refresh_token))
      const gone = yield* post(server, "revoke", { token: first.access_token, token_type_hint: "refresh_token" })
      assert.deepStrictEqual([gone.status, gone.text], [200, "{}"])
      assert.isFalse(yield* Api.works(server, first.access_token))
      assert.isTrue(yield* Api.works(server, second["access_token"]))

      assert.strictEqual((yield* post(server, "revoke", { token: first.refresh_token })).status, 200)
      assert.isFalse(yield* Api.works(server, second["access_token"]))
      const dead = yield* Api.token(server, Api.refreshFields(server, first.refresh_token))
      assert.strictEqual(dead.json["error"], "invalid_grant")
    })
  )

  it.scopedLive("answers 200 without effect for unknown tokens and tokens of another application", () =>
    Effect.gen(function* () {
      const server = yield* TestServer.make({ contract: { revocation: true } })
      const mine = yield* Api.connect(server)
      const other = yield* another(server)
      for (const token of ["unknown", mine.refresh_token, mine.access_token]) {
        const answer = yield* post(other, "revoke", { token })
        assert.deepStrictEqual([answer.status, answer.text], [200, "{}"])
      }
      assert.isTrue(yield* Api.works(server, mine.access_token))
      assert.strictEqual((yield* Api.token(server, Api.refreshFields(server, mine.refresh_token))).status, 200)
      assert.strictEqual((yield* post(server, "revoke", {})).json["error"], "invalid_request")
      const stranger = yield* post(server, "revoke", { token: mine.access_token, client_secret: "wrong" })
      assert.deepStrictEqual([stranger.status, stranger.json["error"]], [401, "invalid_client"])
    })
  )
})

describe("IntrospectHttp", () => {
  it.scopedLive("describes only the application's own valid tokens", () =>
    Effect.gen(function* () {
      const server = yield* TestServer.make({ contract: { introspection: true, refreshTokenOnRefresh: "rotate" } })
      const mine = yield* Api.connect(server, { scope: "user.task.readable" })
      const { json } = yield* post(server, "introspect", { token: mine.access_token })
      const { exp, ...rest } = json
      assert.deepStrictEqual(rest, {
        active: true,
        scope: "user.task.readable",
        client_id: server.clientId,
        token_type: "Bearer",
        sub: mine.open_id
      })
      assert.approximately(Number(exp), Date.now() / 1000 + 604_800, 60)
      const refresh = (yield* post(server, "introspect", { token: mine.refresh_token })).json
      assert.deepInclude(refresh, { active: true, sub: mine.open_id })
      assert.notProperty(refresh, "token_type")

      yield* Api.token(server, Api.refreshFields(server, mine.refresh_token))
      const other = yield* another(server)
      for (const [asker, token] of [
        [server, "unknown"],
        [server, mine.refresh_token],
        [other, mine.access_token]
      ] as const) {
        assert.strictEqual((yield* post(asker, "introspect", { token })).text, '{"active":false}')
      }
    })
  )
})

describe("MetadataHttp", () => {
  it.scopedLive("describes the enabled endpoints at both well-known addresses, also below a path", () =>
    Effect.gen(function* () {
      const port = yield* Effect.promise(freePort)
      yield* TestServer.make({
        port,
        publicUrl: "https://tasks.example.com/heddle/",
        contract: {
          deviceFlow: true,
          revocation: true,
          introspection: true,
          publicClients: true,
          issuerParameter: true
        }
      })
      for (const path of ["", "/heddle"]) {
        const answer = yield* Effect.promise(() =>
          fetch(`http://127.0.0.1:${port}/.well-known/oauth-authorization-server${path}`)
        )
        assert.strictEqual(answer.status, 200)
        const json = (yield* Effect.promise(() => answer.json())) as Record<string, unknown>
        const api = "https://tasks.example.com/heddle/openapi/v2"
        const methods = ["client_secret_post", "client_secret_basic", "none"]
        assert.deepInclude(json, {
          issuer: "https://tasks.example.com/heddle",
          authorization_endpoint: `${api}/authorize`,
          token_endpoint: `${api}/token`,
          device_authorization_endpoint: `${api}/device_authorization`,
          revocation_endpoint: `${api}/revoke`,
          introspection_endpoint: `${api}/introspect`,
          token_endpoint_auth_methods_supported: methods,
          introspection_endpoint_auth_methods_supported: methods.slice(0, 2),
          ui_locales_supported: ["en", "zh-CN"],
          code_challenge_methods_supported: ["S256"],
          authorization_response_iss_parameter_supported: true
        })
        assert.include(json["grant_types_supported"] as Array<string>, "urn:ietf:params:oauth:grant-type:device_code")
      }
    })
  )
})

describe("ClientAuthentication", () => {
  /** A token request from one of this machine's own addresses. */
  const from = (localAddress: string, server: TestServer.TestServer, fields: Record<string, string>) =>
    Effect.async<{ readonly status: number; readonly retryAfter: string | undefined }>((resume) => {
      const request = Http.request(
        server.at("/openapi/v2/token"),
        { method: "POST", localAddress, headers: { "content-type": "application/x-www-form-urlencoded" } },
        (response) => {
          response.resume()
          response.once("end", () =>
            resume(Effect.succeed({ status: response.statusCode ?? 0, retryAfter: response.headers["retry-after"] }))
          )
        }
      )
      request.end(new URLSearchParams(fields).toString())
    })

  it.scopedLive("does not count made-up codes and tokens against an authenticated application", () =>
    Effect.gen(function* () {
      const server = yield* TestServer.make({ limits: { rate: { tokenFailure: { requests: 5, seconds: 6000 } } } })
      const { refresh_token } = yield* Api.connect(server)
      for (let tries = 0; tries < 12; tries++) {
        assert.strictEqual((yield* Api.token(server, Api.codeFields(server, `bogus ${tries}`))).status, 400)
        assert.strictEqual((yield* Api.token(server, Api.refreshFields(server, `bogus ${tries}`))).status, 400)
      }
      assert.strictEqual((yield* Api.token(server, Api.refreshFields(server, refresh_token))).status, 200)
    })
  )

  it.scopedLive("stops guesses at a secret without blocking other addresses and applications", () =>
    Effect.gen(function* () {
      const server = yield* TestServer.make({ limits: { rate: { tokenFailure: { requests: 20, seconds: 6000 } } } })
      const other = yield* another(server)
      const { refresh_token } = yield* Api.connect(server)
      const right = Api.refreshFields(server, refresh_token)
      const wrong = { ...right, client_secret: "guess" }
      for (let tries = 0; tries < 20; tries++) {
        assert.strictEqual((yield* from("127.0.0.2", server, wrong)).status, 401)
      }
      const limited = yield* from("127.0.0.2", server, wrong)
      assert.strictEqual(limited.status, 429)
      assert.isAbove(Number(limited.retryAfter), 200)
      assert.strictEqual((yield* from("127.0.0.2", server, right)).status, 429)
      assert.strictEqual((yield* from("127.0.0.3", server, right)).status, 200)
      assert.strictEqual((yield* from("127.0.0.2", server, Api.refreshFields(other, "x"))).status, 400)
    })
  )

  it.scopedLive("does not count parallel valid requests as guesses", () =>
    Effect.gen(function* () {
      const server = yield* TestServer.make()
      const { refresh_token } = yield* Api.connect(server)
      const answers = yield* Effect.all(
        Array.from({ length: 60 }, () => Api.token(server, Api.refreshFields(server, refresh_token))),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual([...new Set(answers.map(({ status }) => status))], [200])
    })
  )
})
