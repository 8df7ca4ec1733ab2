import type * as SqlClient from "@effect/sql/SqlClient"
import type * as SqlError from "@effect/sql/SqlError"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { EncryptionKey } from "./EncryptionKey.ts"
import * as MemoryTokenStore from "./internal/MemoryTokenStore.ts"
import * as SqlTokenStore from "./internal/SqlTokenStore.ts"
import type { TokenSet } from "./TokenSet.ts"

/** One stored grant. Its tokens are gone once it is dead; `version` grows with every change of them. */
export interface StoredGrant {
  readonly id: string
  readonly version: number
  readonly tokens: Option.Option<TokenSet>
  readonly dead: Option.Option<string>
  readonly scopes: TokenSet["scopes"]
  readonly openId: TokenSet["openId"]
  /**
   * What is known of refreshes of this version: none is under way; one is, or its owner is gone; or one was sent whose
   * answer was lost.
   */
  readonly refresh: "none" | "leased" | "lost"
  /** Until when the refresh lease is given, in epoch milliseconds by its owner's clock; 0 while nobody has it. */
  readonly leasedUntil: number
}

/** The store failed, or what it holds cannot be decrypted. Nothing was changed. */
export class TokenStoreUnavailable extends Schema.TaggedError<TokenStoreUnavailable>()("TokenStoreUnavailable", {
  reason: Schema.String
}) {
  override get message(): string {
    return `The token store is not available: ${this.reason}.`
  }
}

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
    /**
     * Takes the right to refresh this version until then (epoch milliseconds), or extends it; `false` while another
     * owner has it. One that is given until exactly `abandoned` is taken although it has not ended.
     */
    readonly lease: (
      id: string,
      version: number,
      lease: {
        readonly owner: string
        readonly now: number
        readonly until: number
        readonly abandoned?: number | undefined
      }
    ) => Effect.Effect<boolean, TokenStoreUnavailable>
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
  SqlTokenStore.make((reason) => new TokenStoreUnavailable({ reason }))
)

/** Creates the table `oauth_grants` unless it is there. */
export const migrate: Effect.Effect<void, SqlError.SqlError, SqlClient.SqlClient> = SqlTokenStore.migrate
