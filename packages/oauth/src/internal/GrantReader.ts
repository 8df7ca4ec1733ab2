import { Reauthorize, Unreachable } from "@heddle/core/OpenApiError"
import * as Clock from "effect/Clock"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { TokenStore } from "../TokenStore.ts"
import { type ActiveGrant, type GrantCache, noteRead, cachedGrant } from "./ActiveGrant.ts"
import * as MonotonicClock from "@heddle/core/MonotonicClock"
import * as RetrySchedules from "./RetrySchedules.ts"
import type { StoredGrant, TokenStoreUnavailable } from "./StoredGrant.ts"

/** Reads the grant as it is stored, or as the cache knows it; `Reauthorize` where it is dead or missing. */
export type GrantReader = (grantId: string) => Effect.Effect<ActiveGrant, Reauthorize | Unreachable>

export const make = (store: Context.Tag.Service<TokenStore>, cache: GrantCache): GrantReader => {
  /** Until then a store that failed counts as down, and no caller waits for it. */
  let downUntil = 0

  const read = (grantId: string) =>
    Effect.flatMap(MonotonicClock.now, (now) =>
      (now < downUntil ? Effect.mapError(store.get(grantId), unreachable) : waitForStore(store.get(grantId))).pipe(
        Effect.tapError(() => Effect.map(MonotonicClock.now, (then) => (downUntil = then + downTime)))
      )
    )

  const stored = (grantId: string) =>
    read(grantId).pipe(
      Effect.flatMap((found) => {
        const active = Option.flatMap(found, activeOf)
        if (Option.isSome(active)) return Effect.succeed(noteRead(cache, active.value))
        cache.lastRead.delete(grantId)
        return Effect.fail(new Reauthorize({ reason: reasonOf(found) }))
      }),
      Effect.catchTag("Unreachable", (error) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) => {
          const grant = cachedGrant(cache, grantId, now)
          return grant === undefined ? Effect.fail(error) : Effect.succeed(grant)
        })
      )
    )

  return (grantId) =>
    Effect.suspend(() => {
      const unsaved = cache.unsavedNew.get(grantId)
      return unsaved === undefined ? stored(grantId) : Effect.succeed(unsaved)
    })
}

/** Waits for a store that is briefly away. */
export const waitForStore = <A>(use: Effect.Effect<A, TokenStoreUnavailable>): Effect.Effect<A, Unreachable> =>
  use.pipe(Effect.retry(RetrySchedules.storeRead), Effect.mapError(unreachable))

const unreachable = ({ reason }: TokenStoreUnavailable) => new Unreachable({ operation: "the token store", reason })

const activeOf = ({ id, leaseNumber, refresh, tokens, version }: StoredGrant): Option.Option<ActiveGrant> =>
  Option.map(tokens, (tokens) => ({ id, version, refresh, leaseNumber, tokens }))

const reasonOf = Option.match({
  onNone: () => "it is not connected",
  onSome: ({ dead }: StoredGrant) => Option.getOrElse(dead, () => "it was disconnected")
})

/** How long a store counts as down after it did not answer in time, in milliseconds. */
const downTime = 10_000
