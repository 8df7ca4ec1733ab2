import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Crypto from "node:crypto"
import * as Api from "../support/Api.ts"
import * as TestServer from "../support/TestServer.ts"

describe("TokenHttp", () => {
  it.scopedLive("exchanges a code as in the contract", () =>
    Effect.gen(function* () {
      const server = yield* TestServer.make()
      const code = yield* Api.code(server, { scope: "user.task.readable  user.credit.readable user.task.readable" })
      assert.match(code, /^oa_code_[A-Za-z0-9_-]{43}$/)
      const answer = yield* Api.token(server, Api.codeFields(server, code))
      assert.strictEqual(answer.status, 200)
      assert.strictEqual(answer.headers.get("cache-control"), "private, no-store")
      assert.match(answer.headers.get("content-type") ?? "", /^application\/json/)
      assert.match(String(answer.json["access_token"]), /^oa_at_/)
      assert.strictEqual(answer.json["token_type"], "Bearer")
      assert.strictEqual(answer.json["expires_in"], 604_800)
      assert.match(String(answer.json["refresh_token"]), /^oa_rt_/)
      assert.strictEqual(answer.json["scope"], "user.credit.readable user.task.readable")
      assert.isString(answer.json["open_id"])
      assert.isTrue(yield* Api.works(server, answer.json["access_token"]))
    })
  )

  it.scopedLive("gives a user a different open_id in each application", () =>
    Effect.gen(function* () {
      const server = yield* TestServer.make()
      const first = yield* Api.connect(server)
      const again = yield* Api.connect(server)
      assert.strictEqual(again.open_id, first.open_id)
      const app = yield* server.applications.create({ name: "Other", redirectUris: [TestServer.redirectUri] })
      const elsewhere = yield* Api.connect({
        ...server,
        clientId: app.clientId,
        clientSecret: Redacted.value(app.clientSecret)
      })
      assert.notStrictEqual(elsewhere.open_id, first.open_id)
    })
  )

  it.scopedLive("checks in the order of decision 44 and describes every error", () =>
    Effect.gen(function* () {
      const server = yield* TestServer.make()
      const good = Api.codeFields(server, "oa_code_wrong")
      const without = (name: string) => Object.fromEntries(Object.entries(good).filter(([key]) => key !== name))
      const cases: ReadonlyArray<readonly [Record<string, string>, number, string]> = [
        [{}, 400, "invalid_request"],
        [without("grant_type"), 400, "invalid_request"],
        [{ ...good, grant_type: "password", client_secret: "wrong" }, 400, "unsupported_grant_type"],
        [{ ...without("code"), client_secret: "wrong" }, 401, "invalid_client"],
        [{ ...good, client_id: "nobody" }, 401, "invalid_client"],
        [without("client_secret"), 401, "invalid_client"],
        [without("client_id"), 401, "invalid_client"],
        [without("code"), 400, "invalid_request"],
        [without("redirect_uri"), 400, "invalid_request"],
        [good, 400, "invalid_grant"],
        [Api.refreshFields(server, "oa_rt_wrong"), 400, "invalid_grant"],
        [Api.refreshFields(server, ""), 400, "invalid_request"]
      ]
      for (const [fields, status, error] of cases) {
        const answer = yield* Api.token(server, fields)
        assert.strictEqual(answer.status, status, JSON.stringify(fields))
        assert.strictEqual(answer.json["error"], error)
        assert.strictEqual(answer.headers.get("cache-control"), "no-store")
        assert.strictEqual(answer.json["request_id"], answer.headers.get("x-request-id"))
        assert.notInclude(answer.text, server.clientSecret)
      }
      const json = yield* Api.request(server, "/openapi/v2/token", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(good)
      })
      assert.strictEqual(json.status, 400)
      assert.strictEqual(json.json["error"], "invalid_request")
      const twice = yield* Api.request(server, "/openapi/v2/token", {
        method: "POST",
        headers: { "content-type": "application/x-www-form-urlencoded" },
        body: `${new URLSearchParams(good)}&code=other`
      })
      assert.strictEqual(twice.status, 400)
      assert.strictEqual(twice.json["error"], "invalid_request")
    })
  )

  it.scopedLive("accepts HTTP Basic, but not together with credentials in the body", () =>
    Effect.gen(function* () {
      const server = yield* TestServer.make()
      const basic = (secret: string) => ({
        authorization: `Basic ${Buffer.from(`${server.clientId}:${secret}`).toString("base64")}`
      })
      const body = { grant_type: "authorization_code", redirect_uri: TestServer.redirectUri }
      const code = yield* Api.code(server)
      const both = yield* Api.token(server, Api.codeFields(server, code), basic(server.clientSecret))
      assert.strictEqual(both.json["error"], "invalid_request")
      const wrong = yield* Api.token(server, { ...body, code }, basic("wrong"))
      assert.strictEqual(wrong.status, 401)
      assert.match(wrong.headers.get("www-authenticate") ?? "", /^Basic realm=/)
      const right = yield* Api.token(server, { ...body, code }, basic(server.clientSecret))
      assert.strictEqual(right.status, 200)
    })
  )

  it.scopedLive("does not consume a code on a failed attempt (contract decision 42)", () =>
    Effect.gen(function* () {
      const server = yield* TestServer.make()
      const other = yield* server.applications.create({ name: "Other", redirectUris: [TestServer.redirectUri] })
      const verifier = Crypto.randomBytes(32).toString("base64url")
      const challenge = Crypto.createHash("sha256").update(verifier).digest("base64url")
      const code = yield* Api.code(server, { code_challenge: challenge, code_challenge_method: "S256" })
      const good = { ...Api.codeFields(server, code), code_verifier: verifier }
      const attempts: ReadonlyArray<readonly [Record<string, string>, string]> = [
        [{ ...good, client_secret: "wrong" }, "invalid_client"],
        [{ ...good, redirect_uri: `${TestServer.redirectUri}/` }, "invalid_grant"],
        [{ ...good, code_verifier: `${verifier}x` }, "invalid_grant"],
        [Api.codeFields(server, code), "invalid_grant"],
        [{ ...good, client_id: other.clientId, client_secret: Redacted.value(other.clientSecret) }, "invalid_grant"]
      ]
      for (const [fields, error] of attempts) {
        assert.strictEqual((yield* Api.token(server, fields)).json["error"], error, JSON.stringify(fields))
      }
      assert.strictEqual((yield* Api.token(server, good)).status, 200)

      const plain = yield* Api.code(server)
      const unasked = yield* Api.token(server, { ...Api.codeFields(server, plain), code_verifier: verifier })
      assert.strictEqual(unasked.json["error"], "invalid_request")
    })
  )

  it.scopedLive(
    "revokes the grant of a code that is used twice, but not for a wrong second use (contract decision 43)",
    () =>
      Effect.gen(function* () {
        const server = yield* TestServer.make()
        const code = yield* Api.code(server)
        const fields = Api.codeFields(server, code)
        const { json: tokens } = yield* Api.token(server, fields)
        yield* Api.token(server, { ...fields, client_secret: "wrong" })
        yield* Api.token(server, { ...fields, redirect_uri: "http://127.0.0.1:9/other" })
        assert.isTrue(yield* Api.works(server, tokens["access_token"]))
        const replay = yield* Api.token(server, fields)
        assert.strictEqual(replay.json["error"], "invalid_grant")
        assert.isFalse(yield* Api.works(server, tokens["access_token"]))
        const refresh = yield* Api.token(server, Api.refreshFields(server, String(tokens["refresh_token"])))
        assert.strictEqual(refresh.json["error"], "invalid_grant")
      })
  )

  it.scopedLive("allows one of twenty parallel exchanges of a code", () =>
    Effect.gen(function* () {
      const server = yield* TestServer.make()
      const code = yield* Api.code(server)
      const answers = yield* Effect.forEach(
        Array.from({ length: 20 }),
        () => Api.token(server, Api.codeFields(server, code)),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(answers.filter(({ status }) => status === 200).length, 1)
      assert.strictEqual(answers.filter(({ json }) => json["error"] === "invalid_grant").length, 19)
    })
  )

  it.scopedLive("refreshes without a new refresh token by default, and narrows the scope on request", () =>
    Effect.gen(function* () {
      const server = yield* TestServer.make()
      const first = yield* Api.connect(server)
      const fields = Api.refreshFields(server, first.refresh_token)
      const { json } = yield* Api.token(server, fields)
      assert.strictEqual(json["expires_in"], 3600)
      assert.isUndefined(json["refresh_token"])
      assert.strictEqual(json["open_id"], first.open_id)
      assert.strictEqual(json["scope"], first.scope)
      assert.isTrue(yield* Api.works(server, json["access_token"]))
      assert.isTrue(yield* Api.works(server, first.access_token))

      const narrow = yield* Api.token(server, { ...fields, scope: "user.task.readable" })
      assert.strictEqual(narrow.json["scope"], "user.task.readable")
      assert.isFalse(yield* Api.works(server, narrow.json["access_token"]))
      const wide = yield* Api.token(server, { ...fields, scope: "user.task.readable admin" })
      assert.strictEqual(wide.json["error"], "invalid_scope")
    })
  )

  it.scopedLive("returns the same refresh token when the option is set", () =>
    Effect.gen(function* () {
      const server = yield* TestServer.make({ contract: { refreshTokenOnRefresh: "same" } })
      const first = yield* Api.connect(server)
      const { json } = yield* Api.token(server, Api.refreshFields(server, first.refresh_token))
      assert.strictEqual(json["refresh_token"], first.refresh_token)
    })
  )

  it.scopedLive("rotates refresh tokens, and returns the same tokens for parallel and repeated uses", () =>
    Effect.gen(function* () {
      const server = yield* TestServer.make({ contract: { refreshTokenOnRefresh: "rotate" } })
      const first = yield* Api.connect(server)
      const answers = yield* Effect.forEach(
        Array.from({ length: 10 }),
        () => Api.token(server, Api.refreshFields(server, first.refresh_token)),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(new Set(answers.map(({ text }) => text)).size, 1)
      const next = String(answers[0]?.json["refresh_token"])
      assert.notStrictEqual(next, first.refresh_token)
      assert.strictEqual((yield* Api.token(server, Api.refreshFields(server, next))).status, 200)
    })
  )

  it.scopedLive("accepts two secrets of an application, and none of an inactive one", () =>
    Effect.gen(function* () {
      const server = yield* TestServer.make()
      const renew = server.applications.ensure({ name: "Loom", redirectUris: [TestServer.redirectUri] })
      const second = Redacted.value((yield* renew).clientSecret)
      const tokens = yield* Api.connect(server)
      const third = Redacted.value((yield* renew).clientSecret)
      const tried = (secret: string) =>
        Effect.map(
          Api.token(
            { ...server, clientSecret: secret },
            { ...Api.refreshFields(server, tokens.refresh_token), client_secret: secret }
          ),
          ({ status }) => status
        )
      assert.deepStrictEqual(
        [yield* tried(server.clientSecret), yield* tried(second), yield* tried(third)],
        [401, 200, 200]
      )
      yield* server.applications.disable(server.clientId)
      assert.strictEqual(yield* tried(third), 401)
      const denied = yield* Api.call(server, tokens.access_token, "/credit")
      assert.strictEqual(denied.status, 403)
      assert.strictEqual(denied.json["error"], "access_denied")
    })
  )
})
