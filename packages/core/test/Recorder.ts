import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import * as HashMap from "effect/HashMap"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Option from "effect/Option"
import * as Tracer from "effect/Tracer"
import { inspect } from "node:util"

/** A span as it was recorded. */
export interface Recorded {
  readonly name: string
  readonly parent: string | undefined
  readonly attributes: Map<string, unknown>
  exit?: Exit.Exit<unknown, unknown>
}

/** Remembers every span and log entry of the program that it is provided to. */
export const make = () => {
  const spans: Array<Recorded> = []
  const logs: Array<{ readonly message: string; readonly annotations: Record<string, unknown> }> = []
  const tracer = Tracer.make({
    span: (name, parent, context, links, startTime, kind) => {
      const attributes = new Map<string, unknown>()
      const above = Option.getOrUndefined(parent)
      const span: Recorded = { name, parent: above?._tag === "Span" ? above.name : undefined, attributes }
      spans.push(span)
      return {
        _tag: "Span",
        name,
        spanId: String(spans.length),
        traceId: "trace",
        parent,
        context,
        links,
        kind,
        sampled: true,
        status: { _tag: "Started", startTime },
        attributes,
        attribute: (key, value) => void attributes.set(key, value),
        event: (key, _time, values) => void attributes.set(key, values),
        addLinks: () => undefined,
        end: (_time, exit) => void Object.assign(span, { exit })
      }
    },
    context: (run) => run()
  })
  const logger = Logger.make(({ annotations, message }) => {
    logs.push({
      message: [message].flat().map(String).join(" "),
      annotations: Object.fromEntries(HashMap.toEntries(annotations))
    })
  })
  const layer = Layer.mergeAll(Layer.setTracer(tracer), Logger.replace(Logger.defaultLogger, logger))
  return { spans, logs, layer }
}

/** Runs a program with its spans and logs recorded. */
export const record = <A, E, R>(program: Effect.Effect<A, E, R>) => {
  const recorder = make()
  return Effect.map(Effect.provide(program, recorder.layer), (value) => ({ ...recorder, value }))
}

/** Runs a program and gives everything that its spans say, as text. */
export const spansOf = <A, E, R>(program: Effect.Effect<A, E, R>): Effect.Effect<string, never, R> =>
  Effect.map(record(Effect.exit(program)), ({ spans }) => inspect(spans, { depth: 9 }))
