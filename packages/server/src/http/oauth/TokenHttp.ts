import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { OpenApi } from "@heddle/core/api/OpenApi"
import { deviceGrantType, TokenResponse } from "@heddle/core/domain/Token"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { Devices } from "../../oauth/Devices.ts"
import { Grants } from "../../oauth/Grants.ts"
import type { Parameters } from "../../internal/Parameters.ts"
import * as FormBody from "../message/FormBody.ts"
import * as ApiError from "../../internal/ApiError.ts"
import { ServerConfig } from "../../config/ServerConfig.ts"
import { ClientAuthentication } from "./ClientAuthentication.ts"
import * as DeviceAuthorizationHttp from "./DeviceAuthorizationHttp.ts"
import * as IntrospectHttp from "./IntrospectHttp.ts"
import * as OauthStatuses from "./OauthStatuses.ts"
import * as RevokeHttp from "./RevokeHttp.ts"

/**
 * The token endpoint (contract 4.2) and related ones. The checks come in the order of contract decision 44: content
 * type, repeated fields, grant type, the application, fields, the grant.
 */
export const layer = HttpApiBuilder.group(OpenApi, "token", (handlers) =>
  Effect.gen(function* () {
    const startDevice = yield* DeviceAuthorizationHttp.make
    const introspect = yield* IntrospectHttp.make
    const revoke = yield* RevokeHttp.make
    const token = yield* make
    // Raw, because the contract's decoder would decide the order of the checks and accept JSON.
    return handlers
      .handleRaw("token", ({ request }) => token(request))
      .handleRaw("startDevice", ({ request }) => startDevice(request))
      .handleRaw("revoke", ({ request }) => revoke(request))
      .handleRaw("introspect", ({ request }) => introspect(request))
  })
)

const make = Effect.gen(function* () {
  const clients = yield* ClientAuthentication
  const devices = yield* Devices
  const grants = yield* Grants
  const { contract } = yield* ServerConfig

  const grantOf = Effect.fnUntraced(function* (form: Parameters) {
    const grantType = yield* form.required("grant_type")
    switch (grantType) {
      case "authorization_code": {
        const { clientId } = yield* clients.check(form)
        const code = yield* form.required("code")
        const redirectUri = yield* form.required("redirect_uri")
        const codeVerifier = form.optional("code_verifier")
        return yield* grants.exchange({
          clientId,
          code: Redacted.make(code),
          redirectUri,
          codeVerifier: codeVerifier === undefined ? undefined : Redacted.make(codeVerifier)
        })
      }
      case "refresh_token": {
        const { clientId } = yield* clients.check(form)
        const refreshToken = yield* form.required("refresh_token")
        const scope = form.optional("scope")
        return yield* grants.refresh({ clientId, refreshToken: Redacted.make(refreshToken), scope })
      }
      case deviceGrantType:
      case "device_code": {
        if (!contract.deviceFlow) break
        const { clientId } = yield* clients.check(form, { isDeviceFlow: true })
        const deviceCode = yield* form.required("device_code")
        return yield* devices.poll({ clientId, deviceCode: Redacted.make(deviceCode) })
      }
    }
    return yield* ApiError.unsupportedGrantType(
      `The grant_type must be authorization_code${contract.deviceFlow ? `, refresh_token or ${deviceGrantType}` : " or refresh_token"}.`
    )
  })

  return (request: HttpServerRequest.HttpServerRequest) =>
    (contract.tokenJsonBody ? FormBody.readFormOrJson(request) : FormBody.read(request)).pipe(
      Effect.flatMap(grantOf),
      OauthStatuses.apply(contract.oauthStatuses),
      Effect.flatMap((tokens) => Effect.orDie(encode(tokens))),
      Effect.map((body) =>
        HttpServerResponse.unsafeJson(body, { headers: { "cache-control": "private, no-store", pragma: "no-cache" } })
      )
    )
})

const encode = Schema.encode(TokenResponse)
