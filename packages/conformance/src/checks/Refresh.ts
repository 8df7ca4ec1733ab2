import * as Api from "../Api.ts"
import { required, decided, needing } from "../Check.ts"
import { field, jsonObject, noField, notStored, errorResponse, status } from "../Expectation.ts"
import * as Matcher from "../Matcher.ts"
import { credentials, issuedToken, refresh } from "../TokenEndpoint.ts"
import { at } from "../internal/Json.ts"

const spaceSeparated = Matcher.matching(/^[^\s]+( [^\s]+)*$/)

const sortedAndUnique = Matcher.matcher("sorted and unique", (scope) => {
  const scopes = String(scope).split(" ")
  return scopes.join(" ") === [...new Set(scopes)].sort().join(" ")
})

/** Refreshing an access token (contract 2.1, 4.2, 5.4). */
export const checks = needing(
  ["refreshToken"],
  [
    required(
      "4.2",
      "a refresh returns 200 with a token response",
      { decisions: [34] },
      refresh(
        {},
        status(200),
        jsonObject,
        field("access_token", Matcher.nonEmptyString),
        field("token_type", Matcher.matching(/^bearer$/i))
      )
    ),
    required(
      "2.1",
      "expires_in is a number of seconds",
      { decisions: [5, 34] },
      refresh({}, field("expires_in", Matcher.positiveInteger))
    ),
    required(
      "2.1",
      "scope separates scopes by single spaces",
      { decisions: [33] },
      refresh({}, field("scope", Matcher.optional(spaceSeparated)))
    ),
    required("2.1", "open_id is a string", refresh({}, field("open_id", Matcher.nonEmptyString))),
    required("2.1", "token_type is Bearer", refresh({}, field("token_type", Matcher.is("Bearer")))),
    required("5.4", "the refreshed access token is accepted", function* () {
      yield* Api.send(Api.get("/user/profile", issuedToken(yield* refresh())), status(200, 403))
    }),
    decided("2.1", "open_id stays the same", { decisions: [35] }, function* () {
      const first = yield* refresh()
      yield* refresh({}, field("open_id", Matcher.is(at(first.json, "open_id"))))
    }),
    decided("4.2", "the previous access token stays valid", { decisions: [30] }, function* () {
      const token = yield* Api.setting("accessToken")
      yield* refresh()
      yield* Api.send(Api.get("/user/profile", { token: { token } }), status(200))
    }),
    decided(
      "2.1",
      "a refresh returns no refresh token",
      { decisions: [28] },
      refresh({}, status(200), noField("refresh_token"))
    ),
    decided(
      "2.1",
      "a refreshed access token is valid for 3600 seconds",
      { decisions: [5] },
      refresh({}, field("expires_in", Matcher.is(3600)))
    ),
    decided("2.1", "scopes are sorted and unique", { decisions: [33] }, refresh({}, field("scope", sortedAndUnique))),
    decided("4.2", "a refresh may narrow the scope", { decisions: [32] }, function* () {
      const scope = "user.profile.readable"
      const response = yield* refresh({ scope }, status(200), field("scope", Matcher.is(scope)))
      yield* Api.send(Api.get("/credit", issuedToken(response)), errorResponse(403, "insufficient_scope"))
    }),
    required("4.2", "a refresh after a narrower one is answered", function* () {
      yield* refresh({}, status(200))
    }),
    decided(
      "4.2",
      "a refresh cannot widen the scope: 400 invalid_scope",
      { decisions: [32] },
      refresh({ scope: "user.everything.writable" }, errorResponse(400, "invalid_scope"))
    ),
    decided("4.2", "a token response is not cached", { decisions: [46] }, refresh({}, status(200), notStored)),
    required(
      "4.2",
      "a refresh token of another application is 400 invalid_grant",
      { needs: ["otherClient"] },
      function* () {
        yield* refresh(yield* credentials("otherClient"), errorResponse(400, "invalid_grant"))
        yield* refresh({}, status(200))
      }
    )
  ]
)
