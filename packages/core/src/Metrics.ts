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

/** Milliseconds that calls waited because of 429, by `operation`: their own waits and the client's shared pause. */
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

/** Increments a counter for an operation, and for an outcome where the metric has one. */
export const count = (
  metric: Metric.Metric.Counter<number>,
  operation: string,
  outcome?: string
): Effect.Effect<void> => {
  const effects = countEffects.get(metric) ?? new Map<string, Effect.Effect<void>>()
  countEffects.set(metric, effects)
  const name = `${operation} ${outcome}`
  const cached = effects.get(name)
  if (cached !== undefined) return cached
  const tagged = Metric.tagged(metric, "operation", operation)
  const increment = Metric.increment(outcome === undefined ? tagged : Metric.tagged(tagged, "outcome", outcome))
  effects.set(name, increment)
  return increment
}

/** Cached, because tagging a metric for each request costs more than counting; operations and outcomes are few. */
const countEffects = new Map<Metric.Metric.Counter<number>, Map<string, Effect.Effect<void>>>()

/** Records a wait after 429. */
export const recordRateLimitWait = (operation: string, millis: number): Effect.Effect<void> =>
  Metric.update(Metric.tagged(rateLimitWaits, "operation", operation), millis)
