import { assert, describe, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Api from "../support/Api.ts"
import * as Browser from "../support/Browser.ts"
import * as TestServer from "../support/TestServer.ts"
import { Default, register, location } from "../support/DefaultService.ts"

const asJson = { headers: { accept: "application/json" } }

describe("the server column of the decision table", () => {
  layer(Layer.scoped(Default, TestServer.make()), { excludeTestServices: true })((it) => {
    it.effect("decision 28: a refresh answers without a refresh token", () =>
      Effect.gen(function* () {
        const server = yield* Default
        const first = yield* Api.connect(server)
        const { json } = yield* Api.token(server, Api.refreshFields(server, first.refresh_token))
        assert.isString(json["access_token"])
        assert.notProperty(json, "refresh_token")
      })
    )

    it.effect("decision 30: neither a refresh nor a new login ends earlier grants", () =>
      Effect.gen(function* () {
        const server = yield* Default
        const first = yield* Api.connect(server)
        yield* Api.token(server, Api.refreshFields(server, first.refresh_token))
        const second = yield* Api.connect(server)
        assert.isTrue(yield* Api.works(server, first.access_token))
        assert.isTrue(yield* Api.works(server, second.access_token))
        assert.strictEqual((yield* Api.token(server, Api.refreshFields(server, first.refresh_token))).status, 200)
      })
    )

    it.effect("decision 31: parallel refreshes all succeed, and the refresh token stays valid", () =>
      Effect.gen(function* () {
        const server = yield* Default
        const { refresh_token } = yield* Api.connect(server)
        const refresh = Api.token(server, Api.refreshFields(server, refresh_token))
        const answers = yield* Effect.all(
          Array.from({ length: 10 }, () => refresh),
          { concurrency: "unbounded" }
        )
        for (const { json, status } of answers) {
          assert.strictEqual(status, 200)
          assert.isTrue(yield* Api.works(server, json["access_token"]))
        }
        assert.strictEqual((yield* refresh).status, 200)
      })
    )

    it.effect("decision 32: a refresh may narrow the scope and never widen it", () =>
      Effect.gen(function* () {
        const server = yield* Default
        const { refresh_token } = yield* Api.connect(server, { scope: "user.task.readable user.credit.readable" })
        const ask = (scope: string) => Api.token(server, { ...Api.refreshFields(server, refresh_token), scope })
        assert.strictEqual((yield* ask("user.task.readable")).json["scope"], "user.task.readable")
        assert.strictEqual((yield* ask("user.profile.readable")).json["error"], "invalid_scope")
        assert.strictEqual((yield* ask("user.credit.readable")).json["scope"], "user.credit.readable")
      })
    )

    it.effect("decision 33: all requested scopes are granted, sorted and unique", () =>
      Effect.gen(function* () {
        const server = yield* Default
        const { scope } = yield* Api.connect(server, {
          scope: "user.task.readable user.credit.readable user.task.readable"
        })
        assert.strictEqual(scope, "user.credit.readable user.task.readable")
        const browser = Browser.make(server.url)
        const path = Browser.authorizePath(server, { scope: "user.credit.readable user.profile.readable" })
        const signIn = yield* browser.get(path)
        const done = yield* browser.press(signIn, "sign_in", { name: "ada", password: "correct horse" })
        const consent = yield* browser.get(done.headers.get("location") ?? "")
        assert.include(Browser.words(consent), "Allow Loom")
        assert.notInclude(consent.text, "checkbox")
      })
    )

    it.effect("decision 34: the token type is Bearer and expires_in an integer", () =>
      Effect.gen(function* () {
        const server = yield* Default
        const answer = yield* Api.token(server, Api.codeFields(server, yield* Api.code(server)))
        assert.strictEqual(answer.json["token_type"], "Bearer")
        assert.include(answer.text, '"expires_in":604800')
      })
    )

    it.effect("decision 35: a user has one open_id per application", () =>
      Effect.gen(function* () {
        const server = yield* Default
        const other = yield* register(server, { name: "Other" })
        const first = yield* Api.connect(server)
        const elsewhere = yield* Api.connect({
          ...server,
          clientId: other.clientId,
          clientSecret: Redacted.value(other.clientSecret)
        })
        assert.strictEqual((yield* Api.connect(server)).open_id, first.open_id)
        assert.notStrictEqual(elsewhere.open_id, first.open_id)
        assert.match(first.open_id, /^[A-Za-z0-9_-]{43}$/)
      })
    )

    it.effect("decision 36: a wrong client or address shows a page; other errors redirect with error and state", () =>
      Effect.gen(function* () {
        const server = yield* Default
        const browser = Browser.make(server.url)
        const page = yield* browser.get(Browser.authorizePath(server, { redirect_uri: "https://evil.example/" }))
        assert.strictEqual(page.status, 400)
        assert.isNull(page.headers.get("location"))
        const back = yield* browser.get(Browser.authorizePath(server, { response_type: "token" }))
        assert.strictEqual(back.status, 302)
        assert.strictEqual(location(back).get("error"), "unsupported_response_type")
        assert.strictEqual(location(back).get("state"), "s t/a&te")
      })
    )

    it.effect("decision 37: a client that accepts no HTML gets JSON with the status of the table", () =>
      Effect.gen(function* () {
        const server = yield* Default
        const faults: ReadonlyArray<readonly [Record<string, string>, number, string]> = [
          [{ response_type: "token" }, 400, "unsupported_response_type"],
          [{ scope: "admin" }, 400, "invalid_scope"],
          [{ client_id: "nobody" }, 401, "invalid_client"]
        ]
        for (const [more, status, error] of faults) {
          const answer = yield* Api.request(server, Browser.authorizePath(server, more), asJson)
          assert.deepStrictEqual([answer.status, answer.json["error"]], [status, error])
        }
      })
    )

    it.effect("decision 38: a stored consent covers the same scopes only", () =>
      Effect.gen(function* () {
        const server = yield* Default
        const browser = Browser.make(server.url)
        const ask = (scope: string) => browser.get(Browser.authorizePath(server, { scope }))
        const signIn = yield* ask("user.profile.readable")
        const done = yield* browser.press(signIn, "sign_in", { name: "ada", password: "correct horse" })
        yield* browser.press(yield* browser.get(done.headers.get("location") ?? ""), "allow")
        assert.isNotNull(location(yield* ask("user.profile.readable")).get("code"))
        assert.include(Browser.words(yield* ask("user.profile.readable user.contact.readable")), "Allow Loom")
      })
    )

    it.effect("decision 39: an application without scopes gets its own error", () =>
      Effect.gen(function* () {
        const server = yield* Default
        const app = yield* register(server, {
          name: "Bare",
          scopes: []
        })
        const answer = yield* Api.request(server, Browser.authorizePath(server, { client_id: app.clientId }), asJson)
        assert.strictEqual(answer.json["error"], "invalid_scope")
        assert.include(String(answer.json["error_description"]), "no bound scope")
      })
    )

    it.effect("decision 40: GET and POST, unique parameters, a state of 2048 characters, the address's own query", () =>
      Effect.gen(function* () {
        const server = yield* Default
        const browser = Browser.make(server.url)
        const path = Browser.authorizePath(server)
        const fields = Object.fromEntries(new URL(path, server.url).searchParams)
        assert.strictEqual((yield* browser.get(`${path}&utm=x`)).status, 200)
        const posted = yield* browser.post("/openapi/v2/authorize", fields)
        assert.strictEqual(posted.status, 303)
        assert.strictEqual((yield* browser.get(posted.headers.get("location") ?? "")).status, 200)
        assert.strictEqual(location(yield* browser.get(`${path}&scope=a&scope=b`)).get("error"), "invalid_request")
        const state = "x".repeat(2048)
        assert.strictEqual(
          location(yield* browser.get(Browser.authorizePath(server, { state, scope: "no" }))).get("state"),
          state
        )
        const tooLong = yield* browser.get(Browser.authorizePath(server, { state: `${state}x` }))
        assert.strictEqual(location(tooLong).get("error"), "invalid_request")
        assert.isNull(location(tooLong).get("state"))

        const own = `${TestServer.redirectUri}?tenant=1`
        const app = yield* server.applications.create({ name: "Own", redirectUris: [own] })
        const back = yield* browser.get(
          Browser.authorizePath(server, { client_id: app.clientId, redirect_uri: own, scope: "no" })
        )
        assert.isTrue(back.headers.get("location")?.startsWith(`${own}&error=invalid_scope`))
      })
    )

    it.effect("decision 41: a code is oa_code_ with 43 characters, and the response has no iss", () =>
      Effect.gen(function* () {
        const callback = yield* Browser.authorize(yield* Default)
        assert.match(callback.get("code") ?? "", /^oa_code_[A-Za-z0-9_-]{43}$/)
        assert.deepStrictEqual([...callback.keys()].sort(), ["code", "state"])
      })
    )

    it.effect("decision 42: a failed attempt does not consume the code", () =>
      Effect.gen(function* () {
        const server = yield* Default
        const good = Api.codeFields(server, yield* Api.code(server))
        assert.strictEqual((yield* Api.token(server, { ...good, client_secret: "wrong" })).status, 401)
        assert.strictEqual((yield* Api.token(server, { ...good, redirect_uri: "http://127.0.0.1:9/" })).status, 400)
        assert.strictEqual((yield* Api.token(server, good)).status, 200)
      })
    )

    it.effect("decision 43: a second use of a code revokes its grant, a wrong second use does not", () =>
      Effect.gen(function* () {
        const server = yield* Default
        const good = Api.codeFields(server, yield* Api.code(server))
        const { json: tokens } = yield* Api.token(server, good)
        yield* Api.token(server, { ...good, redirect_uri: "http://127.0.0.1:9/" })
        assert.isTrue(yield* Api.works(server, tokens["access_token"]))
        yield* Api.token(server, good)
        assert.isFalse(yield* Api.works(server, tokens["access_token"]))
      })
    )

    it.effect("decision 44: content type, duplicates, grant type, application, fields, grant — in this order", () =>
      Effect.gen(function* () {
        const server = yield* Default
        // Each request has all later faults too.
        const post = (body: string, type = "application/x-www-form-urlencoded") =>
          Effect.map(
            Api.request(server, "/openapi/v2/token", { method: "POST", headers: { "content-type": type }, body }),
            ({ json }) => `${json["error"]}: ${json["error_description"]}`
          )
        const client = `client_id=${server.clientId}&client_secret=${server.clientSecret}`
        assert.match(yield* post("a=1&a=2", "application/json"), /^invalid_request: The body must be/)
        assert.match(yield* post("a=1&a=2&grant_type=x"), /^invalid_request: A parameter is given more than once: a/)
        assert.match(yield* post("grant_type=x&client_id=x&client_secret=x"), /^unsupported_grant_type/)
        assert.match(yield* post("grant_type=refresh_token&client_id=x&client_secret=x"), /^invalid_client/)
        assert.match(yield* post(`grant_type=refresh_token&${client}`), /^invalid_request: .*refresh_token/)
        assert.match(yield* post(`grant_type=refresh_token&refresh_token=x&${client}`), /^invalid_grant/)
      })
    )

    it.effect("decision 45: Basic is accepted, JSON is not, and the query is ignored", () =>
      Effect.gen(function* () {
        const server = yield* Default
        const { client_id, client_secret, ...rest } = Api.codeFields(server, yield* Api.code(server))
        const query = yield* Api.request(
          server,
          `/openapi/v2/token?${new URLSearchParams({ client_id, client_secret })}`,
          { method: "POST", body: new URLSearchParams(rest) }
        )
        assert.strictEqual(query.json["error"], "invalid_client")
        const json = yield* Api.request(server, "/openapi/v2/token", {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ ...rest, client_id, client_secret })
        })
        assert.deepStrictEqual([json.status, json.json["error"]], [400, "invalid_request"])
        const basic = Buffer.from(`${client_id}:${client_secret}`).toString("base64")
        assert.strictEqual((yield* Api.token(server, rest, { authorization: `Basic ${basic}` })).status, 200)
      })
    )

    it.effect("decision 46: token responses are not cached", () =>
      Effect.gen(function* () {
        const server = yield* Default
        for (const code of [yield* Api.code(server), "wrong"]) {
          const answer = yield* Api.token(server, Api.codeFields(server, code))
          assert.include(answer.headers.get("cache-control") ?? "", "no-store")
        }
      })
    )

    it.effect("decision 47: there is no device flow", () =>
      Effect.gen(function* () {
        const server = yield* Default
        const { client_id, client_secret } = Api.codeFields(server, "")
        const body = new URLSearchParams({ client_id, client_secret })
        const ask = yield* Api.request(server, "/openapi/v2/device_authorization", { method: "POST", body })
        assert.deepStrictEqual([ask.status, ask.json["error"]], [404, "not_found"])
        assert.strictEqual((yield* Api.request(server, "/device")).status, 404)
        for (const grant_type of ["device_code", "urn:ietf:params:oauth:grant-type:device_code"]) {
          const poll = yield* Api.token(server, { grant_type, client_id, client_secret, device_code: "x" })
          assert.strictEqual(poll.json["error"], "unsupported_grant_type")
        }
      })
    )

    it.effect("decision 50: no revocation and no introspection; the metadata lists the enabled endpoints", () =>
      Effect.gen(function* () {
        const server = yield* Default
        for (const path of ["revoke", "introspect"]) {
          const { client_id, client_secret } = Api.codeFields(server, "")
          const body = new URLSearchParams({ client_id, client_secret, token: "x" })
          const answer = yield* Api.request(server, `/openapi/v2/${path}`, { method: "POST", body })
          assert.deepStrictEqual([answer.status, answer.json["error"]], [404, "not_found"])
        }
        const { json } = yield* Api.request(server, "/.well-known/oauth-authorization-server")
        assert.strictEqual(json["issuer"], server.url)
        assert.strictEqual(json["token_endpoint"], `${server.url}/openapi/v2/token`)
        assert.notProperty(json, "revocation_endpoint")
        assert.notProperty(json, "introspection_endpoint")
        assert.notProperty(json, "device_authorization_endpoint")
      })
    )

    it.effect("decision 51: the challenge names the scopes that the operation needs", () =>
      Effect.gen(function* () {
        const server = yield* Default
        const { access_token } = yield* Api.connect(server, { scope: "user.profile.readable" })
        const needs: ReadonlyArray<readonly [string, string, unknown]> = [
          ["/credit", "user.credit.readable", undefined],
          ["/tasks", "user.task.readable", undefined],
          ["/tasks", "user.task.invokable", { prompt: "p" }]
        ]
        for (const [path, scope, json] of needs) {
          const answer = yield* Api.call(server, access_token, path, { json })
          assert.deepStrictEqual([answer.status, answer.json["error"]], [403, "insufficient_scope"])
          const challenge = answer.headers.get("www-authenticate") ?? ""
          assert.match(challenge, /^Bearer /)
          assert.include(challenge, 'error="insufficient_scope"')
          assert.include(challenge, `scope="${scope}"`)
        }
      })
    )

    it.effect("decision 52: renewing a task's credential needs user.task.readable", () =>
      Effect.gen(function* () {
        const server = yield* Default
        const { access_token } = yield* Api.connect(server, { scope: "user.task.invokable" })
        const task = yield* Api.call(server, access_token, "/tasks", { json: { prompt: "p" } })
        assert.strictEqual(task.status, 201)
        const answer = yield* Api.call(server, access_token, `/tasks/${String(task.json["task_id"])}`)
        assert.strictEqual(answer.status, 403)
        assert.include(answer.headers.get("www-authenticate") ?? "", 'scope="user.task.readable"')
      })
    )

    it.effect("decision 53: an application without a secret cannot be registered", () =>
      Effect.gen(function* () {
        const server = yield* Default
        const refused = yield* Effect.flip(register(server, { name: "Public", public: true }))
        assert.include(refused.message, "--public-clients")
      })
    )
  })
})
