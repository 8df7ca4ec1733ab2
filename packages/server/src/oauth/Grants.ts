import * as SqlClient from "@effect/sql/SqlClient"
import type { CurrentGrant } from "@heddle/core/api/Bearer"
import { ScopeSet, type Scope } from "@heddle/core/domain/Scope"
import { Introspection, TokenResponse } from "@heddle/core/domain/Token"
import type { AccessDenied, InvalidGrant, InvalidRequest, InvalidScope, InvalidToken } from "@heddle/core/OpenApiError"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Crypto from "node:crypto"
import { Audit } from "../audit/Audit.ts"
import * as IssuedTokens from "./IssuedTokens.ts"
import * as RefreshTokens from "./RefreshTokens.ts"
import * as ApiError from "../internal/ApiError.ts"
import * as Secret from "../internal/Secret.ts"
import * as VersionedCache from "../sql/VersionedCache.ts"
import { OpenIds } from "../accounts/OpenIds.ts"
import { ServerConfig } from "../config/ServerConfig.ts"
import { DataVersion } from "../sql/DataVersion.ts"

/** What a user allowed an application. */
export interface Authorization {
  readonly clientId: string
  readonly userId: string
  readonly scopes: ReadonlySet<Scope>
}

/** A token that an application shows. */
export interface TokenOf {
  readonly clientId: string
  readonly token: Redacted.Redacted
}

/** What users have granted to applications, as codes, access tokens and refresh tokens. */
export class Grants extends Context.Tag("@heddle/server/oauth/Grants")<
  Grants,
  {
    /** Makes an authorization code, good for one exchange within ten minutes (4.1). */
    readonly authorize: (
      authorization: Authorization & { readonly redirectUri: string; readonly codeChallenge: string | undefined }
    ) => Effect.Effect<Redacted.Redacted>
    /**
     * Exchanges a code for tokens: of any number of attempts at most one succeeds. A wrong attempt does not use
     * the code up; a second right one revokes everything that the first was given (decisions 42, 43).
     */
    readonly exchange: (request: {
      readonly clientId: string
      readonly code: Redacted.Redacted
      readonly redirectUri: string
      readonly codeVerifier: Redacted.Redacted | undefined
    }) => Effect.Effect<TokenResponse, InvalidGrant | InvalidRequest>
    /** Gives a new access token for a refresh token; `scope` narrows it (decision 32). */
    readonly refresh: (request: {
      readonly clientId: string
      readonly refreshToken: Redacted.Redacted
      readonly scope: string | undefined
    }) => Effect.Effect<TokenResponse, InvalidGrant | InvalidScope>
    /**
     * Takes a token back, if it is the application's own: an access token alone, a refresh token with everything that
     * was issued beside it. Of any other token it says nothing (RFC 7009 2.2).
     */
    readonly revoke: (request: TokenOf) => Effect.Effect<void>
    /** Whether a token of this application is live, and what it is good for (RFC 7662 2.2). */
    readonly introspect: (request: TokenOf) => Effect.Effect<Introspection>
    /** Grants without asking the user, for administration. */
    readonly issue: (authorization: Authorization) => Effect.Effect<TokenResponse>
    /** Who an access token speaks for. */
    readonly verify: (
      accessToken: Redacted.Redacted
    ) => Effect.Effect<Context.Tag.Service<typeof CurrentGrant>, InvalidToken | AccessDenied>
  }
>() {}

