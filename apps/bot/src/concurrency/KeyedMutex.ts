import * as Effect from "effect/Effect"

/** A position in the queue of one key, such as a card. */
export interface QueuePosition {
  /** Runs an effect after those of the earlier positions, then releases the position. */
  readonly run: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** Lets the next position run, also when this one has not run. */
  readonly release: Effect.Effect<void>
}

/** Takes the last position in the queue of a key; without a key there is no order. */
export const enqueue = (key: string | undefined): Effect.Effect<QueuePosition> =>
  Effect.sync(() => {
    if (key === undefined) return { run: (effect) => effect, release: Effect.void }
    const previous = lastPositions.get(key)
    const latch = Effect.unsafeMakeLatch()
    lastPositions.set(key, latch)
    const release = Effect.sync(() => {
      if (lastPositions.get(key) === latch) lastPositions.delete(key)
      latch.unsafeOpen()
    })
    return {
      run: (effect) => Effect.ensuring(Effect.zipRight(previous?.await ?? Effect.void, effect), release),
      release: previous === undefined ? release : Effect.zipRight(previous.await, release)
    }
  })

/** The last position of each key. */
const lastPositions = new Map<string, Effect.Latch>()
