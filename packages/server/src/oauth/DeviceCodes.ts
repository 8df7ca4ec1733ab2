import * as SqlClient from "@effect/sql/SqlClient"
import type { Scope } from "@heddle/core/domain/Scope"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Crypto from "node:crypto"
import { MasterKey } from "../config/MasterKey.ts"
import * as Secret from "../internal/Secret.ts"
import { decodeScopes, encodeScopes } from "./GrantRows.ts"
import * as UserCode from "./UserCode.ts"

/** How long a device code and its user code live (RFC 8628 3.2). */
export const codeLife = Duration.minutes(10)

/** The initial interval between two polls of a device. */
export const interval = Duration.seconds(5)

/** A device code as its device presents it. */
export interface PresentedDeviceCode {
  readonly clientId: string
  readonly deviceCode: Redacted.Redacted
}

/** A device's request for authorization; `decision` is null until its user decides. */
export interface DeviceRequest {
  readonly clientId: string
  readonly scopes: ReadonlySet<Scope>
  readonly decision: string | null
}

/** The rows of device codes. */
export const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const userCodeKey = (yield* MasterKey).derive("user codes")
  // Keyed, because all user codes could be tried against a plain hash.
  const hashOf = (userCode: string) =>
    Crypto.createHmac("sha256", userCodeKey).update(UserCode.normalise(userCode)).digest("hex")
  const isCodeOf = ({ clientId, deviceCode }: PresentedDeviceCode) =>
    sql`device_code_hash = ${Secret.hash(Redacted.value(deviceCode))} AND client_id = ${clientId}`

  const insert = Effect.fnUntraced(function* (clientId: string, scopes: ReadonlySet<Scope>) {
    const deviceCode = Secret.generate("oa_dc_")
    const expiresAt = (yield* Clock.currentTimeMillis) + Duration.toMillis(codeLife)
    const tryInsert = Effect.suspend(() => {
      const userCode = UserCode.generate()
      return sql`INSERT INTO device_codes (device_code_hash, user_code_hash, client_id, scope, interval_seconds,
          hurried, expires_at)
        VALUES (${Secret.hash(deviceCode)}, ${hashOf(userCode)}, ${clientId}, ${encodeScopes(scopes)},
          ${Duration.toSeconds(interval)}, 0, ${expiresAt})
        ON CONFLICT (user_code_hash) DO NOTHING RETURNING client_id`.pipe(
        Effect.map((rows) => (rows.length === 0 ? undefined : userCode))
      )
    })
    // Another device may have the same user code now.
    const userCode = yield* Effect.repeat(tryInsert, { until: (code) => code !== undefined, times: maxUserCodeTries })
    if (userCode === undefined) return yield* Effect.dieMessage("no user code is free")
    return { deviceCode: Redacted.make(deviceCode), userCode }
  })

  /** The request of a user code, unless it has expired. */
  const find = Effect.fnUntraced(function* (userCode: string) {
    const now = yield* Clock.currentTimeMillis
    const rows = yield* sql<Row>`SELECT client_id AS "clientId", scope, decision FROM device_codes
      WHERE user_code_hash = ${hashOf(userCode)} AND expires_at > ${now}`
    if (rows[0] === undefined) return undefined
    const { clientId, decision, scope } = rows[0]
    return { clientId, decision, scopes: decodeScopes(scope) } satisfies DeviceRequest
  })

  /** Stores the user's decision; false if there is one already. */
  const decide = Effect.fnUntraced(function* (userCode: string, userId: string, allow: boolean) {
    const now = yield* Clock.currentTimeMillis
    const rows = yield* sql`UPDATE device_codes SET decision = ${allow ? "allowed" : "denied"}, user_id = ${userId}
      WHERE user_code_hash = ${hashOf(userCode)} AND expires_at > ${now} AND decision IS NULL RETURNING client_id`
    return rows.length > 0
  })

  /** Redeems an allowed code and returns its user and scopes. */
  const redeem = Effect.fnUntraced(function* (presented: PresentedDeviceCode) {
    const now = yield* Clock.currentTimeMillis
    const used = yield* sql<{ userId: string; scope: string }>`UPDATE device_codes SET used_at = ${now}
      WHERE ${isCodeOf(presented)} AND decision = 'allowed' AND used_at IS NULL AND expires_at > ${now}
      RETURNING user_id AS "userId", scope`
    return used[0] === undefined ? undefined : { userId: used[0].userId, scopes: decodeScopes(used[0].scope) }
  })

  /**
   * Counts a poll for a code without decision; polling too early makes its interval five seconds longer (contract
   * decision 48).
   */
  const poll = Effect.fnUntraced(function* (presented: PresentedDeviceCode) {
    const now = yield* Clock.currentTimeMillis
    // Half a second of tolerance, because network delays differ. Below zero the clock was set back.
    const isTooEarly = sql`(CASE WHEN polled_at IS NOT NULL AND ${now} - polled_at >= 0
        AND ${now} - polled_at < interval_seconds * 1000 - 500 THEN 1 ELSE 0 END)`
    // The column `hurried` says that this poll came too early.
    const rows = yield* sql<{ hurried: number; seconds: number }>`UPDATE device_codes SET polled_at = ${now},
        hurried = ${isTooEarly}, interval_seconds = interval_seconds + 5 * ${isTooEarly}
      WHERE ${isCodeOf(presented)} AND decision IS NULL AND expires_at > ${now}
      RETURNING hurried, interval_seconds AS seconds`
    return rows[0] === undefined ? undefined : { isTooEarly: rows[0].hurried === 1, seconds: rows[0].seconds }
  })

  /** The decision about a code, even an expired or used one; undefined if the application has no such code. */
  const decisionOf = (presented: PresentedDeviceCode) =>
    Effect.map(
      sql<{ decision: string | null }>`SELECT decision FROM device_codes WHERE ${isCodeOf(presented)}`,
      ([row]) => row
    )

  return { insert, find, decide, redeem, poll, decisionOf }
})

/** How often a user code is made again if it is taken. */
const maxUserCodeTries = 20

interface Row {
  readonly clientId: string
  readonly scope: string
  readonly decision: string | null
}
