import * as SqlClient from "@effect/sql/SqlClient"
import type * as SqlError from "@effect/sql/SqlError"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { AuthorizationRequest } from "../AuthorizationRequest.ts"
import { EncryptionKey } from "../EncryptionKey.ts"
import type { TokenStoreUnavailable } from "./StoredGrant.ts"
import { retryBusyDatabase } from "./DatabaseRetry.ts"

/** The user that a request belongs to: their id at the caller, and the caller's text about them. */
export interface Requester {
  readonly userId: string
  readonly userLabel: string | undefined
}

/** An authorization request with its user. */
export interface PendingRequest extends Requester {
  readonly request: AuthorizationRequest
}

/** Where authorization requests wait for their callbacks. */
export interface PendingRequests {
  readonly add: (request: AuthorizationRequest, requester: Requester) => Effect.Effect<void, TokenStoreUnavailable>
  /** Finds a request that is not used yet, and leaves it as it is. */
  readonly find: (state: string) => Effect.Effect<PendingRequest | undefined, TokenStoreUnavailable>
  /** Gives a request to one caller only; a request of another user than `userId` is unknown. */
  readonly take: (
    state: string,
    userId: string | undefined
  ) => Effect.Effect<PendingRequest | "unknown" | "used", TokenStoreUnavailable>
}

/** Requests that end with the process. */
export const makeMemory = (): PendingRequests => {
  const rows = new Map<string, PendingRequest & { used: boolean }>()
  return {
    add: (request, requester) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        for (const [state, row] of rows) if (row.request.expiresAt < now - remembered) rows.delete(state)
        rows.set(request.state, { request, ...requester, used: false })
      }),
    find: (state) =>
      Effect.sync(() => {
        const row = rows.get(state)
        return row === undefined || row.used ? undefined : row
      }),
    take: (state, userId) =>
      Effect.sync(() => {
        const row = rows.get(state)
        if (row === undefined || (userId !== undefined && userId !== row.userId)) return "unknown"
        if (row.used) return "used"
        row.used = true
        return { request: row.request, userId: row.userId, userLabel: row.userLabel }
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
      user_id TEXT NOT NULL,
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

  const add: PendingRequests["add"] = (request, { userLabel, userId }) =>
    Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const sealed = yield* key.seal(
        Redacted.make(write(new StoredRequest({ ...request, ...(userLabel === undefined ? {} : { userLabel }) }))),
        placeOf(request.state)
      )
      yield* sql`DELETE FROM oauth_authorization_requests WHERE expires_at < ${now - remembered}`
      yield* sql`INSERT INTO oauth_authorization_requests ${sql.insert({
        state: request.state,
        user_id: userId,
        request_enc: sealed,
        expires_at: request.expiresAt
      })} ON CONFLICT (state) DO NOTHING`
    }).pipe(retryBusyDatabase)

  const opened = Effect.fnUntraced(function* (state: string, { user_id, request_enc }: Row) {
    const { userLabel, ...request } = yield* read(Redacted.value(yield* key.open(request_enc, placeOf(state))))
    return { request: new AuthorizationRequest(request), userId: user_id, userLabel }
  })

  const find: PendingRequests["find"] = (state) =>
    Effect.gen(function* () {
      const [row] = yield* sql<Row>`SELECT user_id, request_enc, used_at FROM oauth_authorization_requests
        WHERE state = ${state} AND used_at IS NULL`
      return row === undefined ? undefined : yield* opened(state, row)
    }).pipe(retryBusyDatabase)

  const take: PendingRequests["take"] = (state, userId) =>
    Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const owned = userId === undefined ? sql`1 = 1` : sql`user_id = ${userId}`
      const [row] = yield* sql<Row>`SELECT user_id, request_enc, used_at FROM oauth_authorization_requests
        WHERE state = ${state} AND ${owned}`
      if (row === undefined) return "unknown"
      if (row.used_at !== null) return "used"
      // Decrypted before it is marked as used: without its key it stays good until the key is back.
      const pending = yield* opened(state, row)
      const won = yield* sql`UPDATE oauth_authorization_requests SET used_at = ${now}
        WHERE state = ${state} AND used_at IS NULL RETURNING state`
      return won.length === 0 ? "used" : pending
    }).pipe(retryBusyDatabase)

  return { add, find, take } satisfies PendingRequests
})

interface Row {
  readonly user_id: string
  readonly request_enc: string
  readonly used_at: number | string | null
}

/** A request as it is stored. */
class StoredRequest extends AuthorizationRequest.extend<StoredRequest>("@heddle/oauth/StoredRequest")({
  userLabel: Schema.optionalWith(Schema.String, { exact: true })
}) {}

const json = Schema.parseJson(StoredRequest)
const write = Schema.encodeSync(json)
const read = Schema.decode(json)

/** A request cannot be moved under another state. */
const placeOf = (state: string): string => `oauth_authorization_requests ${state}`

/** How long after its end a used state is distinguished from an unknown one, in milliseconds. */
const remembered = 7 * 24 * 3_600_000
