import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { CreditQuota } from "./domain/CreditQuota.ts"
import * as Span from "./internal/Span.ts"
import { OpenApiClient } from "./OpenApiClient.ts"
import type { OpenApiError } from "./OpenApiError.ts"
import * as Operation from "./Operation.ts"

/** The credits of the user whose access token is in context (contract 4.5). */
export class Credits extends Context.Tag("@heddle/core/Credits")<
  Credits,
  {
    /** Reads the quota of the current period; needs `user.credit.readable`. */
    readonly quota: Effect.Effect<CreditQuota, OpenApiError>
  }
>() {}

export const layer: Layer.Layer<Credits, never, OpenApiClient> = /* @__PURE__ */ Layer.suspend(() =>
  Layer.effect(Credits, Effect.map(OpenApiClient, make))
)

/** The service over a client. */
export const make = (client: Context.Tag.Service<OpenApiClient>): Context.Tag.Service<Credits> => ({
  quota: Span.within(
    "Credits.quota",
    client.call(Operation.credit, (api) => api.user.credit({}))
  )
})
