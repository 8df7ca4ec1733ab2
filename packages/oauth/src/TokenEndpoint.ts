import * as HttpApiClient from "@effect/platform/HttpApiClient"
import * as HttpClient from "@effect/platform/HttpClient"
import { OpenApi } from "@heddle/core/api/OpenApi"
import * as BaseUrl from "@heddle/core/BaseUrl"
import type { Scope } from "@heddle/core/domain/Scope"
import type { TokenResponse } from "@heddle/core/domain/Token"
import { ContractViolation, InvalidGrant, type OpenApiError, type Reauthorize } from "@heddle/core/OpenApiError"
import * as Operation from "@heddle/core/Operation"
import * as Transport from "@heddle/core/Transport"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as FormPost from "./internal/FormPost.ts"
import { afterRateLimit } from "./internal/RateLimitRetry.ts"
import * as TokenSet from "./TokenSet.ts"

/** The application at its service (part 1). The secret never leaves the server. */
export interface Options {
  readonly baseUrl: string
  /** Allows `http` beyond this machine. */
  readonly allowInsecure?: boolean
  readonly clientId: string
  readonly clientSecret: Redacted.Redacted
  readonly userAgent?: string
  /**
   * The path of RFC 7009 revocation under the base URL, where the service has one; the document knows none (contract
   * decision 50).
   */
  readonly revocationPath?: string
}

/** The path of the token endpoint (contract 4.2). */
export const path = "/openapi/v2/token"

/** Everything that the token endpoint can fail with. */
export type TokenError = Exclude<OpenApiError, Reauthorize>

/**
 * The token endpoint (contract 4.2), called as one application. A request is repeated after 429 only, as the call
 * options say; a lost answer is `OutcomeUnknown`.
 */
export class TokenEndpoint extends Context.Tag("@heddle/oauth/TokenEndpoint")<
  TokenEndpoint,
  {
    /** Exchanges an authorization code; `redirectUri` is byte for byte that of the authorization request. */
    readonly exchange: (grant: {
      readonly code: Redacted.Redacted
      readonly redirectUri: string
      readonly codeVerifier?: Redacted.Redacted
      /** The requested scopes, which count as granted where the service does not say. */
      readonly scopes?: ReadonlySet<Scope>
    }) => Effect.Effect<TokenSet.TokenSet, TokenError>
    /** Renews tokens by their refresh token; what the answer leaves out is kept. */
    readonly refresh: (previous: TokenSet.TokenSet) => Effect.Effect<TokenSet.TokenSet, TokenError>
    /**
     * Revokes a grant at the service by its refresh token, or else its access token; `false` where the service cannot.
     */
    readonly revoke: (tokens: TokenSet.TokenSet) => Effect.Effect<boolean, OpenApiError>
  }
>() {}

export const layer = (options: Options): Layer.Layer<TokenEndpoint, BaseUrl.InvalidBaseUrl, HttpClient.HttpClient> =>
  Layer.effect(
    TokenEndpoint,
    Effect.gen(function* () {
      const httpClient = yield* HttpClient.HttpClient
      const baseUrl = yield* BaseUrl.make(options.baseUrl, options)
      const transport = Transport.make({ httpClient, baseUrl, userAgent: options.userAgent })
      const client = yield* HttpApiClient.group(OpenApi, { group: "token", httpClient: transport })
      const post = FormPost.make(transport, options)
      const { clientId, clientSecret } = options

      const sendOnce = Effect.fnUntraced(function* (
        operation: Operation.Operation,
        call: Effect.Effect<TokenResponse, OpenApiError | Transport.DerivedError>,
        known: { readonly previous?: TokenSet.TokenSet; readonly requested?: ReadonlySet<Scope> | undefined }
      ): Effect.fn.Return<TokenSet.TokenSet, TokenError> {
        const sentAt = yield* Clock.currentTimeMillis
        const response = yield* Transport.run(operation, call).pipe(
          Effect.catchTag("Reauthorize", (error) => Effect.die(error)),
          // The caller's context may hold a bearer token; the credentials of the application are in the form.
          Effect.provideService(Transport.BearerToken, Option.none())
        )
        yield* assertUsable(operation, response)
        return TokenSet.fromResponse(response, { sentAt, ...known })
      })
      const send = (...request: Parameters<typeof sendOnce>) => afterRateLimit(sendOnce(...request))

      return TokenEndpoint.of({
        exchange: Effect.fn("TokenEndpoint.exchange")(({ code, codeVerifier, redirectUri, scopes }) =>
          send(
            Operation.exchange,
            client.token({
              payload: {
                grantType: "authorization_code",
                code,
                clientId,
                clientSecret,
                redirectUri,
                ...(codeVerifier === undefined ? {} : { codeVerifier })
              }
            }),
            { requested: scopes }
          )
        ),
        refresh: Effect.fn("TokenEndpoint.refresh")(function* (previous) {
          const { refreshToken } = previous
          if (refreshToken === undefined) {
            return yield* new InvalidGrant({ code: "invalid_grant", description: "There is no refresh token" })
          }
          return yield* send(
            Operation.refresh,
            client.token({ payload: { grantType: "refresh_token", refreshToken, clientId, clientSecret } }),
            { previous }
          )
        }),
        revoke: Effect.fn("TokenEndpoint.revoke")(function* ({ accessToken, refreshToken }) {
          if (options.revocationPath === undefined) return false
          yield* afterRateLimit(
            post(
              Operation.revoke,
              options.revocationPath,
              {
                token: Redacted.value(refreshToken ?? accessToken),
                token_type_hint: refreshToken === undefined ? "access_token" : "refresh_token"
              },
              () => Effect.void
            )
          )
          return true
        })
      })
    })
  )

/** Refuses tokens of another kind than bearer, and such as no header can carry: they are not stored either. */
export const assertUsable = (
  operation: Operation.Operation,
  { accessToken, tokenType }: TokenResponse
): Effect.Effect<void, ContractViolation> => {
  const broken = (path: string) => Effect.fail(new ContractViolation({ operation: operation.name, path }))
  if (tokenType !== undefined && tokenType.toLowerCase() !== "bearer") return broken("token_type")
  return /^[\x21-\x7e]+$/.test(Redacted.value(accessToken)) ? Effect.void : broken("access_token")
}
