import { FetchHttpClient } from "@effect/platform"
import { NodeHttpClient } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { BearerToken } from "@heddle/core/Transport"
import { TokenEndpoint, layer } from "@heddle/oauth/TokenEndpoint"
import * as TokenSet from "@heddle/oauth/TokenSet"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { createServer } from "node:http"
import { inspect } from "node:util"
import * as TokenService from "./TokenService.ts"

const secret = "sec ret&1"
const endpoint = (baseUrl: string, http: Layer.Layer<Layer.Layer.Success<typeof NodeHttpClient.layer>>) =>
  layer({ baseUrl, clientId: "app", clientSecret: Redacted.make(secret) }).pipe(Layer.provide(http))

const previous = (expiresAt = 0) =>
  new TokenSet.TokenSet({
    accessToken: Redacted.make("a-old"),
    refreshToken: Redacted.make("r-0"),
    obtainedAt: 0,
    expiresAt
  })

describe.each([
  ["fetch", FetchHttpClient.layer],
  ["node", NodeHttpClient.layer]
] as const)("over %s", (_, http) => {
  it.live("exchanges a code by a form with the application's credentials", () =>
    Effect.gen(function* () {
      const service = yield* TokenService.make
      const before = Date.now()
      const tokens = yield* Effect.flatMap(TokenEndpoint, (each) =>
        each.exchange({
          code: Redacted.make("c+1"),
          redirectUri: "https://bot.example/cb?x=1&y=%2F",
          codeVerifier: Redacted.make("v")
        })
      ).pipe(
        Effect.provide(endpoint(service.url, http)),
        Effect.provideService(BearerToken, Option.some(Redacted.make("somebody's")))
      )
      const { form, headers } = service.asked[0]!
      assert.deepStrictEqual(Object.fromEntries(form), {
        grant_type: "authorization_code",
        code: "c+1",
        client_id: "app",
        client_secret: secret,
        redirect_uri: "https://bot.example/cb?x=1&y=%2F",
        code_verifier: "v"
      })
      assert.match(headers["content-type"] ?? "", /^application\/x-www-form-urlencoded/)
      assert.isUndefined(headers.authorization)
      assert.strictEqual(Redacted.value(tokens.accessToken), "a-0")
      assert.strictEqual(tokens.openId, "o-1")
      assert.deepStrictEqual(tokens.scopes, new Set(["user.task.readable", "user.profile.readable"]))
      assert.isAtLeast(tokens.obtainedAt, before)
      assert.strictEqual(tokens.expiresAt, tokens.obtainedAt + 3_600_000)
    }).pipe(Effect.scoped)
  )

  it.live("ignores an impossible lifetime", () =>
    Effect.gen(function* () {
      const service = yield* TokenService.make
      const life = (expiresIn: unknown) =>
        Effect.gen(function* () {
          service.state.expiresIn = expiresIn
          const tokens = yield* (yield* TokenEndpoint).exchange({
            code: Redacted.make("c"),
            redirectUri: "https://bot.example/cb"
          })
          return tokens.expiresAt === undefined ? undefined : tokens.expiresAt - tokens.obtainedAt
        })
      yield* Effect.gen(function* () {
        for (const odd of [1e308, "99999999999999999999", "1e308", 3.2e8, -1, 0]) {
          assert.isUndefined(yield* life(odd), String(odd))
        }
        assert.strictEqual(yield* life(10 * 365 * 86_400), 10 * 365 * 86_400_000)
      }).pipe(Effect.provide(endpoint(service.url, http)))
    }).pipe(Effect.scoped)
  )

  it.live("takes an empty open_id and scope for none", () =>
    Effect.gen(function* () {
      const service = yield* TokenService.make
      service.state.odd = { open_id: "", scope: "" }
      const requested = new Set(["user.task.readable"])
      yield* Effect.gen(function* () {
        const { exchange, refresh } = yield* TokenEndpoint
        const code = { code: Redacted.make("c"), redirectUri: "https://bot.example/cb" }
        const tokens = yield* exchange({ ...code, scopes: requested })
        assert.deepStrictEqual([tokens.openId, tokens.scopes], [undefined, requested])
        const renewed = yield* refresh(tokens)
        assert.deepStrictEqual([renewed.openId, renewed.scopes], [undefined, requested])
      }).pipe(Effect.provide(endpoint(service.url, http)))
    }).pipe(Effect.scoped)
  )

  it.live("sends a refresh once, even when its answer is lost", () =>
    Effect.gen(function* () {
      const service = yield* TokenService.make
      service.state.behaviour = "dropAfterwards"
      const error = yield* Effect.flatMap(TokenEndpoint, (each) => Effect.flip(each.refresh(previous()))).pipe(
        Effect.provide(endpoint(service.url, http))
      )
      assert.strictEqual(error._tag, "OutcomeUnknown")
      assert.lengthOf(service.asked, 1)
    }).pipe(Effect.scoped)
  )

  it.live("never follows a redirect with the secret", () =>
    Effect.gen(function* () {
      const seen: Array<string | undefined> = []
      const server = createServer((request, response) => {
        seen.push(request.url)
        response.writeHead(307, { location: "/elsewhere" }).end()
      })
      yield* Effect.acquireRelease(
        Effect.async<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void))),
        () => Effect.sync(() => server.close())
      )
      const address = server.address()
      assert.isTrue(typeof address === "object" && address !== null)
      const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`
      const error = yield* Effect.flatMap(TokenEndpoint, (each) => Effect.flip(each.refresh(previous()))).pipe(
        Effect.provide(endpoint(url, http))
      )
      assert.strictEqual(error._tag, "UnexpectedStatus")
      assert.deepStrictEqual(seen, ["/openapi/v2/token"])
    }).pipe(Effect.scoped)
  )
})

describe("refresh", () => {
  it.live("keeps the old refresh token when the response has none", () =>
    Effect.gen(function* () {
      const service = yield* TokenService.make
      yield* Effect.gen(function* () {
        const { refresh } = yield* TokenEndpoint
        for (const behaviour of ["omit", "null", "empty"] as const) {
          service.state.behaviour = behaviour
          const { refreshToken } = yield* refresh(previous())
          assert.strictEqual(refreshToken && Redacted.value(refreshToken), "r-0")
        }
        service.state.behaviour = "rotate"
        const { refreshToken } = yield* refresh(previous())
        assert.strictEqual(refreshToken && Redacted.value(refreshToken), "r-4")
      }).pipe(Effect.provide(endpoint(service.url, NodeHttpClient.layer)))
    }).pipe(Effect.scoped)
  )

  it.live("reads a lifetime as number, text or fraction, or without one", () =>
    Effect.gen(function* () {
      const service = yield* TokenService.make
      service.state.behaviour = "omit"
      yield* Effect.gen(function* () {
        const { refresh } = yield* TokenEndpoint
        for (const [written, life] of [
          [60, 60_000],
          ["60", 60_000],
          [1.5, 1_500],
          [null, undefined],
          [undefined, undefined],
          [0, undefined],
          [-1, undefined]
        ] as const) {
          service.state.expiresIn = written
          const { expiresAt, obtainedAt } = yield* refresh(previous())
          assert.strictEqual(expiresAt === undefined ? undefined : expiresAt - obtainedAt, life)
        }
      }).pipe(Effect.provide(endpoint(service.url, NodeHttpClient.layer)))
    }).pipe(Effect.scoped)
  )

  it.live("distinguishes a dead grant, a wrong client and an unavailable service, and shows no secret", () =>
    Effect.gen(function* () {
      const service = yield* TokenService.make
      yield* Effect.gen(function* () {
        const { refresh } = yield* TokenEndpoint
        for (const [behaviour, tag] of [
          ["invalidGrant", "InvalidGrant"],
          ["invalidClient", "InvalidClient"],
          ["unavailable", "ServiceFailure"]
        ] as const) {
          service.state.behaviour = behaviour
          const exit = yield* Effect.exit(refresh(previous()))
          const shown = inspect(exit, { depth: 20 }) + JSON.stringify(exit) + String(exit)
          assert.include(shown, tag)
          for (const hidden of [secret, "r-0", "a-old"]) assert.notInclude(shown, hidden)
        }
        assert.lengthOf(service.asked, 3)
      }).pipe(Effect.provide(endpoint(service.url, NodeHttpClient.layer)))
    }).pipe(Effect.scoped)
  )

  it.live("fails before sending when there is no refresh token, or no service", () =>
    Effect.gen(function* () {
      const service = yield* TokenService.make
      const none = new TokenSet.TokenSet({ accessToken: Redacted.make("a"), obtainedAt: 0 })
      const error = yield* Effect.flatMap(TokenEndpoint, (each) => Effect.flip(each.refresh(none))).pipe(
        Effect.provide(endpoint(service.url, NodeHttpClient.layer))
      )
      assert.strictEqual(error._tag, "InvalidGrant")
      assert.lengthOf(service.asked, 0)
      const unreachable = yield* Effect.flatMap(TokenEndpoint, (each) => Effect.flip(each.refresh(previous()))).pipe(
        Effect.provide(endpoint("http://127.0.0.1:1", NodeHttpClient.layer))
      )
      assert.strictEqual(unreachable._tag, "Unreachable")
    }).pipe(Effect.scoped)
  )
})

describe("ageAt", () => {
  it("counts a token as stale in the last tenth of its life, at most five minutes", () => {
    const age = (life: number, left: number) => previous(life * 1000).ageAt((life - left) * 1000)
    assert.strictEqual(age(100, 11), "fresh")
    assert.strictEqual(age(100, 10), "stale")
    assert.strictEqual(age(100, 0), "expired")
    assert.strictEqual(age(604_800, 301), "fresh")
    assert.strictEqual(age(604_800, 300), "stale")
    const forever = new TokenSet.TokenSet({ accessToken: Redacted.make("a"), obtainedAt: 0 })
    assert.strictEqual(forever.ageAt(Number.MAX_SAFE_INTEGER), "fresh")
  })
})
