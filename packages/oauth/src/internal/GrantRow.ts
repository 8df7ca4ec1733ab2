import { OpenId } from "@heddle/core/domain/OpenId"
import { ScopeSet } from "@heddle/core/domain/Scope"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { EncryptionKey } from "../EncryptionKey.ts"
import { TokenSet } from "../TokenSet.ts"
import type { StoredGrant } from "./StoredGrant.ts"

/** A row of `oauth_grants` as the drivers give it: some give big integers as text. */
export interface GrantRow {
  readonly id: string
  readonly open_id: string | null
  readonly scope: string | null
  readonly access_token_enc: string | null
  readonly refresh_token_enc: string | null
  readonly expires_at: number | string | null
  readonly obtained_at: number | string
  readonly version: number | string
  readonly dead_reason: string | null
  readonly lease_owner: string | null
  /** The number of the lease; the column is older than its meaning. */
  readonly lease_until: number | string
}

type Key = Context.Tag.Service<EncryptionKey>

/** The columns of new tokens, encrypted; they end any lease and bring a dead grant back to life. */
export const columnsOf = Effect.fnUntraced(function* (key: Key, id: string, tokens: TokenSet) {
  return {
    open_id: tokens.openId ?? null,
    scope: tokens.scopes === undefined ? null : Schema.encodeSync(ScopeSet)(tokens.scopes),
    access_token_enc: yield* key.seal(tokens.accessToken, placeOf(id, "access")),
    refresh_token_enc:
      tokens.refreshToken === undefined ? null : yield* key.seal(tokens.refreshToken, placeOf(id, "refresh")),
    expires_at: tokens.expiresAt ?? null,
    obtained_at: tokens.obtainedAt,
    lease_owner: null,
    lease_until: 0,
    dead_reason: null
  }
})

/** Reads and decrypts a row. */
export const read = Effect.fnUntraced(function* (key: Key, row: GrantRow) {
  const scopes = row.scope === null ? undefined : yield* Schema.decode(ScopeSet)(row.scope)
  const openId = row.open_id === null ? undefined : OpenId.make(row.open_id)
  const tokens =
    row.access_token_enc === null
      ? Option.none<TokenSet>()
      : Option.some(
          new TokenSet({
            accessToken: yield* key.open(row.access_token_enc, placeOf(row.id, "access")),
            ...(row.refresh_token_enc === null
              ? {}
              : { refreshToken: yield* key.open(row.refresh_token_enc, placeOf(row.id, "refresh")) }),
            obtainedAt: Number(row.obtained_at),
            ...(row.expires_at === null ? {} : { expiresAt: Number(row.expires_at) }),
            ...(scopes === undefined ? {} : { scopes }),
            ...(openId === undefined ? {} : { openId })
          })
        )
  return {
    id: row.id,
    version: Number(row.version),
    tokens,
    dead: Option.fromNullable(row.dead_reason),
    scopes,
    openId,
    refresh: row.lease_owner === null ? "none" : row.lease_owner === unknownOutcome ? "lost" : "leased",
    leaseNumber: Number(row.lease_until)
  } satisfies StoredGrant
})

/** The owner of a lease that was released without a known outcome of its refresh. */
export const unknownOutcome = "unknown"

/**
 * Binds a ciphertext to its place: a token cannot be moved to another grant, nor a refresh token be used as an access
 * token.
 */
const placeOf = (id: string, kind: "access" | "refresh"): string => `oauth_grants ${kind} ${id}`
