import * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { TokenResponse } from "@heddle/core/domain/Token"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Crypto from "node:crypto"
import { ServerConfig } from "../config/ServerConfig.ts"
import * as Secret from "../internal/Secret.ts"
import type { Grant } from "./GrantRows.ts"

/** A live or rotated refresh token with its grant, as a refresh finds it. */
export interface Found {
  readonly token: Redacted.Redacted
  readonly grant: Grant
  readonly usedAt: number | null
  readonly replay: string | null
  readonly absoluteExpiresAt: number
  /** Whether the application has no secret: then every refresh rotates (contract decision 53). */
  readonly publicClient: number
}

/** What the use of a refresh token gives; undefined where it was used before and its grace is over. */
export type Outcome = { readonly answer: TokenResponse; readonly replayed: boolean } | undefined

type AccessPart = Omit<TokenResponse, "refreshToken">

/** For how long a rotated token still gets the answer that its holder may have lost (contract decision 31). */
const replayWindow = Duration.toMillis("60 seconds")

/** The refresh tokens of {@link Grants}: how long they live and what a refresh does to them. */
export const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { contract, refreshTokenTtl } = yield* ServerConfig
  const { refreshTokenOnRefresh } = contract
  const idle = Duration.toMillis(refreshTokenTtl.idle)

  const insert = Effect.fnUntraced(function* (grantId: string, absolute?: number) {
    const token = Secret.generate("oa_rt_")
    const now = yield* Clock.currentTimeMillis
    const absoluteExpiresAt = absolute ?? now + Duration.toMillis(refreshTokenTtl.absolute)
    yield* sql`INSERT INTO refresh_tokens (token_hash, grant_id, expires_at, absolute_expires_at)
      VALUES (${Secret.hash(token)}, ${grantId}, ${Math.min(now + idle, absoluteExpiresAt)}, ${absoluteExpiresAt})`
    return Redacted.make(token)
  })

  const find = Effect.fnUntraced(function* (token: Redacted.Redacted, clientId: string) {
    const now = yield* Clock.currentTimeMillis
    const rows = yield* sql<Grant & Omit<Found, "grant" | "token">>`
      SELECT r.grant_id AS "grantId", g.client_id AS "clientId", g.user_id AS "userId", g.scope AS scope,
        r.used_at AS "usedAt", r.replay AS replay, r.absolute_expires_at AS "absoluteExpiresAt",
        a.public AS "publicClient"
      FROM refresh_tokens r
        JOIN grants g ON g.grant_id = r.grant_id
        JOIN applications a ON a.client_id = g.client_id
      WHERE r.token_hash = ${Secret.hash(Redacted.value(token))} AND r.expires_at > ${now}
        AND g.client_id = ${clientId} AND g.revoked_at IS NULL`
    if (rows[0] === undefined) return undefined
    const { absoluteExpiresAt, publicClient, replay, usedAt, ...grant } = rows[0]
    return { token, grant, usedAt, replay, absoluteExpiresAt, publicClient } satisfies Found
  })

  /** Rotates: the first use wins, a repeat within the window gets the same answer, a later one is theft. */
  const rotate = Effect.fnUntraced(function* (found: Found, access: Effect.Effect<AccessPart, SqlError>) {
    const now = yield* Clock.currentTimeMillis
    const oldHash = Secret.hash(Redacted.value(found.token))
    const key = replayKey(found.token)
    const won = yield* sql`UPDATE refresh_tokens SET used_at = ${now}
      WHERE token_hash = ${oldHash} AND used_at IS NULL RETURNING grant_id`
    if (won.length > 0) {
      const refreshToken = yield* insert(found.grant.grantId, found.absoluteExpiresAt)
      const answer = new TokenResponse({ ...(yield* access), refreshToken })
      yield* sql`UPDATE refresh_tokens SET replay = ${Secret.seal(key, encodeAnswer(answer))} WHERE token_hash = ${oldHash}`
      return { answer, replayed: false }
    }
    return yield* again(found)
  })

  /** What a rotated token gave, while its holder may have lost that. */
  const again = Effect.fnUntraced(function* ({ token }: Found) {
    const now = yield* Clock.currentTimeMillis
    const rows = yield* sql<{ usedAt: number | null; replay: string | null }>`
      SELECT used_at AS "usedAt", replay FROM refresh_tokens WHERE token_hash = ${Secret.hash(Redacted.value(token))}`
    const { replay, usedAt } = rows[0] ?? { replay: null, usedAt: null }
    if (usedAt === null || replay === null || now - usedAt > replayWindow) return undefined
    const opened = Secret.open(replayKey(token), replay)
    return opened === undefined ? undefined : { answer: decodeAnswer(opened), replayed: true }
  })

  /** Keeps the token and moves its idle end forward. */
  const keep = Effect.fnUntraced(function* (found: Found, access: Effect.Effect<AccessPart, SqlError>) {
    const now = yield* Clock.currentTimeMillis
    const kept = yield* sql`UPDATE refresh_tokens SET expires_at = ${Math.min(now + idle, found.absoluteExpiresAt)}
      WHERE token_hash = ${Secret.hash(Redacted.value(found.token))} AND used_at IS NULL RETURNING grant_id`
    // Rotated before the service stopped rotating: its holder may still have lost the answer.
    if (kept.length === 0) return yield* again(found)
    const given = yield* access
    const answer = new TokenResponse(refreshTokenOnRefresh === "same" ? { ...given, refreshToken: found.token } : given)
    return { answer, replayed: false }
  })

  const use = (found: Found, access: Effect.Effect<AccessPart, SqlError>): Effect.Effect<Outcome, SqlError> =>
    refreshTokenOnRefresh === "rotate" || found.publicClient === 1 ? rotate(found, access) : keep(found, access)

  return { insert, find, use }
})

// The old token itself is the key material, so the database alone does not reveal the replayed response.
const replayKey = (token: Redacted.Redacted): Uint8Array =>
  new Uint8Array(Crypto.hkdfSync("sha256", Redacted.value(token), new Uint8Array(0), "heddle-server replay", 32))

const encodeAnswer = Schema.encodeSync(Schema.parseJson(TokenResponse))
const decodeAnswer = Schema.decodeSync(Schema.parseJson(TokenResponse))
