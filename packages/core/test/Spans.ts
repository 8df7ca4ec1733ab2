import * as Effect from "effect/Effect"
import * as Tracer from "effect/Tracer"
import { inspect } from "node:util"

/** Runs a program and gives everything that its spans say, as text. */
export const textOf = <A, E, R>(program: Effect.Effect<A, E, R>): Effect.Effect<string, never, R> =>
  Effect.suspend(() => {
    const said: Array<unknown> = []
    const tracer = Tracer.make({
      span: (name, parent, context, links, startTime, kind) => ({
        _tag: "Span",
        name,
        spanId: name,
        traceId: name,
        parent,
        context,
        links,
        kind,
        sampled: true,
        status: { _tag: "Started", startTime },
        attributes: new Map(),
        attribute: (key, value) => void said.push(key, value),
        event: (key, _time, attributes) => void said.push(key, attributes),
        addLinks: () => undefined,
        end: (_time, exit) => void said.push(name, inspect(exit, { depth: 9 }))
      }),
      context: (run) => run()
    })
    return Effect.map(Effect.exit(Effect.withTracer(program, tracer)), () => inspect(said, { depth: 9 }))
  })
