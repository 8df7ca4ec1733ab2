import * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { TokenResponse } from "@heddle/core/domain/Token"
import * as Clock from "effect/Clock"
import type * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Crypto from "node:crypto"
import { ServerConfig } from "../config/ServerConfig.ts"
import * as Secret from "../internal/Secret.ts"
import type { Grant } from "./GrantRows.ts"

/** A stored refresh token with its grant; it may have been rotated. */
export interface StoredRefreshToken {
  readonly token: Redacted.Redacted
  readonly grant: Grant
  readonly usedAt: number | null
  readonly replay: string | null
  readonly absoluteExpiresAt: number
  /** 1 if the application has no secret: then every refresh rotates the token (contract decision 53). */
  readonly publicClient: number
}

/** The result of a refresh; undefined if the token was used before and its replay window is over. */
export type RefreshResult = { readonly response: TokenResponse; readonly isReplay: boolean } | undefined

type AccessFields = Omit<TokenResponse, "refreshToken">

/** How long a rotated token still gets its response again, which the client may have lost (contract decision 31). */
const replayWindowMs = Duration.toMillis("60 seconds")

/** Makes and finds refresh tokens, and uses them by the rules of rotation. */
export const make = Effect.gen(function* () {
  const { contract, refreshTokenTtl } = yield* ServerConfig
  const { refreshTokenOnRefresh } = contract
  const { claim, extendIdle, find, insert, replayOf, saveReplay } = rowsOf(yield* SqlClient.SqlClient, refreshTokenTtl)

  /** Rotates the token: the first use wins, a repeat within the window gets the same response, a later one is theft. */
  const rotate = Effect.fnUntraced(function* (
    stored: StoredRefreshToken,
    access: Effect.Effect<AccessFields, SqlError>,
    scope: ReadonlySet<string>
  ) {
    if (!(yield* claim(stored))) return yield* replay(stored, access, scope)
    const refreshToken = yield* insert(stored.grant.grantId, stored.absoluteExpiresAt)
    const response = new TokenResponse({ ...(yield* access), refreshToken })
    yield* saveReplay(stored, response)
    return { response, isReplay: false }
  })

  /**
   * The response of a rotated token again, within the replay window. For another scope than then it has an access token
   * of its own.
   */
  const replay = Effect.fnUntraced(function* (
    stored: StoredRefreshToken,
    access: Effect.Effect<AccessFields, SqlError>,
    scope: ReadonlySet<string>
  ) {
    const first = yield* replayOf(stored)
    if (first === undefined) return undefined
    if (isSameScope(first.scope, scope)) return { response: first, isReplay: true }
    const { refreshToken } = first
    const response = new TokenResponse({ ...(yield* access), ...(refreshToken === undefined ? {} : { refreshToken }) })
    return { response, isReplay: true }
  })

  /** Keeps the token and extends its idle expiry. */
  const extend = Effect.fnUntraced(function* (
    stored: StoredRefreshToken,
    access: Effect.Effect<AccessFields, SqlError>,
    scope: ReadonlySet<string>
  ) {
    // Rotated before the service stopped rotating; the client may have lost that response.
    if (!(yield* extendIdle(stored))) return yield* replay(stored, access, scope)
    const accessFields = yield* access
    const response = new TokenResponse(
      refreshTokenOnRefresh === "same" ? { ...accessFields, refreshToken: stored.token } : accessFields
    )
    return { response, isReplay: false }
  })

  /** Refreshes; `access` makes the access token with the requested `scope`. */
  const use = (
    stored: StoredRefreshToken,
    access: Effect.Effect<AccessFields, SqlError>,
    scope: ReadonlySet<string>
  ): Effect.Effect<RefreshResult, SqlError> =>
    refreshTokenOnRefresh === "rotate" || stored.publicClient === 1
      ? rotate(stored, access, scope)
      : extend(stored, access, scope)

  return { insert, find, use }
})

