import * as Effect from "effect/Effect"
import * as Api from "../Api.ts"
import { required, ruling, type Check } from "../Check.ts"
import { at, field, jsonObject, refusal, status } from "../Expect.ts"
import * as Shape from "../Shape.ts"
import { Wire } from "../Wire.ts"
import { fields } from "./Token.ts"

const takeCode = Api.take("authorizationCode")
const needsCode = { needs: ["authorizationCode", "redirectUri"] } as const

const singleUse = required(
  "4.2",
  "a code is exchanged for access and refresh token, once",
  Effect.gen(function* () {
    const code = yield* takeCode
    const answer = yield* exchange({ code })
    yield* Api.verify(
      answer,
      status(200),
      jsonObject,
      field("access_token", Shape.filled),
      field("token_type", Shape.is("Bearer")),
      field("expires_in", Shape.positive),
      field("refresh_token", Shape.filled),
      field("scope", Shape.optional(Shape.string)),
      field("open_id", Shape.filled)
    )
    const token = { token: String(at(answer.json, "access_token")) }
    yield* Api.expecting(Api.get("/user/profile", { token }), status(200, 403))
    const renewed = yield* refresh({ refresh_token: String(at(answer.json, "refresh_token")) })
    yield* Api.verify(renewed, status(200), field("access_token", Shape.filled))
    yield* Api.verify(yield* exchange({ code }), refusal(400, "invalid_grant"))
  }),
  needsCode
)

const reuseRevokes = ruling(
  43,
  "4.2",
  "a code that is used twice takes back what it gave",
  Effect.gen(function* () {
    const code = yield* takeCode
    const answer = yield* exchange({ code })
    yield* exchange({ code })
    const token = { token: String(at(answer.json, "access_token")) }
    yield* Api.verify(answer, status(200))
    yield* Api.expecting(Api.get("/user/profile", { token }), refusal(401, "invalid_token"))
    yield* Api.verify(
      yield* refresh({ refresh_token: String(at(answer.json, "refresh_token")) }),
      refusal(400, "invalid_grant")
    )
  }),
  needsCode
)

const wrongRedirectUri = ruling(
  42,
  "4.2",
  "a redirect_uri that differs is 400 invalid_grant and does not use the code up",
  Effect.gen(function* () {
    const code = yield* takeCode
    const redirectUri = yield* Api.given("redirectUri")
    for (const odd of [`${redirectUri}/`, redirectUri.replace("http", "HTTP"), `${redirectUri}?x=1`]) {
      yield* Api.verify(yield* exchange({ code, redirect_uri: odd }), refusal(400, "invalid_grant"))
    }
    yield* Api.verify(
      yield* exchange({ code, client_secret: "wrong-0123456789abcdef" }),
      refusal(401, "invalid_client")
    )
    yield* Api.verify(yield* exchange({ code }), status(200), field("access_token", Shape.filled))
  }),
  needsCode
)

const redirectUriWithSlash = required(
  "5.3",
  "a redirect_uri with a slash more is 400 invalid_grant",
  Effect.gen(function* () {
    const code = yield* takeCode
    const redirectUri = yield* Api.given("redirectUri")
    yield* Api.verify(yield* exchange({ code, redirect_uri: `${redirectUri}/` }), refusal(400, "invalid_grant"))
  }),
  needsCode
)

const otherApplication = required(
  "4.2",
  "another application cannot exchange the code",
  Effect.gen(function* () {
    const code = yield* takeCode
    const [client_id = "", client_secret = ""] = (yield* Api.given("otherClient")).split(/:(.*)/s)
    yield* Api.verify(yield* exchange({ code, client_id, client_secret }), refusal(400, "invalid_grant"))
  }),
  { needs: ["authorizationCode", "redirectUri", "otherClient"] }
)

const accessTokenLifetime = ruling(
  5,
  "2.1",
  "an access token from a code lives for 604800 seconds",
  Effect.gen(function* () {
    const code = yield* takeCode
    yield* Api.verify(yield* exchange({ code }), field("expires_in", Shape.is(604_800)))
  }),
  needsCode
)

const verifierWithoutChallenge = ruling(
  1,
  "4.2",
  "a code_verifier for a code without a challenge is 400 invalid_request",
  Effect.gen(function* () {
    const code = yield* takeCode
    yield* Api.verify(yield* exchange({ code, code_verifier: "v".repeat(43) }), refusal(400, "invalid_request"))
  }),
  needsCode
)

const concurrentExchanges = ruling(
  43,
  "4.2",
  "of ten exchanges at once one succeeds",
  Effect.gen(function* () {
    const code = yield* takeCode
    const answers = yield* Effect.all(
      Array.from({ length: 10 }, () => exchange({ code })),
      { concurrency: 10 }
    )
    const given = answers.filter((answer) => answer.status === 200).length
    yield* Api.claim(given === 1, `one of ten exchanges of the same code succeeds, not ${given}`)
  }),
  needsCode
)

/** Exchanging an authorization code (2.1, 4.2, 5.3). */
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

/** Refreshes with the newest refresh token, and keeps a newer one. */
function refresh(changes: Readonly<Record<string, string>> = {}) {
  return Effect.gen(function* () {
    const wire = yield* Wire
    const refresh_token = yield* wire.refreshToken
    const answer = yield* Api.send(
      Api.form(
        "/token",
        yield* fields({
          grant_type: "refresh_token",
          code: undefined,
          redirect_uri: undefined,
          refresh_token,
          ...changes
        })
      )
    )
    const newer = at(answer.json, "refresh_token")
    if (typeof newer === "string" && newer !== "" && changes["refresh_token"] === undefined) yield* wire.renewed(newer)
    return answer
  })
}

function exchange(changes: Readonly<Record<string, string>>) {
  return Effect.gen(function* () {
    const redirect_uri = yield* Api.given("redirectUri")
    return yield* Api.send(Api.form("/token", yield* fields({ redirect_uri, ...changes })))
  })
}
