import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as HashMap from "effect/HashMap"
import * as Inspectable from "effect/Inspectable"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as Tracer from "effect/Tracer"
import * as Util from "node:util"

/** The logs and spans of a program. */
export interface Telemetry {
  /** Every log line of any level, with its annotations and its cause. */
  readonly logs: ReadonlyArray<string>
  /** Every span, with its attributes, events and exit. */
  readonly spans: () => ReadonlyArray<string>
  /** The log lines and spans that contain a secret, each after the name of that secret and with all secrets hidden. */
  readonly leaks: (secrets: Readonly<Record<string, string>>) => ReadonlyArray<string>
}

/**
 * Runs a program and collects its logs of every level and its spans, instead of printing them.
 */
export const observed = <A, E, R>(run: (telemetry: Telemetry) => Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.gen(function* () {
    const native = yield* Effect.tracer
    const spans: Array<Tracer.Span> = []
    const events: Array<string> = []
    const tracer = Tracer.make({
      span: (...given) => {
        const span = native.span(...given)
        const event = span.event.bind(span)
        span.event = (name, startTime, attributes) => {
          events.push(show([name, attributes]))
          event(name, startTime, attributes)
        }
        spans.push(span)
        return span
      },
      context: (run, fiber) => native.context(run, fiber)
    })

    const logs: Array<string> = []
    const logger = Logger.make<unknown, void>(({ annotations, cause, logLevel, message, spans }) => {
      const parts = [message, Object.fromEntries(HashMap.toEntries(annotations)), [...spans].map(({ label }) => label)]
      logs.push([logLevel.label, show(parts), Cause.isEmpty(cause) ? "" : Cause.pretty(cause), show(cause)].join(" "))
    })

    const telemetry: Telemetry = {
      logs,
      spans: () => [...spans.map(describe), ...events],
      leaks: (secrets) =>
        [...logs, ...telemetry.spans()].flatMap((text) =>
          Object.entries(secrets).flatMap(([name, secret]) =>
            forms(secret).some((form) => text.includes(form)) ? [`${name} in ${hide(text, secrets)}`] : []
          )
        )
    }
    return yield* run(telemetry).pipe(
      Effect.withTracer(tracer),
      Effect.provide(Logger.replace(Logger.defaultLogger, logger)),
      Logger.withMinimumLogLevel(LogLevel.All)
    )
  })

const describe = (span: Tracer.Span): string =>
  [
    span.name,
    show(Object.fromEntries(span.attributes)),
    span.status._tag === "Ended" && Exit.isFailure(span.status.exit) ? Cause.pretty(span.status.exit.cause) : ""
  ].join(" ")

/** As deep as it goes, both as a program and as a person would print it. */
const show = (value: unknown): string =>
  `${Inspectable.stringifyCircular(value)} ${Util.inspect(value, { depth: 12, maxStringLength: null })}`

const forms = (secret: string): ReadonlyArray<string> => [
  secret,
  encodeURIComponent(secret),
  JSON.stringify(secret).slice(1, -1),
  Buffer.from(secret).toString("base64")
]

const hide = (text: string, secrets: Readonly<Record<string, string>>): string =>
  Object.entries(secrets)
    .flatMap(([name, secret]) => forms(secret).map((form) => [name, form] as const))
    .reduce((rest, [name, form]) => rest.replaceAll(form, `<${name}>`), text)
