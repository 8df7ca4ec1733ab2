import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"

/** stub */
export const layer: Layer.Layer<never> = HttpApiBuilder.Router.use(() => Effect.void)
