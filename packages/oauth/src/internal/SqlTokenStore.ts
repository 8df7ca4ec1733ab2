import * as SqlClient from "@effect/sql/SqlClient"
import type * as SqlError from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { EncryptionKey } from "../EncryptionKey.ts"
import type { TokenSet } from "../TokenSet.ts"
import { failAsUnavailable } from "./DatabaseRetry.ts"
import * as GrantRow from "./GrantRow.ts"
import type { Lease } from "./StoredGrant.ts"

/** Creates the table `oauth_grants` unless it is there; times are epoch milliseconds, tokens are encrypted text. */
export const migrate: Effect.Effect<void, SqlError.SqlError, SqlClient.SqlClient> = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql`
    CREATE TABLE IF NOT EXISTS oauth_grants (
      id TEXT PRIMARY KEY,
      open_id TEXT,
      scope TEXT,
      access_token_enc TEXT,
      refresh_token_enc TEXT,
      expires_at BIGINT,
      obtained_at BIGINT NOT NULL,
      version BIGINT NOT NULL,
      lease_owner TEXT,
      lease_until BIGINT NOT NULL,
      dead_reason TEXT
    )`
)

/** Grants in the table of {@link migrate}, encrypted at rest. */
export const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const key = yield* EncryptionKey

  const get = (id: string) =>
    Effect.flatMap(sql<GrantRow.GrantRow>`SELECT * FROM oauth_grants WHERE id = ${id}`, ([row]) =>
      row === undefined ? Effect.succeedNone : Effect.asSome(GrantRow.read(key, row))
    )
  const put = (id: string, tokens: TokenSet) =>
    Effect.flatMap(
      GrantRow.columnsOf(key, id, tokens),
      (values) => sql`
        INSERT INTO oauth_grants ${sql.insert({ id, version: 1, ...values })}
        ON CONFLICT (id) DO UPDATE SET ${sql.update(values)}, version = oauth_grants.version + 1`
    )
  const remove = (id: string) => sql`DELETE FROM oauth_grants WHERE id = ${id}`

  return {
    get: (id: string) => failAsUnavailable(get(id)),
    put: (id: string, tokens: TokenSet) => failAsUnavailable(Effect.asVoid(put(id, tokens))),
    /**
     * Gives the owner the lease of one version when the lease is free or already theirs. `abandoned` is the number of a
     * lease that its owner did not extend for its whole time. While `lease_until` still has that value, the lease was not
     * extended or taken over since, so it may be taken. No time of day decides: the clocks of processes differ.
     */
    lease: (id: string, version: number, { abandoned, owner }: Lease) =>
      sql`
        UPDATE oauth_grants SET lease_owner = ${owner}, lease_until = lease_until + 1
        WHERE id = ${id} AND version = ${version} AND dead_reason IS NULL
          AND (lease_owner IS NULL OR lease_owner IN (${GrantRow.unknownOutcome}, ${owner})
            OR lease_until = ${abandoned ?? -1})
        RETURNING id`.pipe(Effect.map(isOne), failAsUnavailable),
    /**
     * Ends the lease of an owner. Unless the outcome of the refresh is settled, `lease_owner` becomes `unknownOutcome`: the
     * next owner then knows that the service may have replaced the refresh token.
     */
    release: (id: string, owner: string, settled: boolean) =>
      sql`
        UPDATE oauth_grants SET lease_owner = ${settled ? null : GrantRow.unknownOutcome}
        WHERE id = ${id} AND lease_owner = ${owner}`.pipe(Effect.asVoid, failAsUnavailable),
    replace: (id: string, version: number, tokens: TokenSet) =>
      Effect.flatMap(
        GrantRow.columnsOf(key, id, tokens),
        (values) => sql`
          UPDATE oauth_grants SET ${sql.update(values)}, version = version + 1
          WHERE id = ${id} AND version = ${version} AND dead_reason IS NULL
          RETURNING id`
      ).pipe(Effect.map(isOne), failAsUnavailable),
    kill: (id: string, version: number, reason: string) =>
      sql`
        UPDATE oauth_grants
        SET dead_reason = ${reason}, access_token_enc = NULL, refresh_token_enc = NULL,
          lease_owner = NULL, lease_until = 0, version = version + 1
        WHERE id = ${id} AND version = ${version} AND dead_reason IS NULL
        RETURNING id`.pipe(Effect.map(isOne), failAsUnavailable),
    move: (id: string, to: string) =>
      Effect.gen(function* () {
        const tokens = Option.flatMap(yield* get(id), (grant) => grant.tokens)
        if (Option.isNone(tokens)) return false
        yield* put(to, tokens.value)
        yield* remove(id)
        return true
      }).pipe(sql.withTransaction, failAsUnavailable),
    remove: (id: string) => remove(id).pipe(Effect.asVoid, failAsUnavailable)
  }
})

const isOne = (rows: ReadonlyArray<unknown>): boolean => rows.length === 1
