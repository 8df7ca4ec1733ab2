import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import * as MetricBoundaries from "effect/MetricBoundaries"
import * as MetricKey from "effect/MetricKey"
import type * as MetricKeyType from "effect/MetricKeyType"
import * as MetricLabel from "effect/MetricLabel"
import type * as MetricState from "effect/MetricState"
import type * as Scope from "effect/Scope"

// The metrics of the service, shown at /metrics. No label names a user, an application or a task.

/** Counts a response by method, route pattern and status, and records its duration unless it is a stream. */
export const countResponse = (method: string, route: string, status: number, seconds: number | undefined): void => {
  const key = `${method} ${route} ${status}`
  let count = counts.get(key)
  if (count === undefined) {
    const labels = { method, route, status: String(status) }
    count = Metric.fromMetricKey(tagged(requestsKey, labels))
    counts.set(key, count)
  }
  count.unsafeUpdate(1, [])
  if (seconds === undefined) return
  let time = times.get(route)
  if (time === undefined) {
    time = Metric.fromMetricKey(tagged(latencyKey, { route }))
    times.set(route, time)
  }
  time.unsafeUpdate(seconds, [])
}

/** Counts a request that a limit refused. */
export const countRateLimited = (limit: string): void =>
  refusals.pipe(Metric.tagged("limit", limit)).unsafeUpdate(1, [])

/** Why a reader of a task's channel was cut off: it read nothing for too long, or fell too far behind. */
export type CutOff = "stalled" | "behind"

/** Counts a reader that was cut off. */
export const countCutOff = (why: CutOff): void => cuts.pipe(Metric.tagged("why", why)).unsafeUpdate(1, [])

/** Counts an opened or closed connection of a task's channel. */
export const changeConnections = (change: 1 | -1): void => openConnections.unsafeModify(change, [])

/** Counts a loaded sandbox until the scope closes. */
export const countSandbox: Effect.Effect<void, never, Scope.Scope> = Effect.acquireRelease(
  Effect.sync(() => loadedSandboxes.unsafeModify(1, [])),
  () => Effect.sync(() => loadedSandboxes.unsafeModify(-1, []))
)

/** Counts a session's history that is replayed to a connection. */
export const countReplay = (): void => replays.unsafeUpdate(1, [])

/** Counts a turn by how it ended: a stop reason of the protocol, or `error`. */
export const countTurn = (stopReason: string): void =>
  turns.pipe(Metric.tagged("end", stopReasons.has(stopReason) ? stopReason : "other")).unsafeUpdate(1, [])

const cuts = Metric.counter("acp_connections_cut_off_total", {
  description: "Connections of tasks' channels that were closed because their reader did not keep up.",
  incremental: true
})

const openConnections = Metric.gauge("acp_open_connections", {
  description: "Connections of tasks' channels that are open or can be resumed."
})

const loadedSandboxes = Metric.gauge("sandboxes_loaded", {
  description: "Sandboxes in memory: those in use, and others for a minute."
})

const replays = Metric.counter("acp_replays_total", {
  description: "Histories of sessions that were replayed to a connection.",
  incremental: true
})

const turns = Metric.counter("acp_turns_total", { description: "Turns of tasks by how they ended.", incremental: true })

/** Other stop reasons of an agent must not become labels. */
const stopReasons = new Set(["end_turn", "max_tokens", "max_turn_requests", "refusal", "cancelled", "error"])

const requestsKey = MetricKey.counter("http_requests_total", {
  description: "Answers by method, route and status.",
  incremental: true
})

const latencyKey = MetricKey.histogram(
  "http_request_duration_seconds",
  MetricBoundaries.fromIterable([0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]),
  "Time from the head of a request to the end of its answer; event streams are left out."
)

const refusals = Metric.counter("http_rate_limited_total", {
  description: "Requests that a rate limit refused, by limit.",
  incremental: true
})

/** A key with all its labels: a metric that is tagged afterwards looks itself up at every update. */
const tagged = <Type extends MetricKeyType.MetricKeyType.Untyped>(
  key: MetricKey.MetricKey<Type>,
  labels: Readonly<Record<string, string>>
): MetricKey.MetricKey<Type> =>
  MetricKey.taggedWithLabels(
    key,
    Object.entries(labels).map(([name, value]) => MetricLabel.make(name, value))
  )

// Routes and statuses are few.
const counts = new Map<string, Metric.Metric.Counter<number>>()
const times = new Map<
  string,
  Metric.Metric<MetricKeyType.MetricKeyType.Histogram, number, MetricState.MetricState.Histogram>
>()
