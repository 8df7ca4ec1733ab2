import * as Headers from "@effect/platform/Headers"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { CurrentGrant } from "@heddle/core/api/Bearer"
import { OpenApi } from "@heddle/core/api/OpenApi"
import { PhoneVerification } from "@heddle/core/domain/PhoneVerification"
import { Profile } from "@heddle/core/domain/Profile"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { Accounts } from "../Accounts.ts"
import { Credits } from "../Credits.ts"
import * as Refuse from "../internal/Refuse.ts"
import * as PhoneNumber from "../PhoneNumber.ts"
import { RateLimits } from "../RateLimits.ts"

/** Profile, phone verification and credits (4.3–4.5). */
export const layer = HttpApiBuilder.group(OpenApi, "user", (handlers) =>
  Effect.gen(function* () {
    const accounts = yield* Accounts
    const credits = yield* Credits
    const limits = yield* RateLimits
    return handlers
      .handle("profile", () =>
        Effect.gen(function* () {
          const { userId } = yield* CurrentGrant
          const { avatar, nickname } = Option.getOrThrow(yield* accounts.get(userId))
          return profileAnswer(new Profile({ nickname, avatar }))
        })
      )
      .handle("verifyPhone", ({ payload }) =>
        Effect.gen(function* () {
          const caller = yield* CurrentGrant
          const number = PhoneNumber.normalise(Redacted.value(payload.phoneNumber))
          if (number === undefined) {
            return yield* Refuse.invalidRequest(
              "The phone_number is no mobile number: outside mainland China it needs its country code, like +852."
            )
          }
          const tooOften = limits.phone(caller)
          if (tooOften !== undefined) return yield* tooOften
          const matched = yield* accounts.hasPhone(caller.userId, Redacted.make(number))
          return new PhoneVerification({ matched })
        })
      )
      .handle("credit", () => Effect.flatMap(CurrentGrant, ({ userId }) => credits.quota(userId)))
  })
)

/** With the two headers that the document gives for the profile (4.3) and for nothing else. */
const profileAnswer = (profile: Profile) => {
  const body = JSON.stringify(encodeProfile(profile))
  return HttpServerResponse.raw(body, {
    contentType: "application/json; charset=utf-8",
    contentLength: Buffer.byteLength(body),
    headers: Headers.unsafeFromRecord({ "cache-control": "private, no-store" })
  })
}

const encodeProfile = Schema.encodeSync(Profile)
