import type * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import * as MetricBoundaries from "effect/MetricBoundaries"
import * as MetricKey from "effect/MetricKey"
import * as MetricLabel from "effect/MetricLabel"

type Counter = Metric.Metric.Counter<number>

/** The keys of the counters, with which a tagged one is found once and not at each increment. */
const keys = new Map<Counter, MetricKey.MetricKey.Counter<number>>()

const counter = (name: string, description: string): Counter => {
  const key = MetricKey.counter(name, { description, incremental: true })
  const metric: Counter = Metric.fromMetricKey(key)
  keys.set(metric, key)
  return metric
}

/** Requests sent, by `operation` and `outcome`: `Success`, or the name of the error. */
export const attempts = counter(
  "heddle_openapi_attempts_total",
  "Requests sent to the Open API, by operation and outcome"
)

/** Access tokens that the service refused and that were therefore renewed, by `operation`. */
export const renewals = counter(
  "heddle_openapi_renewals_total",
  "Access tokens renewed because the service refused them"
)

/** Milliseconds that calls waited because of 429, by `operation`: their own waits and the client's shared pause. */
export const rateLimitWaits = Metric.histogram(
  "heddle_openapi_rate_limit_wait_milliseconds",
  MetricBoundaries.fromIterable([250, 500, 1_000, 2_000, 4_000, 8_000, 15_000, 30_000, 60_000]),
  "Milliseconds waited after 429"
)

/** Answers with a `Deprecation` or `Sunset` header, by `operation` (contract decision 27). */
export const deprecations = counter(
  "heddle_openapi_deprecations_total",
  "Answers that announce the end of their operation"
)

/** Increments a counter for an operation, and for an outcome where the metric has one. */
export const count = (metric: Counter, operation: string, outcome?: string): Effect.Effect<void> => {
  const effects = countEffects.get(metric) ?? new Map<string, Effect.Effect<void>>()
  countEffects.set(metric, effects)
  const name = `${operation} ${outcome}`
  const cached = effects.get(name)
  if (cached !== undefined) return cached
  const labels = [
    MetricLabel.make("operation", operation),
    ...(outcome === undefined ? [] : [MetricLabel.make("outcome", outcome)])
  ]
  const key = keys.get(metric)
  const increment = Metric.increment(
    key === undefined
      ? Metric.taggedWithLabels(metric, labels)
      : Metric.fromMetricKey(MetricKey.taggedWithLabels(key, labels))
  )
  effects.set(name, increment)
  return increment
}

/** Cached, because tagging a metric for each request costs more than counting; operations and outcomes are few. */
const countEffects = new Map<Counter, Map<string, Effect.Effect<void>>>()

/** Records a wait after 429. */
export const recordRateLimitWait = (operation: string, millis: number): Effect.Effect<void> =>
  Metric.update(Metric.tagged(rateLimitWaits, "operation", operation), millis)
