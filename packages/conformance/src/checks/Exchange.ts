import * as Effect from "effect/Effect"
import * as Api from "../Api.ts"
import { required, decided, type Check, type Run } from "../Check.ts"
import { field, jsonObject, refusal, status } from "../Expectation.ts"
import * as Matcher from "../Matcher.ts"
import { credentials, exchange, refresh } from "../TokenEndpoint.ts"
import { at } from "../internal/Json.ts"

const needsCode = { needs: ["authorizationCode", "redirectUri"] } as const

const singleUse = required(
  "4.2",
  "a code is exchanged once for an access token and a refresh token",
  withCode((code) =>
    Effect.gen(function* () {
      const response = yield* exchange({ code })
      yield* Api.verify(
        response,
        status(200),
        jsonObject,
        field("access_token", Matcher.filled),
        field("token_type", Matcher.is("Bearer")),
        field("expires_in", Matcher.positive),
        field("refresh_token", Matcher.filled),
        field("scope", Matcher.optional(Matcher.string)),
        field("open_id", Matcher.filled)
      )
      const token = { token: String(at(response.json, "access_token")) }
      yield* Api.expecting(Api.get("/user/profile", { token }), status(200, 403))
      const renewed = yield* refresh({ refresh_token: String(at(response.json, "refresh_token")) })
      yield* Api.verify(renewed, status(200), field("access_token", Matcher.filled))
      yield* Api.verify(yield* exchange({ code }), refusal(400, "invalid_grant"))
    })
  ),
  needsCode
)

const reuseRevokes = decided(
  43,
  "4.2",
  "using a code twice revokes its tokens",
  withCode((code) =>
    Effect.gen(function* () {
      const response = yield* exchange({ code })
      yield* exchange({ code })
      const token = { token: String(at(response.json, "access_token")) }
      yield* Api.verify(response, status(200))
      yield* Api.expecting(Api.get("/user/profile", { token }), refusal(401, "invalid_token"))
      yield* Api.verify(
        yield* refresh({ refresh_token: String(at(response.json, "refresh_token")) }),
        refusal(400, "invalid_grant")
      )
    })
  ),
  needsCode
)

const wrongRedirectUri = decided(
  42,
  "4.2",
  "a different redirect_uri is 400 invalid_grant and does not consume the code",
  withCode((code) =>
    Effect.gen(function* () {
      const redirectUri = yield* Api.setting("redirectUri")
      for (const odd of [`${redirectUri}/`, redirectUri.replace("http", "HTTP"), `${redirectUri}?x=1`]) {
        yield* Api.verify(yield* exchange({ code, redirect_uri: odd }), refusal(400, "invalid_grant"))
      }
      yield* Api.verify(
        yield* exchange({ code, client_secret: "wrong-0123456789abcdef" }),
        refusal(401, "invalid_client")
      )
      yield* Api.verify(yield* exchange({ code }), status(200), field("access_token", Matcher.filled))
    })
  ),
  needsCode
)

const redirectUriWithSlash = required(
  "5.3",
  "a redirect_uri with a trailing slash is 400 invalid_grant",
  withCode((code) =>
    Effect.gen(function* () {
      const redirectUri = yield* Api.setting("redirectUri")
      yield* Api.verify(yield* exchange({ code, redirect_uri: `${redirectUri}/` }), refusal(400, "invalid_grant"))
    })
  ),
  needsCode
)

const otherApplication = required(
  "4.2",
  "another application cannot exchange the code",
  withCode((code) =>
    Effect.gen(function* () {
      const other = yield* credentials("otherClient")
      yield* Api.verify(yield* exchange({ code, ...other }), refusal(400, "invalid_grant"))
    })
  ),
  { needs: ["authorizationCode", "redirectUri", "otherClient"] }
)

const accessTokenLifetime = decided(
  5,
  "2.1",
  "an access token from a code is valid for 604800 seconds",
  withCode((code) =>
    Effect.gen(function* () {
      yield* Api.verify(yield* exchange({ code }), field("expires_in", Matcher.is(604_800)))
    })
  ),
  needsCode
)

const verifierWithoutChallenge = decided(
  1,
  "4.2",
  "a code_verifier for a code without a challenge is 400 invalid_request",
  withCode((code) =>
    Effect.gen(function* () {
      yield* Api.verify(yield* exchange({ code, code_verifier: "v".repeat(43) }), refusal(400, "invalid_request"))
    })
  ),
  needsCode
)

const concurrentExchanges = decided(
  43,
  "4.2",
  "one of ten concurrent exchanges succeeds",
  withCode((code) =>
    Effect.gen(function* () {
      const responses = yield* Effect.all(
        Array.from({ length: 10 }, () => exchange({ code })),
        { concurrency: 10 }
      )
      const given = responses.filter((response) => response.status === 200).length
      yield* Api.assert(given === 1, `one of ten exchanges of the same code succeeds, not ${given}`)
    })
  ),
  needsCode
)

/** Exchanging an authorization code (contract 2.1, 4.2, 5.3). */
export const checks: ReadonlyArray<Check> = [
  singleUse,
  reuseRevokes,
  wrongRedirectUri,
  redirectUriWithSlash,
  otherApplication,
  accessTokenLifetime,
  verifierWithoutChallenge,
  concurrentExchanges
]

/** Uses up one authorization code. */
function withCode(use: (code: string) => Run): Run {
  return Effect.flatMap(Api.takeSetting("authorizationCode"), use)
}
