import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as oauth from "oauth4webapi"
import * as client from "openid-client"
import * as Browser from "../support/Browser.ts"
import * as TestServer from "../support/TestServer.ts"

// Clients that know nothing of this service but the standards.

const everything = {
  deviceFlow: true,
  revocation: true,
  introspection: true
} as const

const insecure = { [oauth.allowInsecureRequests]: true }

/** The callback that a person's browser ends at. */
const allow = (server: TestServer.TestServer, url: URL) =>
  Effect.gen(function* () {
    const browser = Browser.make(server.url)
    const signIn = yield* browser.get(url.pathname + url.search)
    const signedIn = yield* browser.press(signIn, "sign_in", { name: "ada", password: "correct horse" })
    let page = yield* browser.get(signedIn.headers.get("location") ?? "")
    if (page.status === 200) page = yield* browser.press(page, "allow")
    return new URL(page.headers.get("location") ?? "")
  })

describe("openid-client", () => {
  const discover = (server: TestServer.TestServer, authentication: client.ClientAuth) =>
    Effect.promise(() =>
      client.discovery(new URL(server.url), server.clientId, undefined, authentication, {
        algorithm: "oauth2",
        execute: [client.allowInsecureRequests]
      })
    )

  for (const kind of ["post", "basic"] as const) {
    it.scopedLive(`discovers the service and goes through the code flow with PKCE, its secret by ${kind}`, () =>
      Effect.gen(function* () {
        const server = yield* TestServer.make({ contract: everything })
        const config = yield* discover(
          server,
          kind === "post" ? client.ClientSecretPost(server.clientSecret) : client.ClientSecretBasic(server.clientSecret)
        )
        assert.strictEqual(config.serverMetadata().supportsPKCE(), true)
        const pkceCodeVerifier = client.randomPKCECodeVerifier()
        const state = client.randomState()
        const url = client.buildAuthorizationUrl(config, {
          redirect_uri: TestServer.redirectUri,
          scope: "user.profile.readable user.task.readable",
          code_challenge: yield* Effect.promise(() => client.calculatePKCECodeChallenge(pkceCodeVerifier)),
          code_challenge_method: "S256",
          state
        })
        const callback = yield* allow(server, url)
        const tokens = yield* Effect.promise(() =>
          client.authorizationCodeGrant(config, callback, { pkceCodeVerifier, expectedState: state })
        )
        assert.strictEqual(tokens.scope, "user.profile.readable user.task.readable")
        assert.strictEqual(tokens.expires_in, 604_800)
        const answer = yield* Effect.promise(() =>
          client.fetchProtectedResource(
            config,
            tokens.access_token,
            new URL(server.at("/openapi/v2/user/profile")),
            "GET"
          )
        )
        assert.deepStrictEqual(yield* Effect.promise(() => answer.json()), { nickname: "Ada", avatar: "" })

        const renewed = yield* Effect.promise(() => client.refreshTokenGrant(config, tokens.refresh_token ?? ""))
        assert.strictEqual(renewed.expires_in, 3600)
        assert.notStrictEqual(renewed.access_token, tokens.access_token)
        const known = yield* Effect.promise(() => client.tokenIntrospection(config, tokens.access_token))
        assert.isTrue(known.active)
        yield* Effect.promise(() => client.tokenRevocation(config, tokens.refresh_token ?? ""))
        assert.isFalse((yield* Effect.promise(() => client.tokenIntrospection(config, tokens.access_token))).active)
      })
    )
  }

  for (const mode of ["omit", "same", "rotate"] as const) {
    it.scopedLive(`goes without PKCE, too, and refreshes where the service's mode is ${mode}`, () =>
      Effect.gen(function* () {
        const server = yield* TestServer.make({ contract: { refreshTokenOnRefresh: mode } })
        const config = yield* discover(server, client.ClientSecretPost(server.clientSecret))
        const url = client.buildAuthorizationUrl(config, { redirect_uri: TestServer.redirectUri, state: "mine" })
        const callback = yield* allow(server, url)
        const tokens = yield* Effect.promise(() =>
          client.authorizationCodeGrant(config, callback, { expectedState: "mine" })
        )
        const first = tokens.refresh_token ?? ""
        const renewed = yield* Effect.promise(() => client.refreshTokenGrant(config, first))
        if (mode === "omit") assert.isUndefined(renewed.refresh_token)
        if (mode === "same") assert.strictEqual(renewed.refresh_token, first)
        if (mode === "rotate") assert.notStrictEqual(renewed.refresh_token, first)
        yield* Effect.promise(() => client.refreshTokenGrant(config, renewed.refresh_token ?? first))
      })
    )
  }

  it.scopedLive("gets tokens by the device flow", () =>
    Effect.gen(function* () {
      const server = yield* TestServer.make({ contract: everything })
      const config = yield* discover(server, client.ClientSecretPost(server.clientSecret))
      const device = yield* Effect.promise(() =>
        client.initiateDeviceAuthorization(config, { scope: "user.credit.readable" })
      )
      const polling = Effect.promise(() => client.pollDeviceAuthorizationGrant(config, { ...device, interval: 1 }))
      const browser = Browser.make(server.url)
      const complete = new URL(device.verification_uri_complete ?? "")
      const signIn = yield* browser.get(complete.pathname + complete.search)
      const signedIn = yield* browser.press(signIn, "sign_in", { name: "ada", password: "correct horse" })
      const page = yield* browser.get(signedIn.headers.get("location") ?? "")
      assert.strictEqual((yield* browser.press(page, "allow")).status, 200)
      assert.strictEqual((yield* polling).scope, "user.credit.readable")
    })
  )

  it.scopedLive("distinguishes the user's refusal from a foreign state", () =>
    Effect.gen(function* () {
      const server = yield* TestServer.make()
      const config = yield* discover(server, client.ClientSecretPost(server.clientSecret))
      const url = client.buildAuthorizationUrl(config, { redirect_uri: TestServer.redirectUri, state: "mine" })
      const browser = Browser.make(server.url)
      const signIn = yield* browser.get(url.pathname + url.search)
      const signedIn = yield* browser.press(signIn, "sign_in", { name: "ada", password: "correct horse" })
      const consent = yield* browser.get(signedIn.headers.get("location") ?? "")
      const denied = yield* browser.press(consent, "cancel")
      const callback = new URL(denied.headers.get("location") ?? "")
      const exchange = (expectedState: string) =>
        Effect.flip(Effect.tryPromise(() => client.authorizationCodeGrant(config, callback, { expectedState })))
      const refusal = (yield* exchange("mine")).error
      assert.instanceOf(refusal, client.AuthorizationResponseError)
      assert.propertyVal(refusal, "error", "access_denied")
      assert.notInstanceOf((yield* exchange("other")).error, client.AuthorizationResponseError)
    })
  )
})

