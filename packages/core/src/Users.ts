import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import { PhoneNumber } from "./domain/PhoneVerification.ts"
import type { Profile } from "./domain/Profile.ts"
import * as Span from "./internal/Span.ts"
import { OpenApiClient } from "./OpenApiClient.ts"
import type { OpenApiError } from "./OpenApiError.ts"
import * as Operation from "./Operation.ts"

/** The user whose access token is in context (contract 4.3, 4.4). */
export class Users extends Context.Tag("@heddle/core/Users")<
  Users,
  {
    /** Reads nickname and avatar; needs `user.profile.readable`. */
    readonly profile: Effect.Effect<Profile, OpenApiError>
    /**
     * Whether the number is the user's bound mobile number; needs `user.contact.readable`.
     * It is sent as written: mainland numbers with or without `+86`, others with their country code.
     */
    readonly verifyPhone: (number: Redacted.Redacted) => Effect.Effect<boolean, OpenApiError>
  }
>() {}

export const layer: Layer.Layer<Users, never, OpenApiClient> = /* @__PURE__ */ Layer.suspend(() =>
  Layer.effect(Users, Effect.map(OpenApiClient, make))
)

/** The service over a client. */
export const make = (client: Context.Tag.Service<OpenApiClient>): Context.Tag.Service<Users> => ({
  profile: Span.within(
    "Users.profile",
    client.call(Operation.profile, (api) => api.user.profile({}))
  ),
  verifyPhone: Span.fn(
    "Users.verifyPhone",
    Effect.fnUntraced(function* (phoneNumber: Redacted.Redacted) {
      const payload = new PhoneNumber({ phoneNumber })
      const { matched } = yield* client.call(Operation.verifyPhone, (api) => api.user.verifyPhone({ payload }))
      return matched
    })
  )
})
