import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as OpenApi from "@effect/platform/OpenApi"
import * as Schema from "effect/Schema"
import { DeviceAuthorization, DeviceRequest } from "../domain/Device.ts"
import {
  AccessDenied,
  AuthorizationPending,
  ExpiredToken,
  InvalidGrant,
  InvalidScope,
  NotFound,
  SlowDown,
  Unsupported
} from "../OpenApiError.ts"
import { CodeGrant, DeviceGrant, Introspection, RefreshGrant, TokenForm, TokenResponse } from "../domain/Token.ts"
import { component } from "../domain/Wire.ts"
import { ClientFormError } from "./Errors.ts"

const form = { kind: "UrlParams" } as const

/** A service answers 404 for what it does not offer. */
const NotOffered = NotFound.annotations(
  HttpApiSchema.annotations({ status: 404, description: "`not_found`: the service does not offer this." })
)

const Revocation = Schema.Struct({}).annotations({
  ...component("Revocation"),
  jsonSchema: { type: "object" }
})

/**
 * The token endpoint on the wire (contract 4.2): form in, JSON out. With it what the document leaves to the service:
 * the device flow (contract decision 47), revocation and introspection (contract decision 50).
 */
export class TokenApi extends HttpApiGroup.make("token")
  .add(
    HttpApiEndpoint.post("token", "/token")
      .setPayload(
        Schema.Union(
          HttpApiSchema.withEncoding(CodeGrant, form),
          HttpApiSchema.withEncoding(RefreshGrant, form),
          HttpApiSchema.withEncoding(DeviceGrant, form)
        )
      )
      .addSuccess(TokenResponse)
      .addError(InvalidGrant)
      .addError(Unsupported)
      .addError(InvalidScope)
      .addError(AuthorizationPending)
      .addError(SlowDown)
      .addError(ExpiredToken)
      .addError(AccessDenied)
      .annotateContext(
        OpenApi.annotations({
          summary: "Exchange a code, or refresh",
          description:
            "The application authenticates with `client_id` and `client_secret` in the form, or with HTTP Basic. Each field may be given once."
        })
      )
  )
  .add(
    HttpApiEndpoint.post("startDevice", "/device_authorization")
      .setPayload(HttpApiSchema.withEncoding(DeviceRequest, form))
      .addSuccess(DeviceAuthorization)
      .addError(InvalidScope)
      .addError(NotOffered)
      .annotateContext(
        OpenApi.annotations({
          summary: "Start the authorization of a device without a browser",
          description: "The device shows `user_code` and `verification_uri`, and polls the token endpoint (RFC 8628)."
        })
      )
  )
  .add(
    HttpApiEndpoint.post("revoke", "/revoke")
      .setPayload(HttpApiSchema.withEncoding(TokenForm, form))
      .addSuccess(Revocation)
      .addError(NotOffered)
      .annotateContext(
        OpenApi.annotations({
          summary: "Revoke a token",
          description:
            "An access token is revoked alone, a refresh token with all tokens of its grant. The answer for unknown tokens is the same (RFC 7009)."
        })
      )
  )
  .add(
    HttpApiEndpoint.post("introspect", "/introspect")
      .setPayload(HttpApiSchema.withEncoding(TokenForm, form))
      .addSuccess(Introspection)
      .addError(NotOffered)
      .annotate(OpenApi.Summary, "Read the state of a token")
  )
  .addError(ClientFormError)
  .annotate(OpenApi.Description, "Authorization: the page in the browser, and tokens for its code.") {}
