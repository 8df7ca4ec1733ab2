import type * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"

/** Refreshes by `outcome`: `renewed`, the tag of an error, or `rotation_response_lost`. */
export const refreshes = Metric.counter("heddle_oauth_refreshes", {
  description: "Refreshes of access tokens by outcome",
  incremental: true
})

/** Counts one refresh. */
export const refreshed = (outcome: string): Effect.Effect<void> =>
  Metric.increment(Metric.tagged(refreshes, "outcome", outcome))
