import * as Effect from "effect/Effect"

/** Runs effects one after the other, in the order in which they came. */
export interface Mutex {
  readonly run: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** Whether an effect runs or waits. */
  readonly isBusy: () => boolean
}

/** Not a semaphore: there, an effect that comes at the moment of a release goes before those that wait. */
export const make = (): Mutex => {
  const queue: Array<Effect.Latch> = []
  return {
    run: (effect) =>
      Effect.acquireUseRelease(
        Effect.sync(() => {
          const position = Effect.unsafeMakeLatch(queue.length === 0)
          queue.push(position)
          return position
        }),
        (position) => Effect.zipRight(position.await, effect),
        (position) =>
          Effect.sync(() => {
            queue.splice(queue.indexOf(position), 1)
            queue[0]?.unsafeOpen()
          })
      ),
    isBusy: () => queue.length > 0
  }
}