/** The rows of refresh tokens. */
const rowsOf = (sql: SqlClient.SqlClient, ttl: Context.Tag.Service<ServerConfig>["refreshTokenTtl"]) => {
  const idleMs = Duration.toMillis(ttl.idle)
  return {
    insert: Effect.fnUntraced(function* (grantId: string, absolute?: number) {
      const token = Secret.generate("oa_rt_")
      const now = yield* Clock.currentTimeMillis
      const absoluteExpiresAt = absolute ?? now + Duration.toMillis(ttl.absolute)
      yield* sql`INSERT INTO refresh_tokens (token_hash, grant_id, expires_at, absolute_expires_at)
        VALUES (${Secret.hash(token)}, ${grantId}, ${Math.min(now + idleMs, absoluteExpiresAt)}, ${absoluteExpiresAt})`
      return Redacted.make(token)
    }),

    find: Effect.fnUntraced(function* (token: Redacted.Redacted, clientId: string) {
      const now = yield* Clock.currentTimeMillis
      const rows = yield* sql<Grant & Omit<StoredRefreshToken, "grant" | "token">>`
        SELECT r.grant_id AS "grantId", g.client_id AS "clientId", g.user_id AS "userId", g.scope AS scope,
          r.used_at AS "usedAt", r.replay AS replay, r.absolute_expires_at AS "absoluteExpiresAt",
          a.public AS "publicClient"
        FROM refresh_tokens r
          JOIN grants g ON g.grant_id = r.grant_id
          JOIN applications a ON a.client_id = g.client_id
        WHERE r.token_hash = ${hashOf(token)} AND r.expires_at > ${now}
          AND g.client_id = ${clientId} AND g.revoked_at IS NULL`
      if (rows[0] === undefined) return undefined
      const { absoluteExpiresAt, publicClient, replay, usedAt, ...grant } = rows[0]
      return { token, grant, usedAt, replay, absoluteExpiresAt, publicClient } satisfies StoredRefreshToken
    }),

    /** Marks a token as used; false where another use came first. */
    claim: Effect.fnUntraced(function* ({ token }: StoredRefreshToken) {
      const now = yield* Clock.currentTimeMillis
      const claimed = yield* sql`UPDATE refresh_tokens SET used_at = ${now}
        WHERE token_hash = ${hashOf(token)} AND used_at IS NULL RETURNING grant_id`
      return claimed.length > 0
    }),

    saveReplay: ({ token }: StoredRefreshToken, response: TokenResponse) =>
      sql`UPDATE refresh_tokens SET replay = ${Secret.seal(replayKey(token), encodeResponse(response))}
        WHERE token_hash = ${hashOf(token)}`,

    /** The response of a used token; undefined where it has none, or the replay window is over. */
    replayOf: Effect.fnUntraced(function* ({ token }: StoredRefreshToken) {
      const now = yield* Clock.currentTimeMillis
      const rows = yield* sql<{ usedAt: number | null; replay: string | null }>`
        SELECT used_at AS "usedAt", replay FROM refresh_tokens WHERE token_hash = ${hashOf(token)}`
      const { replay, usedAt } = rows[0] ?? { replay: null, usedAt: null }
      if (usedAt === null || replay === null || now - usedAt > replayWindowMs) return undefined
      const opened = Secret.open(replayKey(token), replay)
      return opened === undefined ? undefined : decodeResponse(opened)
    }),

    /** Extends the idle expiry of a token; false where it was used. */
    extendIdle: Effect.fnUntraced(function* ({ absoluteExpiresAt, token }: StoredRefreshToken) {
      const now = yield* Clock.currentTimeMillis
      const kept = yield* sql`UPDATE refresh_tokens SET expires_at = ${Math.min(now + idleMs, absoluteExpiresAt)}
        WHERE token_hash = ${hashOf(token)} AND used_at IS NULL RETURNING grant_id`
      return kept.length > 0
    })
  }
}

const hashOf = (token: Redacted.Redacted) => Secret.hash(Redacted.value(token))

// The old token itself is the key material, so the database alone does not reveal the replayed response.
const replayKey = (token: Redacted.Redacted): Uint8Array =>
  new Uint8Array(Crypto.hkdfSync("sha256", Redacted.value(token), new Uint8Array(0), "heddle-server replay", 32))

const isSameScope = (one: ReadonlySet<string> | undefined, other: ReadonlySet<string>): boolean =>
  one?.size === other.size && [...other].every((name) => one.has(name))

const encodeResponse = Schema.encodeSync(Schema.parseJson(TokenResponse))
const decodeResponse = Schema.decodeSync(Schema.parseJson(TokenResponse))
