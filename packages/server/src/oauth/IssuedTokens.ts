import * as SqlClient from "@effect/sql/SqlClient"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Secret from "../internal/Secret.ts"

/**
 * A token as revocation and introspection find it. `expiresAt` is epoch milliseconds.
 */
export interface IssuedToken {
  readonly kind: "access" | "refresh"
  readonly grantId: string
  readonly userId: string
  readonly scope: string
  readonly expiresAt: number
  readonly live: boolean
}

/** Finds tokens of either kind for revocation and introspection: an application finds only its own. */
export const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  const find = Effect.fnUntraced(function* (clientId: string, token: Redacted.Redacted) {
    const now = yield* Clock.currentTimeMillis
    const hash = Secret.hash(Redacted.value(token))
    const rows = yield* sql<Omit<IssuedToken, "live"> & { readonly live: number }>`
      SELECT 'refresh' AS kind, g.grant_id AS "grantId", g.user_id AS "userId", g.scope AS scope,
        r.expires_at AS "expiresAt",
        CASE WHEN r.used_at IS NULL AND r.expires_at > ${now} AND g.revoked_at IS NULL THEN 1 ELSE 0 END AS live
      FROM refresh_tokens r JOIN grants g ON g.grant_id = r.grant_id
      WHERE r.token_hash = ${hash} AND g.client_id = ${clientId}
      UNION ALL
      SELECT 'access' AS kind, g.grant_id AS "grantId", g.user_id AS "userId", t.scope AS scope,
        t.expires_at AS "expiresAt",
        CASE WHEN t.expires_at > ${now} AND g.revoked_at IS NULL THEN 1 ELSE 0 END AS live
      FROM access_tokens t JOIN grants g ON g.grant_id = t.grant_id
      WHERE t.token_hash = ${hash} AND g.client_id = ${clientId}`
    return rows[0] === undefined ? undefined : ({ ...rows[0], live: rows[0].live === 1 } satisfies IssuedToken)
  })

  /** Deletes one access token; the rest of its grant stays. */
  const deleteAccessToken = (token: Redacted.Redacted) =>
    sql`DELETE FROM access_tokens WHERE token_hash = ${Secret.hash(Redacted.value(token))} RETURNING grant_id`.pipe(
      Effect.map((rows) => rows.length > 0)
    )

  return { find, deleteAccessToken }
})
