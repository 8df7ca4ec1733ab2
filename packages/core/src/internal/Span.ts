import * as Context from "effect/Context"
import * as DefaultServices from "effect/DefaultServices"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as Tracer from "effect/Tracer"

/** Whether somebody sees the spans of a fiber. The default tracer keeps them for itself. */
export const areSeen = (fiber: Fiber.RuntimeFiber<unknown, unknown>): boolean => fiber.currentTracer !== defaultTracer

const defaultTracer = /* @__PURE__ */ Context.get(DefaultServices.liveServices, Tracer.Tracer)

/** Runs an effect in a span, if somebody sees it. Without a stack trace, which needs an error object for each call. */
export const within = <A, E, R>(name: string, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.withFiberRuntime<A, E, R>((fiber) =>
    areSeen(fiber) ? Effect.withSpan(effect, name, { captureStackTrace: false }) : effect
  )

/** A method that runs in a span as {@link within}. */
export const fn =
  <Args extends ReadonlyArray<unknown>, A, E, R>(name: string, body: (...args: Args) => Effect.Effect<A, E, R>) =>
  (...args: Args): Effect.Effect<A, E, R> =>
    within(
      name,
      Effect.suspend(() => body(...args))
    )
