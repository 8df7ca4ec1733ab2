import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

type AnyLayer = Layer.Layer<never, unknown, unknown>

/** What a sequence of layers needs from outside. */
type Needs<Layers, Built = never> = Layers extends readonly [infer First, ...infer Rest]
  ? First extends Layer.Layer<infer Out, infer _E, infer In>
    ? Exclude<In, Built> | Needs<Rest, Built | Out>
    : never
  : never

/**
 * Builds layers one after the other, each with what those before it provide; closing goes backwards. A chain of
 * `Layer.provideMerge` builds half a dozen layers for each link, which is a third of the steps of a start.
 */
export const layerSequence = <const Layers extends ReadonlyArray<AnyLayer>>(
  ...layers: Layers
): Layer.Layer<
  { [Index in keyof Layers]: Layer.Layer.Success<Layers[Index]> }[number],
  { [Index in keyof Layers]: Layer.Layer.Error<Layers[Index]> }[number],
  Needs<Layers>
> =>
  Layer.scopedContext(
    Effect.gen(function* () {
      const scope = yield* Effect.scope
      const memoMap = yield* Layer.makeMemoMap
      let built = Context.empty()
      for (const layer of layers) {
        const more = yield* Effect.provide(Layer.buildWithMemoMap(layer, memoMap, scope), built)
        built = Context.merge(built, more)
      }
      return built
    })
  ) as never
