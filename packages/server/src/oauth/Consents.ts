import * as SqlClient from "@effect/sql/SqlClient"
import type { Scope } from "@heddle/core/domain/Scope"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/** A request of an application for access to scopes of a user. */
export interface ConsentRequest {
  readonly userId: string
  readonly clientId: string
  readonly scopes: ReadonlySet<Scope>
}

/** Consents of users, stored for 30 days. The consent page is skipped while one is stored (contract decision 38). */
export class Consents extends Context.Tag("@heddle/server/oauth/Consents")<
  Consents,
  {
    /** Whether the user has consented to exactly these scopes. */
    readonly hasConsented: (request: ConsentRequest) => Effect.Effect<boolean>
    readonly remember: (request: ConsentRequest) => Effect.Effect<void>
  }
>() {}

export const layer: Layer.Layer<Consents, never, SqlClient.SqlClient> = Layer.effect(
  Consents,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return {
      hasConsented: Effect.fn("Consents.hasConsented")(function* ({ userId, clientId, scopes }) {
        const now = yield* Clock.currentTimeMillis
        const rows = yield* sql`SELECT 1 FROM consents WHERE user_id = ${userId} AND client_id = ${clientId}
          AND scope = ${encodeScopes(scopes)} AND expires_at > ${now}`
        return rows.length > 0
      }, Effect.orDie),

      remember: Effect.fn("Consents.remember")(function* ({ userId, clientId, scopes }) {
        const expiresAt = (yield* Clock.currentTimeMillis) + Duration.toMillis("30 days")
        yield* sql`INSERT INTO consents (user_id, client_id, scope, expires_at)
          VALUES (${userId}, ${clientId}, ${encodeScopes(scopes)}, ${expiresAt})
          ON CONFLICT (user_id, client_id, scope) DO UPDATE SET expires_at = excluded.expires_at`
      }, Effect.orDie)
    }
  })
)

const encodeScopes = (scopes: ReadonlySet<Scope>): string => [...scopes].sort().join(" ")
