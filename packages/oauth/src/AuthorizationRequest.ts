import * as BaseUrl from "@heddle/core/BaseUrl"
import * as Scope from "@heddle/core/domain/Scope"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Encoding from "effect/Encoding"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Random from "./internal/Random.ts"

/**
 * One pending authorization: the page to send the user to (contract 4.1), and what its callback is checked against.
 * `AuthorizationRequests` stores it. In a store of your own, keep it under its `state`, use it once, and keep it on the
 * server: the verifier is secret. `expiresAt` is epoch milliseconds, ten minutes after it was made.
 */
export class AuthorizationRequest extends Schema.Class<AuthorizationRequest>("@heddle/oauth/AuthorizationRequest")({
  url: Schema.String,
  state: Schema.String,
  codeVerifier: Schema.Redacted(Schema.String),
  redirectUri: Schema.String,
  scopes: Schema.optionalWith(Scope.ScopeSet, { exact: true }),
  expiresAt: Schema.Number
}) {}

/**
 * The requested scopes and the address of the callback. Without scopes, all scopes of the application are requested.
 */
export interface Options {
  readonly baseUrl: string
  readonly allowInsecure?: boolean
  readonly clientId: string
  readonly redirectUri: string
  readonly scopes?: Iterable<Scope.Scope>
}

/** Makes a request with fresh state (256 bit) and PKCE S256. */
export const make = Effect.fn("AuthorizationRequest.make")(function* (options: Options) {
  const baseUrl = yield* BaseUrl.make(options.baseUrl, options)
  const state = yield* Random.token
  const codeVerifier = yield* Random.token
  const scopes = options.scopes === undefined ? undefined : new Set(options.scopes)
  const query = new URLSearchParams({
    response_type: "code",
    client_id: options.clientId,
    redirect_uri: options.redirectUri,
    ...(scopes === undefined ? {} : { scope: [...scopes].join(" ") }),
    state,
    code_challenge: Encoding.encodeBase64Url(yield* Random.sha256(codeVerifier)),
    code_challenge_method: "S256"
  })
  return new AuthorizationRequest({
    url: `${baseUrl}/openapi/v2/authorize?${query}`,
    state,
    codeVerifier: Redacted.make(codeVerifier),
    redirectUri: options.redirectUri,
    ...(scopes === undefined ? {} : { scopes }),
    expiresAt: (yield* Clock.currentTimeMillis) + lifetime
  })
})

/** As long as the code itself may live (section 8). */
const lifetime = 10 * 60_000
