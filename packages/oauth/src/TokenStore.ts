import type * as SqlClient from "@effect/sql/SqlClient"
import type * as SqlError from "@effect/sql/SqlError"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Option from "effect/Option"
import type { EncryptionKey } from "./EncryptionKey.ts"
import * as MemoryTokenStore from "./internal/MemoryTokenStore.ts"
import * as SqlTokenStore from "./internal/SqlTokenStore.ts"
import { type Lease, type StoredGrant, TokenStoreUnavailable } from "./internal/StoredGrant.ts"
import type { TokenSet } from "./TokenSet.ts"

export { type Lease, type StoredGrant, TokenStoreUnavailable } from "./internal/StoredGrant.ts"

/**
 * Where grants live, shared by every process that uses them.
 * Writes are fenced by `version`: a write that comes too late changes nothing and says `false`.
 */
export class TokenStore extends Context.Tag("@heddle/oauth/TokenStore")<
  TokenStore,
  {
    readonly get: (id: string) => Effect.Effect<Option.Option<StoredGrant>, TokenStoreUnavailable>
    /** Stores new tokens whatever was there before, and brings a dead grant back to life. */
    readonly put: (id: string, tokens: TokenSet) => Effect.Effect<void, TokenStoreUnavailable>
    /** Takes or extends the right to refresh this version; `false` while another owner has it. */
    readonly lease: (id: string, version: number, lease: Lease) => Effect.Effect<boolean, TokenStoreUnavailable>
    /** Gives the lease back early; not `settled` where a refresh may have been done whose answer was lost. */
    readonly release: (id: string, owner: string, settled: boolean) => Effect.Effect<void, TokenStoreUnavailable>
    /** Replaces the tokens of this version and ends its lease. */
    readonly replace: (id: string, version: number, tokens: TokenSet) => Effect.Effect<boolean, TokenStoreUnavailable>
    /** Marks this version dead and wipes its tokens; `true` for exactly one caller. */
    readonly kill: (id: string, version: number, reason: string) => Effect.Effect<boolean, TokenStoreUnavailable>
    /**
     * Gives the tokens of a grant another name, in place of what has that one, all at once; joins a transaction that is
     * open. `false`, and nothing is changed, where there are none.
     */
    readonly move: (id: string, to: string) => Effect.Effect<boolean, TokenStoreUnavailable>
    /** Forgets the grant. */
    readonly remove: (id: string) => Effect.Effect<void, TokenStoreUnavailable>
  }
>() {}

/** Grants that end with the process. */
export const layerMemory: Layer.Layer<TokenStore> = Layer.sync(TokenStore, MemoryTokenStore.make)

/** Grants in the SQL database, encrypted at rest; needs the table that {@link migrate} creates. */
export const layerSql: Layer.Layer<TokenStore, never, SqlClient.SqlClient | EncryptionKey> = Layer.effect(
  TokenStore,
  SqlTokenStore.make
)

/** Creates the table `oauth_grants` unless it is there. */
export const migrate: Effect.Effect<void, SqlError.SqlError, SqlClient.SqlClient> = SqlTokenStore.migrate