/** What oauth4webapi learns of a server, and how it says who it is there. */
const standards = (server: TestServer.TestServer) =>
  Effect.promise(async () => {
    const issuer = new URL(server.url)
    const answer = await oauth.discoveryRequest(issuer, { algorithm: "oauth2", ...insecure })
    const self: oauth.Client = { client_id: server.clientId }
    return {
      as: await oauth.processDiscoveryResponse(issuer, answer),
      self,
      authentication: oauth.ClientSecretPost(server.clientSecret)
    }
  })

type Standards = Effect.Effect.Success<ReturnType<typeof standards>>

/** The address that asks for a code, with further parameters. */
const codeUrl = ({ as, self }: Standards, parameters: Record<string, string>) => {
  const url = new URL(as.authorization_endpoint ?? "")
  const required = { response_type: "code", client_id: self.client_id, redirect_uri: TestServer.redirectUri }
  url.search = String(new URLSearchParams({ ...required, ...parameters }))
  return url
}

/** The tokens for the code of a callback. */
const exchangeCode = async (
  { as, authentication, self }: Standards,
  callback: URLSearchParams,
  codeVerifier: string | typeof oauth.nopkce
) =>
  oauth.processAuthorizationCodeResponse(
    as,
    self,
    await oauth.authorizationCodeGrantRequest(
      as,
      self,
      authentication,
      callback,
      TestServer.redirectUri,
      codeVerifier,
      insecure
    )
  )

