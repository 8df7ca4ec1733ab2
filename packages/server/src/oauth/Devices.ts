import * as SqlClient from "@effect/sql/SqlClient"
import { ScopeSet, type Scope } from "@heddle/core/domain/Scope"
import type { TokenResponse } from "@heddle/core/domain/Token"
import type {
  AccessDenied,
  AuthorizationPending,
  Conflict,
  ExpiredToken,
  InvalidGrant,
  NotFound,
  RateLimited,
  SlowDown
} from "@heddle/core/OpenApiError"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Crypto from "node:crypto"
import { Applications, type Application } from "./Applications.ts"
import { Audit } from "../audit/Audit.ts"
import { Grants } from "./Grants.ts"
import * as Attempts from "../limits/Attempts.ts"
import * as ApiError from "../internal/ApiError.ts"
import * as Secret from "../internal/Secret.ts"
import * as UserCode from "./UserCode.ts"
import { MasterKey } from "../config/MasterKey.ts"

/** What a device was given: the code that it polls with and the one that its user types. */
export interface Started {
  readonly deviceCode: Redacted.Redacted
  readonly userCode: string
}

/** What a device asks its user. */
export interface Question {
  readonly application: Application
  readonly scopes: ReadonlySet<Scope>
}

/** Somebody who typed a user code. */
export interface Typed {
  readonly userCode: string
  readonly userId: string
}

/** Authorization of devices that have no browser (RFC 8628): the device polls while its user decides elsewhere. */
export class Devices extends Context.Tag("@heddle/server/oauth/Devices")<
  Devices,
  {
    /** Makes a device code and a user code, both good for ten minutes. */
    readonly start: (asked: {
      readonly clientId: string
      readonly scopes: ReadonlySet<Scope>
    }) => Effect.Effect<Started>
    /**
     * What a user code stands for; `Conflict` when it was answered before. After ten wrong codes in ten minutes it
     * refuses this user without looking.
     */
    readonly question: (typed: Typed) => Effect.Effect<Question, NotFound | Conflict | RateLimited>
    /** Takes the user's answer, once. */
    readonly decide: (
      typed: Typed & { readonly allow: boolean }
    ) => Effect.Effect<void, NotFound | Conflict | RateLimited>
    /**
     * Gives a device its tokens, once, after its user has allowed it. Until then it fails with what RFC 8628 3.5 says;
     * polling too early makes the interval of this code five seconds longer for good (decision 48).
     */
    readonly poll: (request: {
      readonly clientId: string
      readonly deviceCode: Redacted.Redacted
    }) => Effect.Effect<TokenResponse, AuthorizationPending | SlowDown | ExpiredToken | InvalidGrant | AccessDenied>
  }
>() {}

/** How long both codes live. */
export const codeLife = Duration.minutes(10)

/** How long a device waits between two polls at first. */
export const interval = Duration.seconds(5)

