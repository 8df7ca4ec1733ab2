import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import type { TokenSet } from "../TokenSet.ts"
import type { TokenStore } from "../TokenStore.ts"
import { type ActiveGrant, forget, type GrantCache } from "./ActiveGrant.ts"
import * as RetrySchedules from "./RetrySchedules.ts"
import type { TokenStoreUnavailable } from "./StoredGrant.ts"

/** Writes tokens so that no outage of the store loses them: until they are stored, the cache has them. */
export interface GrantWriter {
  /** Stores the tokens of a new authorization. */
  readonly create: (grantId: string, tokens: TokenSet) => Effect.Effect<void>
  /** Stores renewed tokens; `false` where another process has replaced this version meanwhile. */
  readonly replace: (grant: ActiveGrant, tokens: TokenSet) => Effect.Effect<boolean>
}

export const make = (store: Context.Tag.Service<TokenStore>, cache: GrantCache, scope: Scope.Scope): GrantWriter => {
  /** Writes while the caller waits, then in the background; none where the write is not done yet. */
  const write = <A>(use: Effect.Effect<A, TokenStoreUnavailable>, whenDelayed: () => void, message: string) =>
    use.pipe(
      Effect.retry(RetrySchedules.storeWriteInCall),
      Effect.asSome,
      Effect.catchAll((error) =>
        Effect.sync(whenDelayed).pipe(
          Effect.zipRight(Effect.logError(message, error.message)),
          Effect.zipRight(
            use.pipe(Effect.retry(RetrySchedules.storeWrite), Effect.interruptible, Effect.forkIn(scope))
          ),
          Effect.as(Option.none<A>())
        )
      )
    )

  return {
    create: (id, tokens) =>
      Effect.suspend(() => {
        const grant: ActiveGrant = { id, version: 0, tokens, refresh: "none", leaseNumber: 0 }
        forget(cache, id)
        cache.unsavedNew.set(id, grant)
        const isCurrent = () => cache.unsavedNew.get(id) === grant
        // A later authorization replaces this one, stored or not.
        const put = Effect.suspend(() => (isCurrent() ? store.put(id, tokens) : Effect.void)).pipe(
          Effect.tap(() => Effect.sync(() => isCurrent() && cache.unsavedNew.delete(id)))
        )
        return write(put, () => undefined, "The tokens of a new authorization could not be stored yet; trying on")
      }).pipe(Effect.asVoid, Effect.uninterruptible),

    replace: (grant, tokens) =>
      write(
        Effect.tap(store.replace(grant.id, grant.version, tokens), () =>
          Effect.sync(() => {
            if (cache.unsavedRenewed.get(grant.id)?.version === grant.version) cache.unsavedRenewed.delete(grant.id)
          })
        ),
        () => cache.unsavedRenewed.set(grant.id, { ...grant, tokens }),
        "Renewed tokens could not be stored yet; trying on"
      ).pipe(Effect.map(Option.getOrElse(() => true)))
  }
}
