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
  /** Grows by one each time an owner takes or extends the lease of this version. */
  readonly leaseNumber: number
}

/** The right to refresh one version of a grant. No time is stored: its owner gives it back, or another one takes it over. */
export interface Lease {
  readonly owner: string
  /** Takes over the lease of another owner while it has exactly this number. */
  readonly abandoned?: number | undefined
}

/** The store failed, or what it holds cannot be decrypted. Nothing was changed. */
export class TokenStoreUnavailable extends Schema.TaggedError<TokenStoreUnavailable>()("TokenStoreUnavailable", {
  reason: Schema.String
}) {
  override get message(): string {
    return `The token store is not available: ${this.reason}.`
  }
}
