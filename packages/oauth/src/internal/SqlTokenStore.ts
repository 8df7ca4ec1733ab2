import * as SqlClient from "@effect/sql/SqlClient"
import type * as SqlError from "@effect/sql/SqlError"
import { OpenId } from "@heddle/core/domain/OpenId"
import { ScopeSet } from "@heddle/core/domain/Scope"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { EncryptionKey } from "../EncryptionKey.ts"
import { TokenSet } from "../TokenSet.ts"
import type { StoredGrant, TokenStore, TokenStoreUnavailable } from "../TokenStore.ts"

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

/** Grants in the table of {@link migrate}, encrypted at rest. `failed` makes the error that callers see. */
export const make = (
  failed: (reason: string) => TokenStoreUnavailable
): Effect.Effect<Context.Tag.Service<TokenStore>, never, SqlClient.SqlClient | EncryptionKey> =>
  Effect.gen(function* () {
    /** Parameters of a failed statement are never told. */
    const unavailable = <A, E extends { readonly message: string; readonly _tag: string }, R>(
      effect: Effect.Effect<A, E, R>
    ): Effect.Effect<A, TokenStoreUnavailable, R> =>
      Effect.mapError(effect, (error) =>
        failed(error._tag === "DecryptionFailed" ? error.message : "its database does not answer as it should")
      )

    const sql = yield* SqlClient.SqlClient
    const key = yield* EncryptionKey

    const sealed = Effect.fnUntraced(function* (id: string, tokens: TokenSet) {
      return {
        open_id: tokens.openId ?? null,
        scope: tokens.scopes === undefined ? null : Schema.encodeSync(ScopeSet)(tokens.scopes),
        access_token_enc: yield* key.seal(tokens.accessToken, placeOf(id, "access")),
        refresh_token_enc:
          tokens.refreshToken === undefined ? null : yield* key.seal(tokens.refreshToken, placeOf(id, "refresh")),
        expires_at: tokens.expiresAt ?? null,
        obtained_at: tokens.obtainedAt,
        lease_owner: null,
        lease_until: 0,
        dead_reason: null
      }
    })

    const opened = Effect.fnUntraced(function* (row: Row) {
      const scopes = row.scope === null ? undefined : yield* Schema.decode(ScopeSet)(row.scope)
      const openId = row.open_id === null ? undefined : OpenId.make(row.open_id)
      const described = { ...(scopes === undefined ? {} : { scopes }), ...(openId === undefined ? {} : { openId }) }
      const tokens =
        row.access_token_enc === null
          ? Option.none<TokenSet>()
          : Option.some(
              new TokenSet({
                accessToken: yield* key.open(row.access_token_enc, placeOf(row.id, "access")),
                ...(row.refresh_token_enc === null
                  ? {}
                  : { refreshToken: yield* key.open(row.refresh_token_enc, placeOf(row.id, "refresh")) }),
                obtainedAt: Number(row.obtained_at),
                ...(row.expires_at === null ? {} : { expiresAt: Number(row.expires_at) }),
                ...described
              })
            )
      const grant: StoredGrant = {
        id: row.id,
        version: Number(row.version),
        tokens,
        dead: Option.fromNullable(row.dead_reason),
        scopes,
        openId,
        refresh: row.lease_owner === null ? "none" : row.lease_owner === unknownOutcome ? "lost" : "leased",
        leasedUntil: Number(row.lease_until)
      }
      return grant
    })

    const get = (id: string) =>
      Effect.flatMap(sql<Row>`SELECT * FROM oauth_grants WHERE id = ${id}`, ([row]) =>
        row === undefined ? Effect.succeedNone : Effect.asSome(opened(row))
      )
    const put = (id: string, tokens: TokenSet) =>
      Effect.flatMap(
        sealed(id, tokens),
        (values) => sql`
          INSERT INTO oauth_grants ${sql.insert({ id, version: 1, ...values })}
          ON CONFLICT (id) DO UPDATE SET ${sql.update(values)}, version = oauth_grants.version + 1`
      )
    const remove = (id: string) => sql`DELETE FROM oauth_grants WHERE id = ${id}`

    return {
      get: (id) => unavailable(get(id)),
      put: (id, tokens) => unavailable(Effect.asVoid(put(id, tokens))),
      lease: (id, version, { abandoned, now, owner, until }) =>
        sql`
          UPDATE oauth_grants SET lease_owner = ${owner}, lease_until = ${until}
          WHERE id = ${id} AND version = ${version} AND dead_reason IS NULL
            AND (lease_until <= ${now} OR lease_owner = ${owner} OR lease_until = ${abandoned ?? -1})
          RETURNING id`.pipe(Effect.map(isOne), unavailable),
      release: (id, owner, settled) =>
        sql`
          UPDATE oauth_grants SET lease_owner = ${settled ? null : unknownOutcome}, lease_until = 0
          WHERE id = ${id} AND lease_owner = ${owner}`.pipe(Effect.asVoid, unavailable),
      replace: (id, version, tokens) =>
        Effect.flatMap(
          sealed(id, tokens),
          (values) => sql`
            UPDATE oauth_grants SET ${sql.update(values)}, version = version + 1
            WHERE id = ${id} AND version = ${version} AND dead_reason IS NULL
            RETURNING id`
        ).pipe(Effect.map(isOne), unavailable),
      kill: (id, version, reason) =>
        sql`
          UPDATE oauth_grants
          SET dead_reason = ${reason}, access_token_enc = NULL, refresh_token_enc = NULL,
            lease_owner = NULL, lease_until = 0, version = version + 1
          WHERE id = ${id} AND version = ${version} AND dead_reason IS NULL
          RETURNING id`.pipe(Effect.map(isOne), unavailable),
      move: (id, to) =>
        Effect.gen(function* () {
          const tokens = Option.flatMap(yield* get(id), (grant) => grant.tokens)
          if (Option.isNone(tokens)) return false
          yield* put(to, tokens.value)
          yield* remove(id)
          return true
        }).pipe(sql.withTransaction, unavailable),
      remove: (id) => remove(id).pipe(Effect.asVoid, unavailable)
    }
  })

/** A row as the drivers give it: big integers come as text from some. */
interface Row {
  readonly id: string
  readonly open_id: string | null
  readonly scope: string | null
  readonly access_token_enc: string | null
  readonly refresh_token_enc: string | null
  readonly expires_at: number | string | null
  readonly obtained_at: number | string
  readonly version: number | string
  readonly dead_reason: string | null
  readonly lease_owner: string | null
  readonly lease_until: number | string
}

/** Stays as the owner of a lease that was given back without knowing what became of the refresh. */
const unknownOutcome = "unknown"

/** A token cannot be moved to another grant, nor a refresh token be used as an access token. */
const placeOf = (id: string, kind: "access" | "refresh"): string => `oauth_grants ${kind} ${id}`

const isOne = (rows: ReadonlyArray<unknown>): boolean => rows.length === 1
