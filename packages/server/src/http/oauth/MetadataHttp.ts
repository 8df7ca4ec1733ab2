import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Scope from "@heddle/core/domain/Scope"
import { deviceGrantType } from "@heddle/core/domain/Token"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import { chinese } from "../pages/Chinese.ts"
import { english } from "../pages/English.ts"
import { ServerConfig, type Settings } from "../../config/ServerConfig.ts"
import * as PublicPath from "../message/PublicPath.ts"

/**
 * The authorization server metadata (RFC 8414). When the public URL has a path, the metadata is at both URLs that
 * clients try: with the well-known part before and after that path.
 */
export const layer: Layer.Layer<never, never, ServerConfig> = HttpApiBuilder.Router.use((router) =>
  Effect.gen(function* () {
    const settings = yield* ServerConfig
    if (settings.contract.metadata === "off") return
    const response = Effect.succeed(
      HttpServerResponse.unsafeJson(makeMetadata(settings), { headers: { "cache-control": "public, max-age=300" } })
    )
    const prefix = PublicPath.prefix(settings.publicUrl)
    yield* router.get(wellKnown, response)
    if (prefix !== "") yield* router.get(`${wellKnown}${prefix as `/${string}`}`, response)
  })
)

const wellKnown = "/.well-known/oauth-authorization-server"

const makeMetadata = ({ contract, publicUrl }: Settings) => {
  const endpoint = (name: string) => `${publicUrl}/openapi/v2/${name}`
  const confidential = ["client_secret_post", "client_secret_basic"]
  const methods = contract.publicClients ? [...confidential, "none"] : confidential
  return {
    issuer: publicUrl,
    authorization_endpoint: endpoint("authorize"),
    token_endpoint: endpoint("token"),
    token_endpoint_auth_methods_supported: methods,
    scopes_supported: Scope.knownScopes,
    ui_locales_supported: [english.language, chinese.language],
    response_types_supported: ["code"],
    response_modes_supported: ["query"],
    grant_types_supported: ["authorization_code", "refresh_token", ...(contract.deviceFlow ? [deviceGrantType] : [])],
    code_challenge_methods_supported: ["S256"],
    authorization_response_iss_parameter_supported: contract.issuerParameter,
    ...(contract.deviceFlow ? { device_authorization_endpoint: endpoint("device_authorization") } : {}),
    ...(contract.revocation
      ? { revocation_endpoint: endpoint("revoke"), revocation_endpoint_auth_methods_supported: methods }
      : {}),
    ...(contract.introspection
      ? { introspection_endpoint: endpoint("introspect"), introspection_endpoint_auth_methods_supported: confidential }
      : {})
  }
}
