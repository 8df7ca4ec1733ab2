import * as Effect from "effect/Effect"
import * as Api from "../Api.ts"
import { required, decided, needing } from "../Check.ts"
import { field, jsonObject, errorResponse, status } from "../Expectation.ts"
import * as Matcher from "../Matcher.ts"
import { credentials, exchange, issuedToken, refresh } from "../TokenEndpoint.ts"
import { at } from "../internal/Json.ts"

/** One unused authorization code. */
const unusedCode = Api.takeSetting("authorizationCode")

const tokenResponse = [
  status(200),
  jsonObject,
  field("access_token", Matcher.nonEmptyString),
  field("token_type", Matcher.is("Bearer")),
  field("expires_in", Matcher.positiveInteger),
  field("refresh_token", Matcher.nonEmptyString),
  field("scope", Matcher.optional(Matcher.string)),
  field("open_id", Matcher.nonEmptyString)
]

/** Exchanging an authorization code (contract 2.1, 4.2, 5.3). */
export const checks = needing(
  ["authorizationCode", "redirectUri"],
  [
    required("4.2", "a code is exchanged once for an access token and a refresh token", function* () {
      const code = yield* unusedCode
      const response = yield* exchange({ code }, ...tokenResponse)
      yield* Api.send(Api.get("/user/profile", issuedToken(response)), status(200, 403))
      const refresh_token = String(at(response.json, "refresh_token"))
      yield* refresh({ refresh_token }, status(200), field("access_token", Matcher.nonEmptyString))
      yield* exchange({ code }, errorResponse(400, "invalid_grant"))
    }),
    decided("4.2", "using a code twice revokes its tokens", { decisions: [43] }, function* () {
      const code = yield* unusedCode
      const response = yield* exchange({ code }, status(200))
      yield* exchange({ code })
      yield* Api.send(Api.get("/user/profile", issuedToken(response)), errorResponse(401, "invalid_token"))
      yield* refresh({ refresh_token: String(at(response.json, "refresh_token")) }, errorResponse(400, "invalid_grant"))
    }),
    decided(
      "4.2",
      "a different redirect_uri is 400 invalid_grant and does not consume the code",
      { decisions: [42] },
      function* () {
        const code = yield* unusedCode
        const redirectUri = yield* Api.setting("redirectUri")
        for (const changedUri of [`${redirectUri}/`, redirectUri.replace("http", "HTTP"), `${redirectUri}?x=1`]) {
          yield* exchange({ code, redirect_uri: changedUri }, errorResponse(400, "invalid_grant"))
        }
        yield* exchange({ code, client_secret: "wrong-0123456789abcdef" }, errorResponse(401, "invalid_client"))
        yield* exchange({ code }, status(200), field("access_token", Matcher.nonEmptyString))
      }
    ),
    required("5.3", "a redirect_uri with a trailing slash is 400 invalid_grant", function* () {
      const redirect_uri = `${yield* Api.setting("redirectUri")}/`
      yield* exchange({ code: yield* unusedCode, redirect_uri }, errorResponse(400, "invalid_grant"))
    }),
    required("4.2", "another application cannot exchange the code", { needs: ["otherClient"] }, function* () {
      const other = yield* credentials("otherClient")
      yield* exchange({ code: yield* unusedCode, ...other }, errorResponse(400, "invalid_grant"))
    }),
    decided("2.1", "an access token from a code is valid for 604800 seconds", { decisions: [5] }, function* () {
      yield* exchange({ code: yield* unusedCode }, field("expires_in", Matcher.is(604_800)))
    }),
    decided(
      "4.2",
      "a code_verifier for a code without a challenge is 400 invalid_request",
      { decisions: [1] },
      function* () {
        yield* exchange(
          { code: yield* unusedCode, code_verifier: "v".repeat(43) },
          errorResponse(400, "invalid_request")
        )
      }
    ),
    decided("4.2", "one of ten concurrent exchanges succeeds", { decisions: [43] }, function* () {
      const code = yield* unusedCode
      const responses = yield* Effect.replicateEffect(exchange({ code }), 10, { concurrency: 10 })
      const successes = responses.filter((response) => response.status === 200).length
      yield* Api.assert(successes === 1, `one of ten exchanges of the same code succeeds, not ${successes}`)
    })
  ]
)
