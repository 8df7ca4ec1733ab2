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

/** An authorization code that belongs to nobody yet, with the request that it answers and the code that confirms it. */
export class HeldAnswer extends Schema.Class<HeldAnswer>("@heddle/oauth/HeldAnswer")({
  askedBy: Schema.String,
  askedAs: Schema.optionalWith(Schema.String, { exact: true }),
  code: Schema.Redacted(Schema.String),
  confirmation: Schema.Redacted(Schema.String),
  request: AuthorizationRequest,
  expiresAt: Schema.Number
}) {}

/** Where answers wait for who asked to confirm them. What has ended is forgotten, with its secrets. */
export interface HeldAnswers {
  readonly add: (answer: HeldAnswer) => Effect.Effect<void, TokenStoreUnavailable>
  /** The answer to this request while it waits. */
  readonly find: (state: string) => Effect.Effect<HeldAnswer | undefined, TokenStoreUnavailable>
  /** Counts one try against everything that waits for this person, and gives what may be compared with it. */
  readonly attempt: (askedBy: string) => Effect.Effect<ReadonlyArray<Attempted>, TokenStoreUnavailable>
  /** Takes an answer away; `true` for exactly one caller. */
  readonly remove: (state: string) => Effect.Effect<boolean, TokenStoreUnavailable>
}

/** An answer with the number of tries that there have been at it. */
interface Attempted {
  readonly answer: HeldAnswer
  readonly tries: number
}

/** How often a code may be typed. */
export const mostTries = 5

/** Answers that end with the process. */
export const makeMemory = (): HeldAnswers => {
  const rows = new Map<string, { answer: HeldAnswer; tries: number }>()
  const open = Effect.map(Clock.currentTimeMillis, (now) => {
    for (const [state, row] of rows) if (row.answer.expiresAt <= now) rows.delete(state)
    return rows
  })
  return {
    add: (answer) => Effect.map(open, () => void rows.set(answer.request.state, { answer, tries: 0 })),
    find: (state) => Effect.map(open, () => rows.get(state)?.answer),
    attempt: (askedBy) =>
      Effect.map(open, () =>
        [...rows.values()].flatMap((row) => {
          if (row.answer.askedBy !== askedBy || row.tries >= mostTries) return []
          row.tries += 1
          return [{ ...row }]
        })
      ),
    remove: (state) => Effect.sync(() => rows.delete(state))
  }
}

/** Creates the table `oauth_held_answers` unless it is there; times are epoch milliseconds. */
export const migrate: Effect.Effect<void, SqlError.SqlError, SqlClient.SqlClient> = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) =>
    sql`
    CREATE TABLE IF NOT EXISTS oauth_held_answers (
      state TEXT PRIMARY KEY,
      asked_by TEXT NOT NULL,
      answer_enc TEXT NOT NULL,
      tries INTEGER NOT NULL,
      expires_at BIGINT NOT NULL
    )`
).pipe(Effect.asVoid)

/** Answers in the table of {@link migrate}, encrypted. */
export const makeSql = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const key = yield* EncryptionKey
  const open = (row: Row) =>
    Effect.flatMap(key.open(row.answer_enc, placeOf(row.state)), (text) => read(Redacted.value(text)))

  return {
    add: (answer) =>
      Effect.gen(function* () {
        const { state } = answer.request
        const sealed = yield* key.seal(Redacted.make(write(answer)), placeOf(state))
        yield* sql`DELETE FROM oauth_held_answers WHERE expires_at <= ${yield* Clock.currentTimeMillis}`
        yield* sql`INSERT INTO oauth_held_answers ${sql.insert({
          state,
          asked_by: answer.askedBy,
          answer_enc: sealed,
          tries: 0,
          expires_at: answer.expiresAt
        })} ON CONFLICT (state) DO NOTHING`
      }).pipe(retryBusyDatabase),
    find: (state) =>
      Effect.gen(function* () {
        const [row] = yield* sql<Row>`SELECT * FROM oauth_held_answers
          WHERE state = ${state} AND expires_at > ${yield* Clock.currentTimeMillis}`
        return row === undefined ? undefined : yield* open(row)
      }).pipe(retryBusyDatabase),
    // Counted before it is compared, so that guesses at the same moment are not more than one after the other.
    attempt: (askedBy) =>
      Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        yield* sql`DELETE FROM oauth_held_answers WHERE expires_at <= ${now}`
        const rows = yield* sql<Row>`UPDATE oauth_held_answers SET tries = tries + 1
          WHERE asked_by = ${askedBy} AND tries < ${mostTries} RETURNING *`
        return yield* Effect.forEach(rows, (row) =>
          Effect.map(open(row), (answer) => ({ answer, tries: Number(row.tries) }))
        )
      }).pipe(retryBusyDatabase),
    remove: (state) =>
      sql`DELETE FROM oauth_held_answers WHERE state = ${state} RETURNING state`.pipe(
        Effect.map((rows) => rows.length > 0),
        retryBusyDatabase
      )
  } satisfies HeldAnswers
})

interface Row {
  readonly state: string
  readonly asked_by: string
  readonly answer_enc: string
  readonly tries: number | string
}

const json = Schema.parseJson(HeldAnswer)
const write = Schema.encodeSync(json)
const read = Schema.decode(json)

/** An answer cannot be moved under another state. */
const placeOf = (state: string): string => `oauth_held_answers ${state}`
