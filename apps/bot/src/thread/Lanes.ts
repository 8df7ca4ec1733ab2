import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import type * as Scope from "effect/Scope"

/** Puts something to do behind everything that was added under the same key; what has other keys goes on beside it. */
export type Lanes<R> = (key: string, todo: Effect.Effect<void, never, R>) => Effect.Effect<void, never, R>

/** Makes lanes, one per key, for as long as the scope lives; a lane without anything to do takes no memory. */
export const make = <R>(): Effect.Effect<Lanes<R>, never, Scope.Scope> =>
  Effect.map(FiberSet.make<void>(), (fibers) => {
    const lanes = new Map<string, Array<Effect.Effect<void, never, R>>>()
    const drain = (key: string, lane: Array<Effect.Effect<void, never, R>>) =>
      Effect.gen(function* () {
        for (let next = lane.shift(); next !== undefined; next = lane.shift()) yield* next
        lanes.delete(key)
      })
    return (key, todo) =>
      Effect.suspend(() => {
        const lane = lanes.get(key)
        if (lane !== undefined) {
          lane.push(todo)
          return Effect.void
        }
        const fresh = [todo]
        lanes.set(key, fresh)
        return Effect.asVoid(FiberSet.run(fibers, drain(key, fresh)))
      })
  })
