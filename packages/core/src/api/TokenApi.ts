import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as Schema from "effect/Schema"
import { CodeGrant, RefreshGrant, TokenResponse } from "../domain/Token.ts"

/** The token endpoint on the wire (4.2): form in, JSON out. */
export class TokenApi extends HttpApiGroup.make("token").add(
  HttpApiEndpoint.post("token", "/token")
    .setPayload(
      Schema.Union(
        HttpApiSchema.withEncoding(CodeGrant, { kind: "UrlParams" }),
        HttpApiSchema.withEncoding(RefreshGrant, { kind: "UrlParams" })
      )
    )
    .addSuccess(TokenResponse)
) {}
