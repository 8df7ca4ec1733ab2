import * as Effect from "effect/Effect"

/** A place in the queue of one key, such as a card. */
export interface Place {
  /** Runs an effect after those of the places before. */
  readonly inTurn: <A, E, R>(todo: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** Lets the next place run, whether this one has run or not. */
  readonly leave: Effect.Effect<void>
}

/** Takes the last place in the queue of a key; without a key there is no order. */
export const join = (key: string | undefined): Effect.Effect<Place> =>
  Effect.sync(() => {
    if (key === undefined) return { inTurn: (todo) => todo, leave: Effect.void }
    const before = last.get(key)
    const through = Effect.unsafeMakeLatch()
    last.set(key, through)
    const leave = Effect.sync(() => {
      if (last.get(key) === through) last.delete(key)
      through.unsafeOpen()
    })
    return {
      inTurn: (todo) => Effect.ensuring(Effect.zipRight(before?.await ?? Effect.void, todo), leave),
      leave: before === undefined ? leave : Effect.zipRight(before.await, leave)
    }
  })

/** The last place of each key. */
const last = new Map<string, Effect.Latch>()
