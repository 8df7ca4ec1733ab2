import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as HashMap from "effect/HashMap"
import * as Inspectable from "effect/Inspectable"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as Tracer from "effect/Tracer"
import * as Util from "node:util"

/** Everything that was told beside the answers. */
export interface Told {
  /** Every log line of any level, with its annotations and its cause. */
  readonly logs: ReadonlyArray<string>
  /** Every span, with its attributes, events and how it ended. */
  readonly spans: () => ReadonlyArray<string>
  /** What of these texts stands in a log line or a span; names come first, the texts themselves are not repeated. */
  readonly leaks: (secrets: Readonly<Record<string, string>>) => ReadonlyArray<string>
}

/**
 * Runs a program, such as a service in this process and requests to it, and keeps all that it logs and traces, down to
 * the lowest level. Nothing of it goes to the terminal.
 */
export const observed = <A, E, R>(run: (told: Told) => Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
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
      const told = [message, Object.fromEntries(HashMap.toEntries(annotations)), [...spans].map(({ label }) => label)]
      logs.push([logLevel.label, show(told), Cause.isEmpty(cause) ? "" : Cause.pretty(cause), show(cause)].join(" "))
    })

    const told: Told = {
      logs,
      spans: () => [...spans.map(describe), ...events],
      leaks: (secrets) =>
        [...logs, ...told.spans()].flatMap((text) =>
          Object.entries(secrets).flatMap(([name, secret]) =>
            forms(secret).some((form) => text.includes(form)) ? [`${name} in ${hide(text, secrets)}`] : []
          )
        )
    }
    return yield* run(told).pipe(
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
