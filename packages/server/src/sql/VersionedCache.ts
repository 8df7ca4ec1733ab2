import * as Effect from "effect/Effect"

/**
 * Caches what `lookUp` found until the next commit to the database. A value is never older than the last commit before
 * the call; among requests of one turn, before the first of them. What was not found is not remembered; beyond `capacity` keys the oldest is forgotten. Not for use inside
 * of a transaction, whose own changes may yet be undone.
 */
export const make = <A, E, R>(
  version: () => number | undefined,
  capacity: number,
  lookUp: (key: string) => Effect.Effect<A | undefined, E, R>
): ((key: string) => Effect.Effect<A | undefined, E, R>) => {
  let at: number | undefined
  const found = new Map<string, A>()
  return (key) =>
    Effect.suspend(() => {
      // Read before the look-up: a commit in between makes the answer look older than it is, never newer.
      const now = version()
      if (now === undefined) return lookUp(key)
      if (now !== at) {
        found.clear()
        at = now
      }
      const cached = found.get(key)
      if (cached !== undefined) return Effect.succeed(cached)
      return Effect.tap(lookUp(key), (value) =>
        Effect.sync(() => {
          if (value === undefined || at !== now) return
          if (found.size >= capacity) found.delete(found.keys().next().value ?? key)
          found.set(key, value)
        })
      )
    })
}
