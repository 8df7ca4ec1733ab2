import type * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import * as MetricBoundaries from "effect/MetricBoundaries"

/** Requests sent, by `operation` and `outcome`: `Success`, or the name of the error. */
export const attempts = Metric.counter("heddle_openapi_attempts_total", {
  description: "Requests sent to the Open API, by operation and outcome",
  incremental: true
})

/** Access tokens that the service refused and that were therefore renewed, by `operation`. */
export const renewals = Metric.counter("heddle_openapi_renewals_total", {
  description: "Access tokens renewed because the service refused them",
  incremental: true
})

/** Milliseconds that calls waited because of 429, by `operation`: their own waits and those of the shared pause. */
export const rateLimitWaits = Metric.histogram(
  "heddle_openapi_rate_limit_wait_milliseconds",
  MetricBoundaries.fromIterable([250, 500, 1_000, 2_000, 4_000, 8_000, 15_000, 30_000, 60_000]),
  "Milliseconds waited after 429"
)

/** Answers with a `Deprecation` or `Sunset` header, by `operation` (contract decision 27). */
export const deprecations = Metric.counter("heddle_openapi_deprecations_total", {
  description: "Answers that announce the end of their operation",
  incremental: true
})

/** Counts one: of a metric, for an operation, and with an outcome where the metric has one. */
export const count = (
  metric: Metric.Metric.Counter<number>,
  operation: string,
  outcome?: string
): Effect.Effect<void> => {
  const known = counts.get(metric) ?? new Map<string, Effect.Effect<void>>()
  counts.set(metric, known)
  const name = `${operation} ${outcome}`
  const before = known.get(name)
  if (before !== undefined) return before
  const tagged = Metric.tagged(metric, "operation", operation)
  const one = Metric.increment(outcome === undefined ? tagged : Metric.tagged(tagged, "outcome", outcome))
  known.set(name, one)
  return one
}

/** Operations and outcomes are few; tagging anew for each request costs more than counting. */
const counts = new Map<Metric.Metric.Counter<number>, Map<string, Effect.Effect<void>>>()

/** Notes a wait of so many milliseconds after 429. */
export const waited = (operation: string, millis: number): Effect.Effect<void> =>
  Metric.update(Metric.tagged(rateLimitWaits, "operation", operation), millis)