export const layer: Layer.Layer<Devices, never, SqlClient.SqlClient | Applications | Audit | Grants | MasterKey> =
  Layer.effect(
    Devices,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const applications = yield* Applications
      const audit = yield* Audit
      const grants = yield* Grants
      const key = (yield* MasterKey).derive("user codes")
      const attempts = Attempts.make({ limit: 10, windowMillis: Duration.toMillis("10 minutes") })
      // Keyed, because user codes are short enough to try them all.
      const hashOf = (userCode: string) => Crypto.createHmac("sha256", key).update(userCode).digest("hex")

      const question = Effect.fn("Devices.question")(function* ({ userCode, userId }: Typed) {
        const now = yield* Clock.currentTimeMillis
        const wait = attempts.wait(userId, now)
        if (wait !== undefined) return yield* ApiError.rateLimited("Too many wrong codes.", Math.ceil(wait / 1000))
        const rows = yield* sql<Row>`SELECT client_id AS "clientId", scope, decision FROM device_codes
          WHERE user_code_hash = ${hashOf(UserCode.normalise(userCode))} AND expires_at > ${now}`.pipe(Effect.orDie)
        const row = rows[0]
        const application =
          row === undefined
            ? undefined
            : yield* Effect.flatten(applications.get(row.clientId)).pipe(
                Effect.filterOrElse(
                  ({ active }) => active,
                  () => Effect.succeed(undefined)
                ),
                Effect.orElseSucceed(() => undefined)
              )
        if (row === undefined || application === undefined) {
          attempts.fail(userId, now)
          return yield* ApiError.notFound("This code is unknown or has expired.")
        }
        if (row.decision !== null) return yield* ApiError.conflict("This code was answered already.")
        return { application, scopes: decodeScopes(row.scope) }
      })

      return {
        start: Effect.fn("Devices.start")(
          function* ({ clientId, scopes }) {
            const deviceCode = Secret.generate("oa_dc_")
            const expiresAt = (yield* Clock.currentTimeMillis) + Duration.toMillis(codeLife)
            const insert = Effect.suspend(() => {
              const userCode = UserCode.generate()
              return sql`INSERT INTO device_codes (device_code_hash, user_code_hash, client_id, scope, interval_seconds,
                hurried, expires_at)
              VALUES (${Secret.hash(deviceCode)}, ${hashOf(userCode)}, ${clientId}, ${encodeScopes(scopes)},
                ${Duration.toSeconds(interval)}, 0, ${expiresAt})
              ON CONFLICT (user_code_hash) DO NOTHING RETURNING client_id`.pipe(
                Effect.map((rows) => (rows.length === 0 ? undefined : userCode))
              )
            })
            // Another device may hold the same code just now; a second draw does not meet a third.
            const userCode = yield* Effect.repeat(insert, { until: (code) => code !== undefined, times: 20 })
            if (userCode === undefined) return yield* Effect.dieMessage("no user code is free")
            yield* audit.record({ action: "device_requested", outcome: "success", clientId })
            return { deviceCode: Redacted.make(deviceCode), userCode }
          },
          sql.withTransaction,
          Effect.orDie
        ),

        question,

        decide: Effect.fn("Devices.decide")(function* ({ allow, userCode, userId }) {
          const { application } = yield* question({ userCode, userId })
          const now = yield* Clock.currentTimeMillis
          const decided = yield* Effect.gen(function* () {
            const rows =
              yield* sql`UPDATE device_codes SET decision = ${allow ? "allowed" : "denied"}, user_id = ${userId}
              WHERE user_code_hash = ${hashOf(UserCode.normalise(userCode))} AND expires_at > ${now}
                AND decision IS NULL RETURNING client_id`
            if (rows.length === 0) return false
            yield* audit.record({
              action: "device_decided",
              outcome: allow ? "success" : "access_denied",
              userId,
              clientId: application.clientId
            })
            return true
          }).pipe(sql.withTransaction, Effect.orDie)
          if (!decided) return yield* ApiError.conflict("This code was answered already.")
        }),

        poll: Effect.fn("Devices.poll")(function* ({ clientId, deviceCode }) {
          const now = yield* Clock.currentTimeMillis
          const mine = sql`device_code_hash = ${Secret.hash(Redacted.value(deviceCode))} AND client_id = ${clientId}`
          // The write comes first: it makes processes on the same data take turns.
          const answer = yield* Effect.gen(function* () {
            const used = yield* sql<{ userId: string; scope: string }>`UPDATE device_codes SET used_at = ${now}
              WHERE ${mine} AND decision = 'allowed' AND used_at IS NULL AND expires_at > ${now}
              RETURNING user_id AS "userId", scope`
            if (used[0] === undefined) return undefined
            const { scope, userId } = used[0]
            yield* audit.record({ action: "device_token_issued", outcome: "success", userId, clientId })
            return yield* grants.issue({ clientId, userId, scopes: decodeScopes(scope) })
          }).pipe(sql.withTransaction, Effect.orDie)
          if (answer !== undefined) return answer

          const pending = yield* sql<{ hurried: number; seconds: number }>`UPDATE device_codes SET polled_at = ${now},
              hurried = ${early(now)}, interval_seconds = interval_seconds + 5 * ${early(now)}
            WHERE ${mine} AND decision IS NULL AND expires_at > ${now}
            RETURNING hurried, interval_seconds AS seconds`.pipe(Effect.orDie)
          if (pending[0]?.hurried === 1) {
            return yield* ApiError.slowDown(`Polled too early: wait ${pending[0].seconds} seconds from now on.`)
          }
          if (pending[0] !== undefined) return yield* ApiError.authorizationPending("The user has not answered yet.")

          const rows = yield* sql<{ decision: string | null }>`SELECT decision FROM device_codes WHERE ${mine}`.pipe(
            Effect.orDie
          )
          if (rows[0] === undefined) return yield* ApiError.invalidGrant("The device code is not valid.")
          if (rows[0].decision === "denied") return yield* ApiError.accessDenied("The user did not allow it.")
          return yield* ApiError.expiredToken("The device code has expired or was used already.")
        })
      }

      // A little less than the interval is not too early: answers travel with different speed.
      function early(now: number) {
        return sql`(CASE WHEN polled_at IS NOT NULL AND ${now} - polled_at < interval_seconds * 1000 - 500 THEN 1 ELSE 0 END)`
      }
    })
  )

interface Row {
  readonly clientId: string
  readonly scope: string
  readonly decision: string | null
}

const decodeScopes = Schema.decodeSync(ScopeSet)
const encodeScopes = Schema.encodeSync(ScopeSet)
