import * as Api from "../Api.ts"
import { required, decided, needing } from "../Check.ts"
import { field, jsonObject, noField, notStored, refusal, status } from "../Expectation.ts"
import * as Matcher from "../Matcher.ts"
import { credentials, issued, refresh } from "../TokenEndpoint.ts"
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
        field("access_token", Matcher.filled),
        field("token_type", Matcher.matching(/^bearer$/i))
      )
    ),
    required(
      "2.1",
      "expires_in is a number of seconds",
      { decisions: [5, 34] },
      refresh({}, field("expires_in", Matcher.positive))
    ),
    required(
      "2.1",
      "scope separates scopes by single spaces",
      { decisions: [33] },
      refresh({}, field("scope", Matcher.optional(spaceSeparated)))
    ),
    required("2.1", "open_id is a string", refresh({}, field("open_id", Matcher.filled))),
    required("2.1", "token_type is Bearer", refresh({}, field("token_type", Matcher.is("Bearer")))),
    required("5.4", "the refreshed access token is accepted", function* () {
      yield* Api.send(Api.get("/user/profile", issued(yield* refresh())), status(200, 403))
    }),
    decided(35, "2.1", "open_id stays the same", function* () {
      const first = yield* refresh()
      yield* refresh({}, field("open_id", Matcher.is(at(first.json, "open_id"))))
    }),
    decided(30, "4.2", "the previous access token stays valid", function* () {
      yield* refresh()
      yield* Api.send(Api.get("/user/profile"), status(200))
    }),
    decided(28, "2.1", "a refresh returns no refresh token", refresh({}, status(200), noField("refresh_token"))),
    decided(
      5,
      "2.1",
      "a refreshed access token is valid for 3600 seconds",
      refresh({}, field("expires_in", Matcher.is(3600)))
    ),
    decided(33, "2.1", "scopes are sorted and unique", refresh({}, field("scope", sortedAndUnique))),
    decided(32, "4.2", "a refresh may narrow the scope", function* () {
      const scope = "user.profile.readable"
      const response = yield* refresh({ scope }, status(200), field("scope", Matcher.is(scope)))
      yield* Api.send(Api.get("/credit", issued(response)), refusal(403, "insufficient_scope"))
    }),
    decided(
      32,
      "4.2",
      "a refresh cannot widen the scope: 400 invalid_scope",
      refresh({ scope: "user.everything.writable" }, refusal(400, "invalid_scope"))
    ),
    decided(46, "4.2", "a token response is not cached", refresh({}, status(200), notStored)),
    required(
      "4.2",
      "a refresh token of another application is 400 invalid_grant",
      { needs: ["otherClient"] },
      function* () {
        yield* refresh(yield* credentials("otherClient"), refusal(400, "invalid_grant"))
        yield* refresh({}, status(200))
      }
    )
  ]
)
