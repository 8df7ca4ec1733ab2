import { assert, describe, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Crypto from "node:crypto"
import * as Api from "../support/Api.ts"
import * as Browser from "../support/Browser.ts"
import * as TestServer from "../support/TestServer.ts"
import { Default, register, location } from "../support/DefaultService.ts"

/** Services with one thing switched on. */
describe("the options of the decision table", () => {
  layer(
    Layer.scoped(
      Default,
      TestServer.make({
        contract: {
          singleGrant: true,
          partialConsent: true,
          issuerParameter: true,
          tokenJsonBody: true,
          publicClients: true,
          loopbackPort: "any",
          metadata: "off"
        }
      })
    ),
    { excludeTestServices: true }
  )((it) => {
    it.effect("singleGrant (30): a new login ends earlier grants", () =>
      Effect.gen(function* () {
        const server = yield* Default
        const other = yield* server.grantTo("Another", "Ada")
        const first = yield* Api.connect(server)
        const [one, two] = [yield* Api.code(server), yield* Api.code(server)]
        assert.isTrue(yield* Api.works(server, first.access_token))
        const second = yield* Api.token(server, Api.codeFields(server, two))
        assert.isFalse(yield* Api.works(server, first.access_token))
        const third = yield* Api.token(server, Api.codeFields(server, one))
        assert.strictEqual(third.status, 200)
        assert.isFalse(yield* Api.works(server, second.json["access_token"]))
        assert.isTrue(yield* Api.works(server, third.json["access_token"]))
        assert.isTrue(yield* Api.works(server, other))
      })
    )

    it.effect("partialConsent (33): only ticked scopes are granted, and no tick is a denial", () =>
      Effect.gen(function* () {
        const server = yield* Default
        const [credit, task] = ["user.credit.readable", "user.task.readable"]
        const path = Browser.authorizePath(server, { scope: `${credit} ${task}` })
        const browser = Browser.make(server.url)
        const signIn = yield* browser.get(path)
        const done = yield* browser.press(signIn, "sign_in", { name: "ada", password: "correct horse" })
        const page = yield* browser.get(done.headers.get("location") ?? "")
        const form_token = /name="form_token" value="([^"]*)"/.exec(page.text)?.[1] ?? ""
        const allow = (ticked: Record<string, string>) =>
          browser.post("/openapi/v2/authorize", {
            ...Object.fromEntries(new URL(path, server.url).searchParams),
            form_token,
            step: "allow",
            choose: "1",
            ...ticked
          })
        assert.strictEqual(location(yield* allow({})).get("error"), "access_denied")
        assert.strictEqual(location(yield* allow({ grant: "user.profile.readable" })).get("error"), "access_denied")
        const code = location(yield* allow({ grant: credit })).get("code") ?? ""
        assert.strictEqual((yield* Api.token(server, Api.codeFields(server, code))).json["scope"], credit)
        assert.include(Browser.words(yield* browser.get(path)), "Allow Loom")
      })
    )

    it.effect("issuerParameter (41): every authorization response has the issuer", () =>
      Effect.gen(function* () {
        const server = yield* Default
        assert.strictEqual((yield* Browser.authorize(server)).get("iss"), server.url)
        const faulty = yield* Browser.make(server.url).get(Browser.authorizePath(server, { scope: "no" }))
        assert.strictEqual(location(faulty).get("iss"), server.url)
      })
    )

    it.effect("tokenJsonBody (45): a JSON object of strings is accepted, too", () =>
      Effect.gen(function* () {
        const server = yield* Default
        const post = (body: string) =>
          Api.request(server, "/openapi/v2/token", {
            method: "POST",
            headers: { "content-type": "application/json" },
            body
          })
        const fields = Api.codeFields(server, yield* Api.code(server))
        for (const bad of ["", "[]", "null", "{", '{"grant_type":1}', '"x"']) {
          assert.strictEqual((yield* post(bad)).json["error"], "invalid_request", bad)
        }
        assert.strictEqual((yield* post(JSON.stringify(fields))).status, 200)
      })
    )

    it.effect("loopbackPort (40): only the port of a loopback IP address may differ", () =>
      Effect.gen(function* () {
        const server = yield* Default
        const registered = "http://127.0.0.1:9/callback?a=1"
        const app = yield* server.applications.create({
          name: "Native",
          redirectUris: [registered, "https://app.example:1/cb", "http://localhost:9/cb", "http://[::1]/cb"]
        })
        const status = (redirect_uri: string) =>
          Effect.map(
            Browser.make(server.url).get(Browser.authorizePath(server, { client_id: app.clientId, redirect_uri })),
            (page) => page.status
          )
        for (const good of [
          registered,
          "http://127.0.0.1:51004/callback?a=1",
          "http://127.0.0.1/callback?a=1",
          "http://[::1]:8080/cb"
        ]) {
          assert.strictEqual(yield* status(good), 200, good)
        }
        for (const bad of [
          "http://127.0.0.1:9/callback?a=2",
          "http://127.0.0.1:9/callback",
          "http://127.0.0.1:99999/callback?a=1",
          "http://127.0.0.1:0/callback?a=1",
          "http://127.0.0.1:00000/callback?a=1",
          "http://127.0.0.1:1@evil.example/callback?a=1",
          "http://127.0.0.1:1.evil.example/callback?a=1",
          "http://127.0.0.2:9/callback?a=1",
          "http://127.1:9/callback?a=1",
          "https://127.0.0.1:9/callback?a=1",
          "https://app.example:2/cb",
          "http://localhost:10/cb"
        ]) {
          assert.strictEqual(yield* status(bad), 400, bad)
        }
      })
    )

    it.effect("publicClients (53): consent is required each time", () =>
      Effect.gen(function* () {
        const server = yield* Default
        const { clientId } = yield* server.applications.create({
          name: "Asks again",
          redirectUris: ["http://127.0.0.1/cb"],
          public: true
        })
        const path = Browser.authorizePath(server, {
          client_id: clientId,
          redirect_uri: "http://127.0.0.1:51004/cb",
          code_challenge: "a".repeat(43),
          code_challenge_method: "S256"
        })
        const browser = Browser.make(server.url)
        yield* browser.press(yield* browser.get(path), "sign_in", { name: "ada", password: "correct horse" })
        for (let times = 0; times < 2; times++) {
          const consent = yield* browser.get(path)
          assert.strictEqual(consent.status, 200)
          const back = yield* browser.press(consent, "allow")
          assert.match(location(back).get("code") ?? "", /^oa_code_/)
        }
      })
    )

    it.effect("publicClients (53): no secret, and always PKCE and rotation", () =>
      Effect.gen(function* () {
        const server = yield* Default
        const app = yield* register(server, {
          name: "Public",
          public: true
        })
        assert.strictEqual(Redacted.value(app.clientSecret), "")
        const own = { ...server, clientId: app.clientId }
        const bare = yield* Browser.make(server.url).get(Browser.authorizePath(own))
        assert.strictEqual(location(bare).get("error"), "invalid_request")

        const verifier = Crypto.randomBytes(32).toString("base64url")
        const code_challenge = Crypto.createHash("sha256").update(verifier).digest("base64url")
        const code = yield* Api.code(own, { code_challenge, code_challenge_method: "S256" })
        const fields = {
          grant_type: "authorization_code",
          code,
          client_id: app.clientId,
          redirect_uri: TestServer.redirectUri
        }
        assert.strictEqual((yield* Api.token(own, fields)).json["error"], "invalid_grant")
        const guess = yield* Api.token(own, { ...fields, code_verifier: verifier, client_secret: "guess" })
        assert.strictEqual(guess.json["error"], "invalid_client")
        const { json: tokens } = yield* Api.token(own, { ...fields, code_verifier: verifier })
        const refresh = yield* Api.token(own, {
          grant_type: "refresh_token",
          client_id: app.clientId,
          refresh_token: String(tokens["refresh_token"])
        })
        assert.strictEqual(refresh.status, 200)
        assert.notStrictEqual(refresh.json["refresh_token"], tokens["refresh_token"])
        // An application with a secret does not become public by leaving it out.
        const { client_secret: _, ...secretless } = Api.codeFields(server, "x")
        assert.strictEqual((yield* Api.token(server, secretless)).json["error"], "invalid_client")
      })
    )

    it.effect("metadata (50): the metadata address is 404 where it is off", () =>
      Effect.gen(function* () {
        const answer = yield* Api.request(yield* Default, "/.well-known/oauth-authorization-server")
        assert.strictEqual(answer.status, 404)
      })
    )
  })
})
