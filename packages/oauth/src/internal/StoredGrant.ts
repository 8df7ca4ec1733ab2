import type * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { TokenSet } from "../TokenSet.ts"

/** One stored grant. Its tokens are gone once it is dead; `version` grows with every change of them. */
export interface StoredGrant {
  readonly id: string
  readonly version: number
  readonly tokens: Option.Option<TokenSet>
  readonly dead: Option.Option<string>
  readonly scopes: TokenSet["scopes"]
  readonly openId: TokenSet["openId"]
  /**
   * Refreshes of this version: none under way; `leased` under way, or its owner crashed; `lost` one whose answer was
   * lost.
   */
  readonly refresh: "none" | "leased" | "lost"
  /** When the refresh lease ends, in epoch milliseconds by the store's clock; 0 without a lease. */
  readonly leasedUntil: number
}

/**
 * The right to refresh one version of a grant. The clock of the store decides when it ends, because those of its
 * processes differ.
 */
export interface Lease {
  readonly owner: string
  /** How long it lives, in milliseconds. */
  readonly duration: number
  /** Takes over a lease that ends at exactly this time although it has not ended. */
  readonly abandoned?: number | undefined
}

/** How long after its end a lease counts as ended, in milliseconds: the store's clock may be set forward meanwhile. */
export const leaseGrace = 60_000

/** The store failed, or what it holds cannot be decrypted. Nothing was changed. */
export class TokenStoreUnavailable extends Schema.TaggedError<TokenStoreUnavailable>()("TokenStoreUnavailable", {
  reason: Schema.String
}) {
  override get message(): string {
    return `The token store is not available: ${this.reason}.`
  }
}
