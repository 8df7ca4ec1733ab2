import * as Effect from "effect/Effect"

/** A position in the queue of one key, such as a card. */
export interface QueuePosition {
  /** Runs an effect after those of the earlier positions, then releases the position. */
  readonly run: <A, E, R>(todo: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** Lets the next position run, also when this one has not run. */
  readonly release: Effect.Effect<void>
}

/** Takes the last position in the queue of a key; without a key there is no order. */
export const enqueue = (key: string | undefined): Effect.Effect<QueuePosition> =>
  Effect.sync(() => {
    if (key === undefined) return { run: (todo) => todo, release: Effect.void }
    const before = last.get(key)
    const through = Effect.unsafeMakeLatch()
    last.set(key, through)
    const release = Effect.sync(() => {
      if (last.get(key) === through) last.delete(key)
      through.unsafeOpen()
    })
    return {
      run: (todo) => Effect.ensuring(Effect.zipRight(before?.await ?? Effect.void, todo), release),
      release: before === undefined ? release : Effect.zipRight(before.await, release)
    }
  })

/** The last position of each key. */
const last = new Map<string, Effect.Latch>()
