import * as SqlClient from "@effect/sql/SqlClient"
import type { CurrentGrant } from "@heddle/core/api/Bearer"
import * as Clock from "effect/Clock"
import type * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { OpenIds } from "../accounts/OpenIds.ts"
import * as Secret from "../internal/Secret.ts"
import { DataVersion } from "../sql/DataVersion.ts"
import * as VersionedCache from "../sql/VersionedCache.ts"
import { decodeScopes, type Grant } from "./GrantRows.ts"

/** A stored access token: its grant, whether the application is active, and its end in epoch milliseconds. */
export interface AccessToken {
  readonly grant: Context.Tag.Service<typeof CurrentGrant>
  readonly active: boolean
  readonly expiresAt: number
}

/** The rows of access tokens, which are stored as hashes. */
export const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const openIds = yield* OpenIds
  const cachedByHash = VersionedCache.make(yield* DataVersion, 10_000, (hash) => Effect.orDie(read(sql, hash)))

  /** Makes a token for a scope within the grant; returns its fields of the token response. */
  const insert = Effect.fnUntraced(function* (grant: Grant, scope: string, lifetime: Duration.Duration) {
    const token = Secret.generate("oa_at_")
    const now = yield* Clock.currentTimeMillis
    yield* sql`INSERT INTO access_tokens (token_hash, grant_id, scope, expires_at)
      VALUES (${Secret.hash(token)}, ${grant.grantId}, ${scope}, ${now + Duration.toMillis(lifetime)})`
    return {
      accessToken: Redacted.make(token),
      tokenType: "Bearer",
      expiresIn: Math.floor(Duration.toSeconds(lifetime)),
      scope: decodeScopes(scope),
      openId: openIds.of(grant.clientId, grant.userId)
    }
  })

  /** The token of a grant that is not revoked, even an expired one; undefined if there is none. */
  const find = (token: Redacted.Redacted) => cachedByHash(Secret.hash(Redacted.value(token)))

  return { insert, find }
})

const read = (sql: SqlClient.SqlClient, tokenHash: string) =>
  Effect.map(
    sql<Row>`SELECT g.grant_id AS "grantId", g.client_id AS "clientId", g.user_id AS "userId", t.scope AS scope,
        a.active AS active, t.expires_at AS "expiresAt"
      FROM access_tokens t
        JOIN grants g ON g.grant_id = t.grant_id
        JOIN applications a ON a.client_id = g.client_id
      WHERE t.token_hash = ${tokenHash} AND g.revoked_at IS NULL`,
    ([row]): AccessToken | undefined => {
      if (row === undefined) return undefined
      const { active, expiresAt, scope, ...grant } = row
      return { grant: { ...grant, scopes: decodeScopes(scope) }, active: active === 1, expiresAt }
    }
  )

interface Row extends Grant {
  readonly active: number
  readonly expiresAt: number
}