export const layer: Layer.Layer<Grants, never, SqlClient.SqlClient | Audit | OpenIds | ServerConfig> = Layer.effect(
  Grants,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const openIds = yield* OpenIds
    const audit = yield* Audit
    const { accessTokenTtl, contract } = yield* ServerConfig
    const issuedTokens = yield* IssuedTokens.make
    const refreshTokens = yield* RefreshTokens.make

    const newGrant = Effect.fnUntraced(function* ({ clientId, userId, scopes }: Authorization) {
      const grantId = Crypto.randomUUID()
      const now = yield* Clock.currentTimeMillis
      const scope = words(scopes)
      yield* sql`INSERT INTO grants (grant_id, client_id, user_id, scope, created_at)
        VALUES (${grantId}, ${clientId}, ${userId}, ${scope}, ${now})`
      return { grantId, clientId, userId, scope }
    })

    /** Ends a grant with everything that hangs on it; false when it had ended before. */
    const end = Effect.fnUntraced(function* (grantId: string, action: "reuse_detected" | "revoked") {
      const now = yield* Clock.currentTimeMillis
      const ended = yield* sql<{ clientId: string; userId: string }>`UPDATE grants SET revoked_at = ${now}
        WHERE grant_id = ${grantId} AND revoked_at IS NULL RETURNING client_id AS "clientId", user_id AS "userId"`
      if (ended[0] === undefined) return
      yield* audit.record({ action, outcome: "success", ...ended[0] })
      if (action === "reuse_detected") {
        yield* Effect.logWarning("revoked a grant because its code or refresh token was used twice").pipe(
          Effect.annotateLogs({ grantId })
        )
      }
    }, sql.withTransaction)

    /** Ends what the user granted this application before, where only one grant may live (decision 30). */
    const endOthers = Effect.fnUntraced(function* (grant: Grant) {
      if (!contract.singleGrant) return
      const now = yield* Clock.currentTimeMillis
      // A code that nobody has exchanged yet is a newer login, not an older grant.
      yield* sql`UPDATE grants SET revoked_at = ${now}
        WHERE client_id = ${grant.clientId} AND user_id = ${grant.userId} AND grant_id <> ${grant.grantId}
          AND revoked_at IS NULL AND NOT EXISTS (SELECT 1 FROM authorization_codes c
            WHERE c.grant_id = grants.grant_id AND c.used_at IS NULL)`
    })

    const accessToken = Effect.fnUntraced(function* (grant: Grant, scope: string, life: Duration.Duration) {
      const token = Secret.generate("oa_at_")
      const now = yield* Clock.currentTimeMillis
      yield* sql`INSERT INTO access_tokens (token_hash, grant_id, scope, expires_at)
        VALUES (${Secret.hash(token)}, ${grant.grantId}, ${scope}, ${now + Duration.toMillis(life)})`
      return {
        accessToken: Redacted.make(token),
        tokenType: "Bearer",
        expiresIn: Math.floor(Duration.toSeconds(life)),
        scope: decodeScopes(scope),
        openId: openIds.of(grant.clientId, grant.userId)
      }
    })

    const tokens = Effect.fnUntraced(function* (grant: Grant) {
      yield* endOthers(grant)
      const access = yield* accessToken(grant, grant.scope, accessTokenTtl.code)
      yield* audit.record({
        action: "token_issued",
        outcome: "success",
        userId: grant.userId,
        clientId: grant.clientId
      })
      return new TokenResponse({ ...access, refreshToken: yield* refreshTokens.insert(grant.grantId) })
    })

    /** Records that a call for tokens was refused. */
    const failed =
      (action: "token_issued" | "refreshed") =>
      <A, E extends { readonly code: string }>(
        call: Effect.Effect<A, E>,
        { clientId }: { readonly clientId: string }
      ): Effect.Effect<A, E> =>
        Effect.tapError(call, ({ code }) => audit.record({ action, outcome: code, clientId }))

    const grantColumns = sql`grant_id AS "grantId", client_id AS "clientId", user_id AS "userId", scope`

    const known = VersionedCache.make(yield* DataVersion, 10_000, (tokenHash) =>
      sql<TokenRow>`SELECT g.grant_id AS "grantId", g.client_id AS "clientId", g.user_id AS "userId", t.scope AS scope, a.active AS active,
          t.expires_at AS "expiresAt"
        FROM access_tokens t
          JOIN grants g ON g.grant_id = t.grant_id
          JOIN applications a ON a.client_id = g.client_id
        WHERE t.token_hash = ${tokenHash} AND g.revoked_at IS NULL`.pipe(
        Effect.map(
          ([row]) =>
            row && {
              grant: {
                grantId: row.grantId,
                clientId: row.clientId,
                userId: row.userId,
                scopes: decodeScopes(row.scope)
              },
              active: row.active === 1,
              expiresAt: row.expiresAt
            }
        ),
        Effect.orDie
      )
    )

    return {
      authorize: Effect.fn("Grants.authorize")(function* (authorization) {
        const code = Secret.generate("oa_code_")
        const now = yield* Clock.currentTimeMillis
        yield* Effect.gen(function* () {
          const { grantId } = yield* newGrant(authorization)
          yield* sql`INSERT INTO authorization_codes (code_hash, grant_id, redirect_uri, code_challenge, expires_at)
            VALUES (${Secret.hash(code)}, ${grantId}, ${authorization.redirectUri},
              ${authorization.codeChallenge ?? null}, ${now + Duration.toMillis("10 minutes")})`
          const { clientId, userId } = authorization
          yield* audit.record({ action: "code_issued", outcome: "success", userId, clientId })
        }).pipe(sql.withTransaction)
        return Redacted.make(code)
      }, Effect.orDie),

      exchange: Effect.fn("Grants.exchange")(function* ({ clientId, code, redirectUri, codeVerifier }) {
        const codeHash = Secret.hash(Redacted.value(code))
        const challenge = codeVerifier === undefined ? null : s256(Redacted.value(codeVerifier))
        const now = yield* Clock.currentTimeMillis
        // Everything that makes the exchange right is in one statement, so that only a right one uses the code up.
        const issued = yield* Effect.gen(function* () {
          const used = yield* sql<{ grantId: string }>`UPDATE authorization_codes SET used_at = ${now}
            WHERE code_hash = ${codeHash} AND used_at IS NULL AND expires_at > ${now} AND redirect_uri = ${redirectUri}
              AND COALESCE(code_challenge, '') = ${challenge ?? ""}
              AND grant_id IN (SELECT grant_id FROM grants WHERE client_id = ${clientId} AND revoked_at IS NULL)
            RETURNING grant_id AS "grantId"`
          if (used[0] === undefined) return undefined
          const grants = yield* sql<Grant>`SELECT ${grantColumns} FROM grants WHERE grant_id = ${used[0].grantId}`
          return grants[0] === undefined ? undefined : yield* tokens(grants[0])
        }).pipe(sql.withTransaction, Effect.orDie)
        if (issued !== undefined) return issued

        const rows = yield* sql<CodeRow>`SELECT c.grant_id AS "grantId", c.redirect_uri AS "redirectUri",
            c.code_challenge AS "codeChallenge", c.used_at AS "usedAt"
          FROM authorization_codes c JOIN grants g ON g.grant_id = c.grant_id
          WHERE c.code_hash = ${codeHash} AND g.client_id = ${clientId}`.pipe(Effect.orDie)
        const row = rows[0]
        if (row === undefined) return yield* ApiError.invalidGrant("The authorization code is not valid.")
        if (row.redirectUri !== redirectUri) {
          return yield* ApiError.invalidGrant("The redirect_uri differs from the one of the authorization request.")
        }
        if (row.codeChallenge === null && challenge !== null) {
          return yield* ApiError.invalidRequest(
            "A code_verifier was sent, but the authorization request had no code_challenge."
          )
        }
        if (row.codeChallenge !== challenge) {
          return yield* ApiError.invalidGrant(
            "The code_verifier does not match the code_challenge of the authorization request."
          )
        }
        if (row.usedAt === null) return yield* ApiError.invalidGrant("The authorization code has expired.")
        yield* Effect.orDie(end(row.grantId, "reuse_detected"))
        return yield* ApiError.invalidGrant("The authorization code was used before; what it gave is revoked.")
      }, failed("token_issued")),

      refresh: Effect.fn("Grants.refresh")(function* ({ clientId, refreshToken, scope }) {
        const found = yield* Effect.orDie(refreshTokens.find(refreshToken, clientId))
        if (found === undefined) return yield* ApiError.invalidGrant("The refresh token is not valid.")
        const granted = decodeScopes(found.grant.scope)
        const wanted = scope === undefined ? granted : decodeScopes(scope)
        if ([...wanted].some((word) => !granted.has(word)) || wanted.size === 0) {
          return yield* ApiError.invalidScope("The scope exceeds what the user granted.")
        }
        const { clientId: client, userId } = found.grant
        const access = accessToken(found.grant, words(wanted), accessTokenTtl.refresh).pipe(
          Effect.zipLeft(audit.record({ action: "refreshed", outcome: "success", userId, clientId: client }))
        )
        const used = yield* refreshTokens.use(found, access).pipe(sql.withTransaction, Effect.orDie)
        if (used === undefined) {
          yield* Effect.orDie(end(found.grant.grantId, "reuse_detected"))
          return yield* ApiError.invalidGrant("The refresh token is not valid any more.")
        }
        if (used.replayed) yield* audit.record({ action: "refreshed", outcome: "replayed", userId, clientId: client })
        return used.answer
      }, failed("refreshed")),

      revoke: Effect.fn("Grants.revoke")(function* ({ clientId, token }) {
        const issued = yield* issuedTokens.find(clientId, token)
        if (issued?.kind === "refresh") return yield* end(issued.grantId, "revoked")
        if (issued?.kind === "access" && (yield* issuedTokens.dropAccess(token))) {
          yield* audit.record({ action: "revoked", outcome: "success", userId: issued.userId, clientId })
        }
      }, Effect.orDie),

      introspect: Effect.fn("Grants.introspect")(function* ({ clientId, token }) {
        const issued = yield* issuedTokens.find(clientId, token)
        if (issued?.live !== true) return new Introspection({ active: false })
        return new Introspection({
          active: true,
          scope: decodeScopes(issued.scope),
          clientId,
          exp: Math.floor(issued.expiresAt / 1000),
          sub: openIds.of(clientId, issued.userId),
          ...(issued.kind === "access" ? { tokenType: "Bearer" } : {})
        })
      }, Effect.orDie),

      issue: Effect.fn("Grants.issue")((authorization) =>
        newGrant(authorization).pipe(Effect.flatMap(tokens), sql.withTransaction, Effect.orDie)
      ),

      // Without a span of its own: it is on the way of every request.
      verify: Effect.fnUntraced(function* (token) {
        const found = yield* known(Secret.hash(Redacted.value(token)))
        if (found === undefined || found.expiresAt <= (yield* Clock.currentTimeMillis)) {
          return yield* ApiError.invalidToken("The access token is unknown, expired or revoked.")
        }
        if (!found.active) return yield* ApiError.accessDenied("The application is not active.")
        return found.grant
      })
    }
  })
)

interface Grant {
  readonly grantId: string
  readonly clientId: string
  readonly userId: string
  readonly scope: string
}

interface TokenRow extends Grant {
  readonly active: number
  readonly expiresAt: number
}

interface CodeRow {
  readonly grantId: string
  readonly redirectUri: string
  readonly codeChallenge: string | null
  readonly usedAt: number | null
}

const decodeScopes = Schema.decodeSync(ScopeSet)
const words = Schema.encodeSync(ScopeSet)

const s256 = (verifier: string): string => Crypto.createHash("sha256").update(verifier).digest("base64url")
