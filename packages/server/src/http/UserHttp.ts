import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { CurrentGrant } from "@heddle/core/api/Bearer"
import { OpenApi } from "@heddle/core/api/OpenApi"
import { PhoneVerification } from "@heddle/core/domain/PhoneVerification"
import type { Profile } from "@heddle/core/domain/Profile"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { type Account, Accounts } from "../accounts/Accounts.ts"
import { Credits } from "../credits/Credits.ts"
import * as ApiError from "../internal/ApiError.ts"
import * as PhoneNumber from "../accounts/PhoneNumber.ts"
import { RateLimits } from "../limits/RateLimits.ts"

/** Profile, phone verification and credits (contract 4.3–4.5). */
export const layer = HttpApiBuilder.group(OpenApi, "user", (handlers) =>
  Effect.gen(function* () {
    const accounts = yield* Accounts
    const credits = yield* Credits
    const limits = yield* RateLimits
    return handlers
      .handle("profile", () =>
        Effect.flatMap(CurrentGrant, ({ userId }) =>
          Effect.map(accounts.get(userId), (account) => profileResponse(Option.getOrThrow(account)))
        )
      )
      .handle("verifyPhone", ({ payload }) =>
        Effect.gen(function* () {
          const caller = yield* CurrentGrant
          const number = PhoneNumber.normalise(Redacted.value(payload.phoneNumber))
          if (number === undefined) {
            return yield* ApiError.invalidRequest(
              "The phone_number is no mobile number: outside mainland China it needs its country code, like +852."
            )
          }
          const tooOften = limits.phone(caller)
          if (tooOften !== undefined) return yield* tooOften
          const matched = yield* accounts.hasPhone(caller.userId, Redacted.make(number))
          return new PhoneVerification({ matched })
        })
      )
      .handle("credit", () =>
        Effect.gen(function* () {
          const { userId } = yield* CurrentGrant
          if (!(yield* accounts.isPersonal(userId))) {
            return yield* ApiError.accessDenied("Only accounts of persons have credits of their own.")
          }
          return yield* credits.quota(userId)
        })
      )
  })
)

/** A response with the two headers that the contract requires for the profile only (contract 4.3). */
const profileResponse = ({ avatar, nickname }: Account) => {
  const body = JSON.stringify({ nickname, avatar } satisfies typeof Profile.Encoded)
  return HttpServerResponse.raw(body, {
    contentType: "application/json; charset=utf-8",
    contentLength: Buffer.byteLength(body),
    headers: { "cache-control": "private, no-store" }
  })
}
