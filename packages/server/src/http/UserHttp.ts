import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpApp from "@effect/platform/HttpApp"
import * as HttpBody from "@effect/platform/HttpBody"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { CurrentGrant } from "@heddle/core/api/Bearer"
import { OpenApi } from "@heddle/core/api/OpenApi"
import { PhoneVerification } from "@heddle/core/domain/PhoneVerification"
import { Profile } from "@heddle/core/domain/Profile"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Accounts } from "../Accounts.ts"
import { Credits } from "../Credits.ts"

/** Profile and credits (4.3, 4.5). */
export const layer = HttpApiBuilder.group(OpenApi, "user", (handlers) =>
  Effect.gen(function* () {
    const accounts = yield* Accounts
    const credits = yield* Credits
    return (
      handlers
        .handle("profile", () =>
          Effect.gen(function* () {
            const { userId } = yield* CurrentGrant
            const account = Option.getOrThrow(yield* accounts.get(userId))
            yield* HttpApp.appendPreResponseHandler((_request, response) =>
              Effect.succeed(asTheDocumentShows(response))
            )
            return new Profile({ nickname: account.nickname, avatar: account.avatar })
          })
        )
        // No account has a confirmed number yet, so none matches.
        .handle("verifyPhone", () => Effect.succeed(new PhoneVerification({ matched: false })))
        .handle("credit", () => Effect.flatMap(CurrentGrant, ({ userId }) => credits.quota(userId)))
    )
  })
)

/** The two headers that the document gives for the profile (4.3) and for nothing else. */
const asTheDocumentShows = (response: HttpServerResponse.HttpServerResponse) =>
  (response.body._tag === "Uint8Array"
    ? HttpServerResponse.setBody(response, HttpBody.uint8Array(response.body.body, "application/json; charset=utf-8"))
    : response
  ).pipe(HttpServerResponse.setHeader("cache-control", "private, no-store"))
