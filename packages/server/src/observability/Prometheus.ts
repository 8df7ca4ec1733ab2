import type * as MetricPair from "effect/MetricPair"
import * as MetricState from "effect/MetricState"
import * as Option from "effect/Option"

/** The content type of {@link format}. */
export const contentType = "text/plain; version=0.0.4; charset=utf-8"

/** A value that is read when Prometheus scrapes the service. */
export interface Gauge {
  readonly name: string
  readonly help: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

export const gauge = (name: string, help: string, labels: Gauge["labels"], value: number): Gauge => ({
  name,
  help,
  labels,
  value
})

/** Formats counters, gauges and histograms as Prometheus text; leaves out other metrics. */
export const format = (metrics: Iterable<MetricPair.MetricPair.Untyped | Gauge>): string => {
  const families = new Map<string, Array<string>>()
  const addSamples = (name: string, type: string, help: string, lines: ReadonlyArray<string>) => {
    const family = families.get(name) ?? [`# HELP ${name} ${escapeHelp(help)}`, `# TYPE ${name} ${type}`]
    family.push(...lines)
    families.set(name, family)
  }
  for (const metric of metrics) {
    if ("value" in metric) {
      addSamples(metric.name, "gauge", metric.help, [formatSample(metric.name, metric.labels, metric.value)])
      continue
    }
    const { metricKey, metricState } = metric
    const name = metricKey.name.replace(/[^A-Za-z0-9_:]/g, "_")
    const help = Option.getOrElse(metricKey.description, () => name)
    const labels = Object.fromEntries([...metricKey.tags].map(({ key, value }) => [key, value]))
    if (MetricState.isCounterState(metricState)) {
      addSamples(name, "counter", help, [formatSample(name, labels, Number(metricState.count))])
    } else if (MetricState.isGaugeState(metricState)) {
      addSamples(name, "gauge", help, [formatSample(name, labels, Number(metricState.value))])
    } else if (MetricState.isHistogramState(metricState)) {
      addSamples(name, "histogram", help, [
        ...[...metricState.buckets].map(([upTo, count]) =>
          formatSample(`${name}_bucket`, { ...labels, le: Number.isFinite(upTo) ? String(upTo) : "+Inf" }, count)
        ),
        formatSample(`${name}_sum`, labels, metricState.sum),
        formatSample(`${name}_count`, labels, metricState.count)
      ])
    }
  }
  return [...families.values()].flat().join("\n") + "\n"
}

const formatSample = (name: string, labels: Readonly<Record<string, string>>, value: number): string => {
  const pairs = Object.entries(labels).map(([key, label]) => `${key.replace(/\W/g, "_")}="${escapeLabel(label)}"`)
  return `${name}${pairs.length === 0 ? "" : `{${pairs.join(",")}}`} ${value}`
}

const escapeHelp = (help: string): string => help.replace(/\\/g, "\\\\").replace(/\n/g, "\\n")

const escapeLabel = (label: string): string => escapeHelp(label).replace(/"/g, '\\"')
