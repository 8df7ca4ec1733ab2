import * as SqlClient from "@effect/sql/SqlClient"
import type { CurrentGrant } from "@heddle/core/api/Bearer"
import type { Scope } from "@heddle/core/domain/Scope"
import { Introspection, TokenResponse } from "@heddle/core/domain/Token"
import type { AccessDenied, InvalidGrant, InvalidRequest, InvalidScope, InvalidToken } from "@heddle/core/OpenApiError"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import { OpenIds } from "../accounts/OpenIds.ts"
import { Audit } from "../audit/Audit.ts"
import { ServerConfig } from "../config/ServerConfig.ts"
import * as ApiError from "../internal/ApiError.ts"
import * as AccessTokens from "./AccessTokens.ts"
import * as AuthorizationCodes from "./AuthorizationCodes.ts"
import * as GrantRows from "./GrantRows.ts"
import * as IssuedTokens from "./IssuedTokens.ts"
import * as RefreshTokens from "./RefreshTokens.ts"

/** The scopes that a user granted to an application. */
export interface Authorization {
  readonly clientId: string
  readonly userId: string
  readonly scopes: ReadonlySet<Scope>
}

/** A token that an application presents. */
export interface PresentedToken {
  readonly clientId: string
  readonly token: Redacted.Redacted
}

/** The grants of users to applications, as codes, access tokens and refresh tokens. */
export class Grants extends Context.Tag("@heddle/server/oauth/Grants")<
  Grants,
  {
    /** Makes an authorization code, valid for one exchange within ten minutes (contract 4.1). */
    readonly authorize: (
      authorization: Authorization & { readonly redirectUri: string; readonly codeChallenge: string | undefined }
    ) => Effect.Effect<Redacted.Redacted>
    /**
     * Exchanges a code for tokens, at most once. An invalid attempt does not use up the code; a second valid attempt
     * revokes all tokens of the first (contract decisions 42, 43).
     */
    readonly exchange: (
      request: AuthorizationCodes.PresentedCode
    ) => Effect.Effect<TokenResponse, InvalidGrant | InvalidRequest>
    /** Issues a new access token for a refresh token; `scope` narrows it (contract decision 32). */
    readonly refresh: (request: {
      readonly clientId: string
      readonly refreshToken: Redacted.Redacted
      readonly scope: string | undefined
    }) => Effect.Effect<TokenResponse, InvalidGrant | InvalidScope>
    /**
     * Revokes a token of the application: an access token alone, a refresh token with all tokens of its grant. Succeeds
     * for any other token too (RFC 7009 2.2).
     */
    readonly revoke: (request: PresentedToken) => Effect.Effect<void>
    /** The state and scopes of a token of this application (RFC 7662 2.2). */
    readonly introspect: (request: PresentedToken) => Effect.Effect<Introspection>
    /** Issues tokens without the user's consent, for administration. */
    readonly issue: (authorization: Authorization) => Effect.Effect<TokenResponse>
    /** The grant of an access token. */
    readonly verify: (
      accessToken: Redacted.Redacted
    ) => Effect.Effect<Context.Tag.Service<typeof CurrentGrant>, InvalidToken | AccessDenied>
  }
>() {}

export const layer: Layer.Layer<Grants, never, SqlClient.SqlClient | Audit | OpenIds | ServerConfig> = Layer.effect(
  Grants,
  Effect.gen(function* () {
    const services: GrantServices = {
      sql: yield* SqlClient.SqlClient,
      audit: yield* Audit,
      config: yield* ServerConfig,
      openIds: yield* OpenIds,
      grants: yield* GrantRows.make,
      codes: yield* AuthorizationCodes.make,
      accessTokens: yield* AccessTokens.make,
      refreshTokens: yield* RefreshTokens.make,
      issuedTokens: yield* IssuedTokens.make
    }
    const { accessTokens, audit, codes, grants, sql } = services
    return {
      authorize: Effect.fn("Grants.authorize")(
        function* (authorization) {
          const { clientId, userId } = authorization
          const { grantId } = yield* grants.insert(authorization)
          const code = yield* codes.insert(grantId, authorization)
          yield* audit.record({ action: "code_issued", outcome: "success", userId, clientId })
          return code
        },
        sql.withTransaction,
        Effect.orDie
      ),

      exchange: exchange(services),
      refresh: refresh(services),
      revoke: revoke(services),
      introspect: introspect(services),

      issue: Effect.fn("Grants.issue")((authorization) =>
        grants.insert(authorization).pipe(
          Effect.flatMap((grant) => issue(services, grant)),
          sql.withTransaction,
          Effect.orDie
        )
      ),

      // Without a span: it runs for every request.
      verify: (token) =>
        Effect.flatMap(accessTokens.find(token), (stored) =>
          Effect.clockWith((clock): ReturnType<Grants["Type"]["verify"]> => {
            if (stored === undefined || stored.expiresAt <= clock.unsafeCurrentTimeMillis()) {
              return ApiError.invalidToken("The access token is unknown, expired or revoked.")
            }
            return stored.active
              ? Effect.succeed(stored.grant)
              : ApiError.accessDenied("The application is not active.")
          })
        )
    }
  })
)

/** The services and tables that the methods share. */
interface GrantServices {
  readonly sql: SqlClient.SqlClient
  readonly audit: Audit["Type"]
  readonly config: ServerConfig["Type"]
  readonly openIds: OpenIds["Type"]
  readonly grants: Effect.Effect.Success<typeof GrantRows.make>
  readonly codes: Effect.Effect.Success<typeof AuthorizationCodes.make>
  readonly accessTokens: Effect.Effect.Success<typeof AccessTokens.make>
  readonly refreshTokens: Effect.Effect.Success<typeof RefreshTokens.make>
  readonly issuedTokens: Effect.Effect.Success<typeof IssuedTokens.make>
}

