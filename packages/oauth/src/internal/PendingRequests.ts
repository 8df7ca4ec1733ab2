import * as SqlClient from "@effect/sql/SqlClient"
import type * as SqlError from "@effect/sql/SqlError"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import { AuthorizationRequest } from "../AuthorizationRequest.ts"
import { EncryptionKey } from "../EncryptionKey.ts"
import { TokenStoreUnavailable } from "../TokenStore.ts"

/** A request that was taken out of use, and who had asked for it. */
interface Taken {
  readonly request: AuthorizationRequest
  readonly askedBy: string
}

/** Where authorization requests wait for their callbacks. */
export interface PendingRequests {
  readonly add: (request: AuthorizationRequest, askedBy: string) => Effect.Effect<void, TokenStoreUnavailable>
  /** Gives a request to one caller only; one that `askedBy` did not ask for is unknown to them. */
  readonly take: (
    state: string,
    askedBy: string | undefined
  ) => Effect.Effect<Taken | "unknown" | "used", TokenStoreUnavailable>
}

/** Requests that end with the process. */
export const makeMemory = (): PendingRequests => {
  const rows = new Map<string, Taken & { used: boolean }>()
  return {
    add: (request, askedBy) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        for (const [state, row] of rows) if (row.request.expiresAt < now - remembered) rows.delete(state)
        rows.set(request.state, { request, askedBy, used: false })
      }),
    take: (state, askedBy) =>
      Effect.sync(() => {
        const row = rows.get(state)
        if (row === undefined || (askedBy !== undefined && askedBy !== row.askedBy)) return "unknown"
        if (row.used) return "used"
        row.used = true
        return { request: row.request, askedBy: row.askedBy }
      })
  }
}

/** Creates the table `oauth_authorization_requests` unless it is there; times are epoch milliseconds. */
export const migrate: Effect.Effect<void, SqlError.SqlError, SqlClient.SqlClient> = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) =>
    Effect.zipRight(
      sql`
    CREATE TABLE IF NOT EXISTS oauth_authorization_requests (
      state TEXT PRIMARY KEY,
      asked_by TEXT NOT NULL,
      request_enc TEXT NOT NULL,
      expires_at BIGINT NOT NULL,
      used_at BIGINT
    )`,
      sql`
    CREATE INDEX IF NOT EXISTS oauth_authorization_requests_expiry ON oauth_authorization_requests (expires_at)`
    )
).pipe(Effect.asVoid)

/** Requests in the table of {@link migrate}. */
export const makeSql = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const key = yield* EncryptionKey

  const add: PendingRequests["add"] = (request, askedBy) =>
    Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const sealed = yield* key.seal(Redacted.make(write(request)), placeOf(request.state))
      yield* sql`DELETE FROM oauth_authorization_requests WHERE expires_at < ${now - remembered}`
      yield* sql`INSERT INTO oauth_authorization_requests ${sql.insert({
        state: request.state,
        asked_by: askedBy,
        request_enc: sealed,
        expires_at: request.expiresAt
      })} ON CONFLICT (state) DO NOTHING`
    }).pipe(patiently)

  const take: PendingRequests["take"] = (state, askedBy) =>
    Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const owned = askedBy === undefined ? sql`1 = 1` : sql`asked_by = ${askedBy}`
      const [row] = yield* sql<Row>`SELECT asked_by, request_enc, used_at FROM oauth_authorization_requests
        WHERE state = ${state} AND ${owned}`
      if (row === undefined) return "unknown"
      if (row.used_at !== null) return "used"
      // Read before it is used up: with a key that is missing it is still good when the key is back.
      const request = yield* read(Redacted.value(yield* key.open(row.request_enc, placeOf(state))))
      const won = yield* sql`UPDATE oauth_authorization_requests SET used_at = ${now}
        WHERE state = ${state} AND used_at IS NULL RETURNING state`
      return won.length === 0 ? "used" : { request, askedBy: row.asked_by }
    }).pipe(patiently)

  return { add, take } satisfies PendingRequests
})

interface Row {
  readonly asked_by: string
  readonly request_enc: string
  readonly used_at: number | string | null
}

/** A database that is busy or briefly away is asked again; parameters of a failed statement are never told. */
const patiently = <A, E extends { readonly _tag: string; readonly message: string }, R>(
  effect: Effect.Effect<A, E, R>
) =>
  effect.pipe(
    Effect.retry({
      while: (error) => error._tag === "SqlError",
      schedule: Schedule.spaced("50 millis").pipe(Schedule.jittered, Schedule.upTo("5 seconds"))
    }),
    Effect.mapError(
      (error) =>
        new TokenStoreUnavailable({
          reason: error._tag === "DecryptionFailed" ? error.message : "its database does not answer as it should"
        })
    )
  )

const json = Schema.parseJson(AuthorizationRequest)
const write = Schema.encodeSync(json)
const read = Schema.decode(json)

/** A request cannot be moved under another state. */
const placeOf = (state: string): string => `oauth_authorization_requests ${state}`

/** For how long after its end a used state is told from an unknown one, in milliseconds. */
const remembered = 7 * 24 * 3_600_000
