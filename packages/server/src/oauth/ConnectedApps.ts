import * as SqlClient from "@effect/sql/SqlClient"
import { ScopeSet, type Scope } from "@heddle/core/domain/Scope"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { Audit } from "../audit/Audit.ts"
import * as UserLock from "../sql/UserLock.ts"

/** An application with a live grant or a stored consent of the user. Times are epoch milliseconds. */
export interface ConnectedApp {
  readonly clientId: string
  readonly name: string
  /** False if an administrator disabled it: then it can do nothing. */
  readonly active: boolean
  readonly scopes: ReadonlySet<Scope>
  /** When its oldest live grant was made; undefined if it has only a stored consent. */
  readonly since: number | undefined
  /** When it last got tokens or started a task, if that is recorded. */
  readonly lastUsed: number | undefined
}

/** The applications that a user authorized, and their disconnection (contract decision 50). */
export class ConnectedApps extends Context.Tag("@heddle/server/oauth/ConnectedApps")<
  ConnectedApps,
  {
    /** The applications that are connected to a user, by name. */
    readonly list: (userId: string) => Effect.Effect<ReadonlyArray<ConnectedApp>>
    /**
     * Revokes all grants of the user to an application in one transaction: codes, tokens, tickets and consent. False if
     * there was none.
     */
    readonly disconnect: (pair: { readonly userId: string; readonly clientId: string }) => Effect.Effect<boolean>
  }
>() {}

export const layer: Layer.Layer<ConnectedApps, never, SqlClient.SqlClient | Audit> = Layer.effect(
  ConnectedApps,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const audit = yield* Audit

    return {
      list: Effect.fn("ConnectedApps.list")(function* (userId) {
        const now = yield* Clock.currentTimeMillis
        // A grant counts while it has a live token, or a code that may become one.
        const rows = yield* sql<Row>`
          SELECT g.client_id AS "clientId", g.scope AS scope, g.created_at AS since FROM grants g
          WHERE g.user_id = ${userId} AND g.revoked_at IS NULL AND (
            EXISTS (SELECT 1 FROM access_tokens t WHERE t.grant_id = g.grant_id AND t.expires_at > ${now})
            OR EXISTS (SELECT 1 FROM refresh_tokens r
              WHERE r.grant_id = g.grant_id AND r.expires_at > ${now} AND r.used_at IS NULL)
            OR EXISTS (SELECT 1 FROM authorization_codes c
              WHERE c.grant_id = g.grant_id AND c.expires_at > ${now} AND c.used_at IS NULL))
          UNION ALL
          SELECT client_id AS "clientId", scope, NULL AS since FROM consents
          WHERE user_id = ${userId} AND expires_at > ${now}`
        if (rows.length === 0) return []
        const applications = yield* sql<Application>`
          SELECT a.client_id AS "clientId", a.name AS name, a.active AS active,
            (SELECT MAX(e.at) FROM audit_events e WHERE e.user_id = ${userId} AND e.client_id = a.client_id
              AND e.outcome = 'success' AND ${sql.in("e.action", useActions)}) AS "tokensAt",
            (SELECT MAX(t.created_at) FROM tasks t WHERE t.user_id = ${userId} AND t.client_id = a.client_id) AS "taskAt"
          FROM applications a WHERE ${sql.in("a.client_id", [...new Set(rows.map(({ clientId }) => clientId))])}`
        return applications
          .map((application) =>
            toConnectedApp(
              application,
              rows.filter(({ clientId }) => clientId === application.clientId)
            )
          )
          .sort((a, b) => a.name.localeCompare(b.name) || (a.clientId < b.clientId ? -1 : 1))
      }, Effect.orDie),

      disconnect: Effect.fn("ConnectedApps.disconnect")(
        function* ({ clientId, userId }) {
          const isPair = sql`user_id = ${userId} AND client_id = ${clientId}`
          yield* UserLock.take(sql, userId)
          const now = yield* Clock.currentTimeMillis
          const revoked = yield* sql`UPDATE grants SET revoked_at = ${now}
            WHERE ${isPair} AND revoked_at IS NULL RETURNING grant_id`
          const deletedConsents = yield* sql`DELETE FROM consents WHERE ${isPair} RETURNING client_id`
          // Devices that the user allowed but that have not fetched their tokens yet.
          const devices = yield* sql`UPDATE device_codes SET used_at = ${now}
            WHERE ${isPair} AND used_at IS NULL RETURNING client_id`
          if (revoked.length + deletedConsents.length + devices.length === 0) return false
          yield* audit.record({ action: "revoked", outcome: "success", userId, clientId })
          return true
        },
        sql.withTransaction,
        Effect.orDie
      )
    }
  })
)

interface Row {
  readonly clientId: string
  readonly scope: string
  readonly since: number | null
}

interface Application {
  readonly clientId: string
  readonly name: string
  readonly active: number
  readonly tokensAt: number | null
  readonly taskAt: number | null
}

/** The events that count as use of an application. */
const useActions = ["token_issued", "refreshed", "device_token_issued", "redeemed"]

const toConnectedApp = (application: Application, rows: ReadonlyArray<Row>): ConnectedApp => ({
  clientId: application.clientId,
  name: application.name,
  active: application.active === 1,
  scopes: new Set(rows.flatMap(({ scope }) => [...decodeScopes(scope)])),
  since: pickTime(
    Math.min,
    rows.map(({ since }) => since)
  ),
  lastUsed: pickTime(Math.max, [application.tokensAt, application.taskAt])
})

const pickTime = (pick: (...times: ReadonlyArray<number>) => number, times: ReadonlyArray<number | null>) => {
  const recorded = times.filter((time) => time !== null)
  return recorded.length === 0 ? undefined : pick(...recorded.map(Number))
}

const decodeScopes = Schema.decodeSync(ScopeSet)
