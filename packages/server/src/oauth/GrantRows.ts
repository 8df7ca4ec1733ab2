import * as SqlClient from "@effect/sql/SqlClient"
import { ScopeSet, type Scope } from "@heddle/core/domain/Scope"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Crypto from "node:crypto"

/** A stored grant; `scope` is the space-separated list of RFC 6749 3.3. */
export interface Grant {
  readonly grantId: string
  readonly clientId: string
  readonly userId: string
  readonly scope: string
}

export const decodeScopes = Schema.decodeSync(ScopeSet)
export const encodeScopes = Schema.encodeSync(ScopeSet)

/** The rows of grants. */
export const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  const insert = Effect.fnUntraced(function* (authorization: {
    readonly clientId: string
    readonly userId: string
    readonly scopes: ReadonlySet<Scope>
  }) {
    const { clientId, scopes, userId } = authorization
    const grantId = Crypto.randomUUID()
    const now = yield* Clock.currentTimeMillis
    const scope = encodeScopes(scopes)
    yield* sql`INSERT INTO grants (grant_id, client_id, user_id, scope, created_at)
      VALUES (${grantId}, ${clientId}, ${userId}, ${scope}, ${now})`
    return { grantId, clientId, userId, scope } satisfies Grant
  })

  const get = (grantId: string) =>
    Effect.map(
      sql<Grant>`SELECT grant_id AS "grantId", client_id AS "clientId", user_id AS "userId", scope
        FROM grants WHERE grant_id = ${grantId}`,
      ([row]) => row
    )

  /** Revokes a grant and returns its owner; undefined if it was revoked before. */
  const revoke = Effect.fnUntraced(function* (grantId: string) {
    const now = yield* Clock.currentTimeMillis
    const revoked = yield* sql<{ clientId: string; userId: string }>`UPDATE grants SET revoked_at = ${now}
      WHERE grant_id = ${grantId} AND revoked_at IS NULL RETURNING client_id AS "clientId", user_id AS "userId"`
    return revoked[0]
  })

  /** Revokes the older grants of the same user to the same application. */
  const revokeOthers = Effect.fnUntraced(function* (grant: Grant) {
    const now = yield* Clock.currentTimeMillis
    // A grant with an unused code is a newer sign-in, not an older grant.
    yield* sql`UPDATE grants SET revoked_at = ${now}
      WHERE client_id = ${grant.clientId} AND user_id = ${grant.userId} AND grant_id <> ${grant.grantId}
        AND revoked_at IS NULL AND NOT EXISTS (SELECT 1 FROM authorization_codes c
          WHERE c.grant_id = grants.grant_id AND c.used_at IS NULL)`
  })

  return { insert, get, revoke, revokeOthers }
})
