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

/** An authorization code with the request that it answers, until its user confirms it by a one-time code. */
export class StoredConfirmation extends Schema.Class<StoredConfirmation>("@heddle/oauth/StoredConfirmation")({
  userId: Schema.String,
  userLabel: Schema.optionalWith(Schema.String, { exact: true }),
  code: Schema.Redacted(Schema.String),
  confirmationCode: Schema.Redacted(Schema.String),
  request: AuthorizationRequest,
  expiresAt: Schema.Number
}) {}

/** Stores authorizations until their users confirm them. An expired one is deleted with its secrets. */
export interface PendingConfirmations {
  readonly add: (pending: StoredConfirmation) => Effect.Effect<void, TokenStoreUnavailable>
  /** The authorization of this request while it is pending. */
  readonly find: (state: string) => Effect.Effect<StoredConfirmation | undefined, TokenStoreUnavailable>
  /** Counts one try against each pending authorization of a user, and returns those that have tries left. */
  readonly attempt: (userId: string) => Effect.Effect<ReadonlyArray<Attempt>, TokenStoreUnavailable>
  /** Removes an authorization; `true` for exactly one caller. */
  readonly remove: (state: string) => Effect.Effect<boolean, TokenStoreUnavailable>
}

/** A pending authorization with the number of tries so far. */
interface Attempt {
  readonly pending: StoredConfirmation
  readonly tries: number
}

/** How often a one-time code may be tried. */
export const maxTries = 5

/** Authorizations in memory. */
export const makeMemory = (): PendingConfirmations => {
  const rows = new Map<string, { pending: StoredConfirmation; tries: number }>()
  const open = Effect.map(Clock.currentTimeMillis, (now) => {
    for (const [state, row] of rows) if (row.pending.expiresAt <= now) rows.delete(state)
    return rows
  })
  return {
    add: (pending) => Effect.map(open, () => void rows.set(pending.request.state, { pending, tries: 0 })),
    find: (state) => Effect.map(open, () => rows.get(state)?.pending),
    attempt: (userId) =>
      Effect.map(open, () =>
        [...rows.values()].flatMap((row) => {
          if (row.pending.userId !== userId || row.tries >= maxTries) return []
          row.tries += 1
          return [{ ...row }]
        })
      ),
    remove: (state) => Effect.sync(() => rows.delete(state))
  }
}

/** Creates the table `oauth_pending_confirmations` unless it is there; times are epoch milliseconds. */
export const migrate: Effect.Effect<void, SqlError.SqlError, SqlClient.SqlClient> = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) =>
    sql`
    CREATE TABLE IF NOT EXISTS oauth_pending_confirmations (
      state TEXT PRIMARY KEY,
      user_id TEXT NOT NULL,
      authorization_enc TEXT NOT NULL,
      tries INTEGER NOT NULL,
      expires_at BIGINT NOT NULL
    )`
).pipe(Effect.asVoid)

/** Authorizations in the table of {@link migrate}, encrypted. */
export const makeSql = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const key = yield* EncryptionKey
  const open = (row: Row) =>
    Effect.flatMap(key.open(row.authorization_enc, placeOf(row.state)), (text) => read(Redacted.value(text)))

  return {
    add: (pending) =>
      Effect.gen(function* () {
        const { state } = pending.request
        const sealed = yield* key.seal(Redacted.make(write(pending)), placeOf(state))
        yield* sql`DELETE FROM oauth_pending_confirmations WHERE expires_at <= ${yield* Clock.currentTimeMillis}`
        yield* sql`INSERT INTO oauth_pending_confirmations ${sql.insert({
          state,
          user_id: pending.userId,
          authorization_enc: sealed,
          tries: 0,
          expires_at: pending.expiresAt
        })} ON CONFLICT (state) DO NOTHING`
      }).pipe(retryBusyDatabase),
    find: (state) =>
      Effect.gen(function* () {
        const [row] = yield* sql<Row>`SELECT * FROM oauth_pending_confirmations
          WHERE state = ${state} AND expires_at > ${yield* Clock.currentTimeMillis}`
        return row === undefined ? undefined : yield* open(row)
      }).pipe(retryBusyDatabase),
    // Counted before the comparison, so that simultaneous guesses are limited like successive ones.
    attempt: (userId) =>
      Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        yield* sql`DELETE FROM oauth_pending_confirmations WHERE expires_at <= ${now}`
        const rows = yield* sql<Row>`UPDATE oauth_pending_confirmations SET tries = tries + 1
          WHERE user_id = ${userId} AND tries < ${maxTries} RETURNING *`
        return yield* Effect.forEach(rows, (row) =>
          Effect.map(open(row), (pending) => ({ pending, tries: Number(row.tries) }))
        )
      }).pipe(retryBusyDatabase),
    remove: (state) =>
      sql`DELETE FROM oauth_pending_confirmations WHERE state = ${state} RETURNING state`.pipe(
        Effect.map((rows) => rows.length > 0),
        retryBusyDatabase
      )
  } satisfies PendingConfirmations
})

interface Row {
  readonly state: string
  readonly user_id: string
  readonly authorization_enc: string
  readonly tries: number | string
}

const json = Schema.parseJson(StoredConfirmation)
const write = Schema.encodeSync(json)
const read = Schema.decode(json)

/** Binds a ciphertext to its state. */
const placeOf = (state: string): string => `oauth_pending_confirmations ${state}`
