import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Profile } from "./domain/Profile.ts"
import { OpenApiClient } from "./OpenApiClient.ts"
import type { OpenApiError } from "./OpenApiError.ts"
import * as Operation from "./Operation.ts"

/** The user whose access token is in context (4.3). */
export class Users extends Context.Tag("@heddle/core/Users")<
  Users,
  {
    /** Reads nickname and avatar; needs `user.profile.readable`. */
    readonly profile: Effect.Effect<Profile, OpenApiError>
  }
>() {}

export const layer: Layer.Layer<Users, never, OpenApiClient> = Layer.effect(
  Users,
  Effect.map(OpenApiClient, (client) =>
    Users.of({
      profile: client.call(Operation.profile, (api) => api.user.profile({})).pipe(Effect.withSpan("Users.profile"))
    })
  )
)
