import type { TokenStore, TokenStoreUnavailable } from "@heddle/oauth/TokenStore"
import type * as Context from "effect/Context"
import type * as Effect from "effect/Effect"

type Store = Context.Tag.Service<TokenStore>

/** A store each use of which passes through `around`. */
export const interceptStore = (
  store: Store,
  around: <A>(
    use: Effect.Effect<A, TokenStoreUnavailable>,
    method: keyof Store
  ) => Effect.Effect<A, TokenStoreUnavailable>
): Store =>
  new Proxy(store, {
    get:
      (_, method: keyof Store) =>
      (...args: ReadonlyArray<never>) =>
        around<unknown>(
          (store[method] as (...args: ReadonlyArray<never>) => Effect.Effect<unknown, TokenStoreUnavailable>)(...args),
          method
        )
  })
