import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { type TokenStore, TokenStoreUnavailable } from "../TokenStore.ts"

/** The store, where a use that hangs fails after a while: nobody's shutdown or token waits for it. */
export const make = (store: Context.Tag.Service<TokenStore>): Context.Tag.Service<TokenStore> => ({
  get: (id) => patiently(store.get(id)),
  put: (id, tokens) => patiently(store.put(id, tokens)),
  lease: (id, version, lease) => patiently(store.lease(id, version, lease)),
  release: (id, owner, settled) => patiently(store.release(id, owner, settled)),
  replace: (id, version, tokens) => patiently(store.replace(id, version, tokens)),
  kill: (id, version, reason) => patiently(store.kill(id, version, reason)),
  move: (id, to) => patiently(store.move(id, to)),
  remove: (id) => patiently(store.remove(id))
})

// What hangs is left to itself; if it is done after all, the version and the lease's end make it harmless.
const patiently = <A>(use: Effect.Effect<A, TokenStoreUnavailable>): Effect.Effect<A, TokenStoreUnavailable> =>
  use.pipe(
    Effect.interruptible,
    Effect.disconnect,
    Effect.timeoutFail({
      duration: "2 seconds",
      onTimeout: () => new TokenStoreUnavailable({ reason: "it does not answer" })
    })
  )
