import * as SqlClient from "@effect/sql/SqlClient"
import type * as SqlError from "@effect/sql/SqlError"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { AuthorizationRequest } from "../AuthorizationRequest.ts"
import { EncryptionKey } from "../EncryptionKey.ts"
import type { TokenStoreUnavailable } from "../TokenStore.ts"
import { retryBusyDatabase } from "./DatabaseRetry.ts"

/** A request, and who had asked for it. */
export interface Asked extends Asker {
  readonly request: AuthorizationRequest
}

/** Who asks, in the caller's own words, and what people call them. */
export interface Asker {
  readonly askedBy: string
  readonly askedAs: string | undefined
}

/** Where authorization requests wait for their callbacks. */
export interface PendingRequests {
  readonly add: (request: AuthorizationRequest, asker: Asker) => Effect.Effect<void, TokenStoreUnavailable>
  /** Looks at a request that is not used yet, and leaves it as it is. */
  readonly find: (state: string) => Effect.Effect<Asked | undefined, TokenStoreUnavailable>
  /** Gives a request to one caller only; one that `askedBy` did not ask for is unknown to them. */
  readonly take: (
    state: string,
    askedBy: string | undefined
  ) => Effect.Effect<Asked | "unknown" | "used", TokenStoreUnavailable>
}

/** Requests that end with the process. */
export const makeMemory = (): PendingRequests => {
  const rows = new Map<string, Asked & { used: boolean }>()
  return {
    add: (request, asker) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        for (const [state, row] of rows) if (row.request.expiresAt < now - remembered) rows.delete(state)
        rows.set(request.state, { request, ...asker, used: false })
      }),
    find: (state) =>
      Effect.sync(() => {
        const row = rows.get(state)
        return row === undefined || row.used ? undefined : row
      }),
    take: (state, askedBy) =>
      Effect.sync(() => {
        const row = rows.get(state)
        if (row === undefined || (askedBy !== undefined && askedBy !== row.askedBy)) return "unknown"
        if (row.used) return "used"
        row.used = true
        return { request: row.request, askedBy: row.askedBy, askedAs: row.askedAs }
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

  const add: PendingRequests["add"] = (request, { askedAs, askedBy }) =>
    Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const sealed = yield* key.seal(
        Redacted.make(write(new Kept({ ...request, ...(askedAs === undefined ? {} : { askedAs }) }))),
        placeOf(request.state)
      )
      yield* sql`DELETE FROM oauth_authorization_requests WHERE expires_at < ${now - remembered}`
      yield* sql`INSERT INTO oauth_authorization_requests ${sql.insert({
        state: request.state,
        asked_by: askedBy,
        request_enc: sealed,
        expires_at: request.expiresAt
      })} ON CONFLICT (state) DO NOTHING`
    }).pipe(retryBusyDatabase)

  const opened = Effect.fnUntraced(function* (state: string, { asked_by, request_enc }: Row) {
    const { askedAs, ...request } = yield* read(Redacted.value(yield* key.open(request_enc, placeOf(state))))
    return { request: new AuthorizationRequest(request), askedBy: asked_by, askedAs }
  })

  const find: PendingRequests["find"] = (state) =>
    Effect.gen(function* () {
      const [row] = yield* sql<Row>`SELECT asked_by, request_enc, used_at FROM oauth_authorization_requests
        WHERE state = ${state} AND used_at IS NULL`
      return row === undefined ? undefined : yield* opened(state, row)
    }).pipe(retryBusyDatabase)

  const take: PendingRequests["take"] = (state, askedBy) =>
    Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const owned = askedBy === undefined ? sql`1 = 1` : sql`asked_by = ${askedBy}`
      const [row] = yield* sql<Row>`SELECT asked_by, request_enc, used_at FROM oauth_authorization_requests
        WHERE state = ${state} AND ${owned}`
      if (row === undefined) return "unknown"
      if (row.used_at !== null) return "used"
      // Read before it is used up: with a key that is missing it is still good when the key is back.
      const asked = yield* opened(state, row)
      const won = yield* sql`UPDATE oauth_authorization_requests SET used_at = ${now}
        WHERE state = ${state} AND used_at IS NULL RETURNING state`
      return won.length === 0 ? "used" : asked
    }).pipe(retryBusyDatabase)

  return { add, find, take } satisfies PendingRequests
})

interface Row {
  readonly asked_by: string
  readonly request_enc: string
  readonly used_at: number | string | null
}

/** A request as it is stored. */
class Kept extends AuthorizationRequest.extend<Kept>("@heddle/oauth/Kept")({
  askedAs: Schema.optionalWith(Schema.String, { exact: true })
}) {}

const json = Schema.parseJson(Kept)
const write = Schema.encodeSync(json)
const read = Schema.decode(json)

/** A request cannot be moved under another state. */
const placeOf = (state: string): string => `oauth_authorization_requests ${state}`

/** For how long after its end a used state is told from an unknown one, in milliseconds. */
const remembered = 7 * 24 * 3_600_000
