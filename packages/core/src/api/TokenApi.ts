import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as Schema from "effect/Schema"
import { DeviceAuthorization, DeviceRequest } from "../domain/Device.ts"
import { AuthorizationPending, ExpiredToken, SlowDown } from "../OpenApiError.ts"
import { CodeGrant, DeviceGrant, Introspection, RefreshGrant, TokenForm, TokenResponse } from "../domain/Token.ts"

const form = { kind: "UrlParams" } as const

/**
 * The token endpoint on the wire (contract 4.2): form in, JSON out. With it what the document leaves to the service:
 * the device flow (contract decision 47), revocation and introspection (contract decision 50). A service without one
 * of them answers 404.
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
      .addError(AuthorizationPending, { status: 400 })
      .addError(SlowDown, { status: 400 })
      .addError(ExpiredToken, { status: 400 })
  )
  .add(
    HttpApiEndpoint.post("startDevice", "/device_authorization")
      .setPayload(HttpApiSchema.withEncoding(DeviceRequest, form))
      .addSuccess(DeviceAuthorization)
  )
  .add(
    HttpApiEndpoint.post("revoke", "/revoke")
      .setPayload(HttpApiSchema.withEncoding(TokenForm, form))
      .addSuccess(Schema.Struct({}))
  )
  .add(
    HttpApiEndpoint.post("introspect", "/introspect")
      .setPayload(HttpApiSchema.withEncoding(TokenForm, form))
      .addSuccess(Introspection)
  ) {}
