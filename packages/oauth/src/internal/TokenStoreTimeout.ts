import * as RetryPolicy from "@heddle/core/RetryPolicy"
import type * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import { type TokenStore, TokenStoreUnavailable } from "../TokenStore.ts"

/** The store with a timeout of 2 s for each use, so that a store that hangs delays no shutdown and no token. */
export const make = (store: Context.Tag.Service<TokenStore>): Context.Tag.Service<TokenStore> => ({
  get: (id) => withTimeout(store.get(id)),
  put: (id, tokens) => withTimeout(store.put(id, tokens)),
  lease: (id, version, lease) => withTimeout(store.lease(id, version, lease)),
  release: (id, owner, settled) => withTimeout(store.release(id, owner, settled)),
  replace: (id, version, tokens) => withTimeout(store.replace(id, version, tokens)),
  kill: (id, version, reason) => withTimeout(store.kill(id, version, reason)),
  move: (id, to) => withTimeout(store.move(id, to)),
  remove: (id) => withTimeout(store.remove(id))
})

// A use that completes after its timeout is harmless: the version and the end of the lease fence it.
const withTimeout: <A>(use: Effect.Effect<A, TokenStoreUnavailable>) => Effect.Effect<A, TokenStoreUnavailable> =
  RetryPolicy.timeoutFailDisconnected({
    duration: "2 seconds",
    onTimeout: () => new TokenStoreUnavailable({ reason: "it does not answer" })
  })