describe("oauth4webapi", () => {
  for (const mode of ["omit", "same", "rotate"] as const) {
    it.scopedLive(`goes through the code flow without PKCE and refreshes where the service's mode is ${mode}`, () =>
      Effect.gen(function* () {
        const server = yield* TestServer.make({ contract: { refreshTokenOnRefresh: mode } })
        const standard = yield* standards(server)
        const { as, authentication, self } = standard
        const state = oauth.generateRandomState()
        const url = codeUrl(standard, {
          state
        })
        const callback = oauth.validateAuthResponse(as, self, yield* allow(server, url), state)
        const granted = yield* Effect.promise(() => exchangeCode(standard, callback, oauth.nopkce))
        const refresh = (token: string) =>
          Effect.tryPromise(async () =>
            oauth.processRefreshTokenResponse(
              as,
              self,
              await oauth.refreshTokenGrantRequest(as, self, authentication, token, insecure)
            )
          )
        const first = granted.refresh_token ?? ""
        const renewed = yield* refresh(first)
        assert.strictEqual(renewed.expires_in, 3600)
        assert.notStrictEqual(renewed.access_token, granted.access_token)
        if (mode === "omit") assert.isUndefined(renewed.refresh_token)
        if (mode === "same") assert.strictEqual(renewed.refresh_token, first)
        if (mode === "rotate") {
          assert.notStrictEqual(renewed.refresh_token, first)
          // Within the grace period a repeat gets the same answer: a lost answer ends no sign-in.
          assert.strictEqual((yield* refresh(first)).refresh_token, renewed.refresh_token)
        }
        yield* refresh(renewed.refresh_token ?? first)
        const refused = yield* Effect.flip(refresh("oa_rt_unknown"))
        assert.propertyVal(refused.error, "error", "invalid_grant")
      })
    )
  }

  it.scopedLive("completes the code flow with PKCE and revokes its tokens", () =>
    Effect.gen(function* () {
      const server = yield* TestServer.make({ contract: everything })
      const standard = yield* standards(server)
      const { as, authentication, self } = standard
      const verifier = oauth.generateRandomCodeVerifier()
      const state = oauth.generateRandomState()
      const url = codeUrl(standard, {
        code_challenge: yield* Effect.promise(() => oauth.calculatePKCECodeChallenge(verifier)),
        code_challenge_method: "S256",
        state
      })
      const callback = oauth.validateAuthResponse(as, self, yield* allow(server, url), state)
      const exchange = (codeVerifier: string) => Effect.tryPromise(() => exchangeCode(standard, callback, codeVerifier))
      const foreign = yield* Effect.flip(exchange(oauth.generateRandomCodeVerifier()))
      assert.propertyVal(foreign.error, "error", "invalid_grant")
      const tokens = yield* exchange(verifier)
      const active = Effect.promise(async () =>
        oauth.processIntrospectionResponse(
          as,
          self,
          await oauth.introspectionRequest(as, self, authentication, tokens.access_token, insecure)
        )
      ).pipe(Effect.map((answer) => answer.active))
      assert.isTrue(yield* active)
      yield* Effect.promise(async () =>
        oauth.processRevocationResponse(
          await oauth.revocationRequest(as, self, authentication, tokens.refresh_token ?? "", insecure)
        )
      )
      assert.isFalse(yield* active)
    })
  )

  it.scopedLive("gets tokens by the device flow", () =>
    Effect.gen(function* () {
      const server = yield* TestServer.make({ contract: everything })
      const { as, authentication, self } = yield* standards(server)
      const device = yield* Effect.promise(async () =>
        oauth.processDeviceAuthorizationResponse(
          as,
          self,
          await oauth.deviceAuthorizationRequest(as, self, authentication, { scope: "user.credit.readable" }, insecure)
        )
      )
      const poll = Effect.tryPromise(async () =>
        oauth.processDeviceCodeResponse(
          as,
          self,
          await oauth.deviceCodeGrantRequest(as, self, authentication, device.device_code, insecure)
        )
      )
      assert.propertyVal((yield* Effect.flip(poll)).error, "error", "authorization_pending")
      assert.propertyVal((yield* Effect.flip(poll)).error, "error", "slow_down")
      const complete = new URL(device.verification_uri_complete ?? "")
      const browser = Browser.make(server.url)
      const signIn = yield* browser.get(complete.pathname + complete.search)
      const signedIn = yield* browser.press(signIn, "sign_in", { name: "ada", password: "correct horse" })
      const page = yield* browser.get(signedIn.headers.get("location") ?? "")
      assert.strictEqual((yield* browser.press(page, "cancel")).status, 200)
      assert.propertyVal((yield* Effect.flip(poll)).error, "error", "access_denied")
    })
  )

  it.scopedLive("reads the challenge of a refused token", () =>
    Effect.gen(function* () {
      const server = yield* TestServer.make()
      const call = oauth.protectedResourceRequest(
        "unknown",
        "GET",
        new URL(server.at("/openapi/v2/credit")),
        undefined,
        undefined,
        insecure
      )
      const { error } = yield* Effect.flip(Effect.tryPromise(() => call))
      assert.instanceOf(error, oauth.WWWAuthenticateChallengeError)
      const [challenge] = (error as oauth.WWWAuthenticateChallengeError).cause
      assert.strictEqual(challenge?.scheme, "bearer")
      assert.strictEqual(challenge?.parameters.error, "invalid_token")
    })
  )
})
