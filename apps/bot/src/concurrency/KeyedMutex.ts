import * as Effect from "effect/Effect"

/** A place among those who do something about one thing, such as a card. */
export interface Place {
  /** Does it when everybody before has done theirs. */
  readonly inTurn: <A, E, R>(todo: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** Lets the next one have a turn, whether this one had its own or not. */
  readonly leave: Effect.Effect<void>
}

/** Takes the place behind everybody who came before about the same thing; about none, there is no order. */
export const join = (thing: string | undefined): Effect.Effect<Place> =>
  Effect.sync(() => {
    if (thing === undefined) return { inTurn: (todo) => todo, leave: Effect.void }
    const before = last.get(thing)
    const through = Effect.unsafeMakeLatch()
    last.set(thing, through)
    const leave = Effect.sync(() => {
      if (last.get(thing) === through) last.delete(thing)
      through.unsafeOpen()
    })
    return {
      inTurn: (todo) => Effect.ensuring(Effect.zipRight(before?.await ?? Effect.void, todo), leave),
      leave: before === undefined ? leave : Effect.zipRight(before.await, leave)
    }
  })

/** Who is last, of each thing that somebody is at. */
const last = new Map<string, Effect.Latch>()
