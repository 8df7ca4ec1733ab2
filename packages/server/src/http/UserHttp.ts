import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpApp from "@effect/platform/HttpApp"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { CurrentGrant } from "@heddle/core/api/Bearer"
import { OpenApi } from "@heddle/core/api/OpenApi"
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
    return handlers
      .handle("profile", () =>
        Effect.gen(function* () {
          const { userId } = yield* CurrentGrant
          const account = Option.getOrThrow(yield* accounts.get(userId))
          yield* HttpApp.appendPreResponseHandler((_request, response) =>
            Effect.succeed(
              HttpServerResponse.setHeaders(response, {
                "cache-control": "private, no-store",
                "content-type": "application/json; charset=utf-8"
              })
            )
          )
          return new Profile({ nickname: account.nickname, avatar: account.avatar })
        })
      )
      .handle("credit", () => Effect.flatMap(CurrentGrant, ({ userId }) => credits.quota(userId)))
  })
)
