import * as Schema from "effect/Schema"
import { OpenId } from "./OpenId.ts"
import { ScopeSet } from "./Scope.ts"
import { model, optional, required, WireSeconds } from "./Wire.ts"

/** Empty where a service has none: tokens that were issued must not be lost for it. */
const OpenIdOrEmpty = Schema.String.annotations({ jsonSchema: { type: "string", minLength: 1 } }).pipe(
  Schema.brand("OpenId")
)

/**
 * The response of the token endpoint (contract 2.1).
 * `expiresIn` is seconds from the response on; absent means "use it until a 401" (contract decision 34).
 * An absent, null or empty refresh token on refresh means "keep the old one" (contract decision 28). Scope and open_id may
 * be empty, too.
 */
export class TokenResponse extends model<TokenResponse>("TokenResponse")({
  accessToken: required(
    "access_token",
    Schema.Redacted(Schema.NonEmptyString),
    "Send it as `Authorization: Bearer …`."
  ),
  tokenType: optional(Schema.String.annotations({ jsonSchema: { const: "Bearer" } })).pipe(
    Schema.fromKey("token_type")
  ),
  expiresIn: optional(WireSeconds, "Seconds that the access token lives.").pipe(Schema.fromKey("expires_in")),
  refreshToken: optional(
    Schema.Redacted(Schema.String),
    "Issued for a code; for a refresh only where the service rotates or repeats it."
  ).pipe(Schema.fromKey("refresh_token")),
  scope: optional(ScopeSet, "The scopes granted, separated by spaces."),
  openId: optional(OpenIdOrEmpty, "The user's id for this application. Other applications get another id.").pipe(
    Schema.fromKey("open_id")
  )
}) {}

/** The form of an authorization code exchange (contract 4.2). `codeVerifier` is PKCE's (RFC 7636 4.5). */
export const CodeGrant = Schema.Struct({
  grantType: Schema.propertySignature(Schema.Literal("authorization_code")).pipe(Schema.fromKey("grant_type")),
  code: Schema.Redacted(Schema.String),
  clientId: Schema.propertySignature(Schema.String).pipe(Schema.fromKey("client_id")),
  clientSecret: Schema.propertySignature(Schema.Redacted(Schema.String)).pipe(Schema.fromKey("client_secret")),
  redirectUri: Schema.propertySignature(Schema.String).pipe(Schema.fromKey("redirect_uri")),
  codeVerifier: Schema.optionalWith(Schema.Redacted(Schema.String), { exact: true }).pipe(
    Schema.fromKey("code_verifier")
  )
})

/** The form of a refresh (contract 4.2). */
export const RefreshGrant = Schema.Struct({
  grantType: Schema.propertySignature(Schema.Literal("refresh_token")).pipe(Schema.fromKey("grant_type")),
  refreshToken: Schema.propertySignature(Schema.Redacted(Schema.String)).pipe(Schema.fromKey("refresh_token")),
  clientId: Schema.propertySignature(Schema.String).pipe(Schema.fromKey("client_id")),
  clientSecret: Schema.propertySignature(Schema.Redacted(Schema.String)).pipe(Schema.fromKey("client_secret"))
})

/** The grant type of a device that polls for its tokens (RFC 8628 3.4); this service also knows it as `device_code`. */
export const deviceGrantType = "urn:ietf:params:oauth:grant-type:device_code"

/** The form of a device that polls for its tokens (RFC 8628 3.4). */
export const DeviceGrant = Schema.Struct({
  grantType: Schema.propertySignature(Schema.Literal(deviceGrantType)).pipe(Schema.fromKey("grant_type")),
  deviceCode: Schema.propertySignature(Schema.Redacted(Schema.String)).pipe(Schema.fromKey("device_code")),
  clientId: Schema.propertySignature(Schema.String).pipe(Schema.fromKey("client_id")),
  clientSecret: Schema.propertySignature(Schema.Redacted(Schema.String)).pipe(Schema.fromKey("client_secret"))
})

/** The form that revokes a token (RFC 7009 2.1) or introspects one (RFC 7662 2.1). */
export const TokenForm = Schema.Struct({
  token: Schema.Redacted(Schema.String),
  clientId: Schema.propertySignature(Schema.String).pipe(Schema.fromKey("client_id")),
  clientSecret: Schema.propertySignature(Schema.Redacted(Schema.String)).pipe(Schema.fromKey("client_secret"))
})

/** The state of a token (RFC 7662 2.2); an inactive token has no other field. `exp` is Unix seconds. */
export class Introspection extends model<Introspection>("Introspection")({
  active: required(
    "active",
    Schema.Boolean,
    "Whether the token is valid and belongs to this application. If not, the answer has no other field."
  ),
  scope: optional(ScopeSet),
  clientId: optional(Schema.String).pipe(Schema.fromKey("client_id")),
  tokenType: optional(Schema.String).pipe(Schema.fromKey("token_type")),
  exp: optional(WireSeconds, "End of the token's life, Unix time in seconds."),
  sub: optional(OpenId, "The user's id for this application.")
}) {}