const exchange = (services: GrantServices): Grants["Type"]["exchange"] => {
  const { audit, codes, grants, sql } = services
  return Effect.fn("Grants.exchange")(
    function* (presented) {
      const issued = yield* Effect.gen(function* () {
        const grantId = yield* codes.redeem(presented)
        const grant = grantId === undefined ? undefined : yield* grants.get(grantId)
        return grant === undefined ? undefined : yield* issue(services, grant)
      }).pipe(sql.withTransaction, Effect.orDie)
      if (issued !== undefined) return issued

      const row = yield* Effect.orDie(codes.find(presented))
      if (row === undefined) return yield* ApiError.invalidGrant("The authorization code is not valid.")
      const refusal = AuthorizationCodes.refusalOf(row, presented)
      if (refusal !== undefined) return yield* refusal
      yield* Effect.orDie(revokeGrant(services, row.grantId, "reuse_detected"))
      return yield* ApiError.invalidGrant("The authorization code was used before; what it gave is revoked.")
    },
    recordFailure(audit, "token_issued")
  )
}

const refresh = (services: GrantServices): Grants["Type"]["refresh"] => {
  const { accessTokens, audit, config, refreshTokens, sql } = services
  return Effect.fn("Grants.refresh")(
    function* ({ clientId, refreshToken, scope }) {
      const stored = yield* Effect.orDie(refreshTokens.find(refreshToken, clientId))
      if (stored === undefined) return yield* ApiError.invalidGrant("The refresh token is not valid.")
      const { grant } = stored
      const granted = GrantRows.decodeScopes(grant.scope)
      const requested = scope === undefined ? granted : GrantRows.decodeScopes(scope)
      if ([...requested].some((name) => !granted.has(name)) || requested.size === 0) {
        return yield* ApiError.invalidScope("The scope exceeds what the user granted.")
      }
      const entry = { action: "refreshed", userId: grant.userId, clientId: grant.clientId } as const
      const access = accessTokens
        .insert(grant, GrantRows.encodeScopes(requested), config.accessTokenTtl.refresh)
        .pipe(Effect.zipLeft(audit.record({ ...entry, outcome: "success" })))
      const result = yield* refreshTokens.use(stored, access, requested).pipe(sql.withTransaction, Effect.orDie)
      if (result === undefined) {
        yield* Effect.orDie(revokeGrant(services, grant.grantId, "reuse_detected"))
        return yield* ApiError.invalidGrant("The refresh token is not valid any more.")
      }
      if (result.isReplay) yield* audit.record({ ...entry, outcome: "replayed" })
      return result.response
    },
    recordFailure(audit, "refreshed")
  )
}

const revoke = (services: GrantServices): Grants["Type"]["revoke"] => {
  const { audit, issuedTokens } = services
  return Effect.fn("Grants.revoke")(function* ({ clientId, token }) {
    const issued = yield* issuedTokens.find(clientId, token)
    if (issued?.kind === "refresh") return yield* revokeGrant(services, issued.grantId, "revoked")
    if (issued?.kind === "access" && (yield* issuedTokens.deleteAccessToken(token))) {
      yield* audit.record({ action: "revoked", outcome: "success", userId: issued.userId, clientId })
    }
  }, Effect.orDie)
}

const introspect = ({ issuedTokens, openIds }: GrantServices): Grants["Type"]["introspect"] =>
  Effect.fn("Grants.introspect")(function* ({ clientId, token }) {
    const issued = yield* issuedTokens.find(clientId, token)
    if (issued?.live !== true) return new Introspection({ active: false })
    return new Introspection({
      active: true,
      scope: GrantRows.decodeScopes(issued.scope),
      clientId,
      exp: Math.floor(issued.expiresAt / 1000),
      sub: openIds.of(clientId, issued.userId),
      ...(issued.kind === "access" ? { tokenType: "Bearer" } : {})
    })
  }, Effect.orDie)

/** Issues both tokens of a grant; older grants end where only one may live (contract decision 30). */
const issue = Effect.fnUntraced(function* (services: GrantServices, grant: GrantRows.Grant) {
  const { accessTokens, audit, config, grants, refreshTokens } = services
  const { clientId, grantId, scope, userId } = grant
  if (config.contract.singleGrant) yield* grants.revokeOthers(grant)
  const access = yield* accessTokens.insert(grant, scope, config.accessTokenTtl.code)
  yield* audit.record({ action: "token_issued", outcome: "success", userId, clientId })
  return new TokenResponse({ ...access, refreshToken: yield* refreshTokens.insert(grantId) })
})

/** Revokes a grant with all its codes and tokens. */
const revokeGrant = ({ audit, grants, sql }: GrantServices, grantId: string, action: "reuse_detected" | "revoked") =>
  Effect.gen(function* () {
    const owner = yield* grants.revoke(grantId)
    if (owner === undefined) return
    yield* audit.record({ action, outcome: "success", ...owner })
    if (action === "reuse_detected") {
      yield* Effect.logWarning("revoked a grant because its code or refresh token was used twice").pipe(
        Effect.annotateLogs({ grantId })
      )
    }
  }).pipe(sql.withTransaction)

/** Records a refused token request. */
const recordFailure =
  (audit: Audit["Type"], action: "token_issued" | "refreshed") =>
  <A, E extends { readonly code: string }>(
    call: Effect.Effect<A, E>,
    { clientId }: { readonly clientId: string }
  ): Effect.Effect<A, E> =>
    Effect.tapError(call, ({ code }) => audit.record({ action, outcome: code, clientId }))
