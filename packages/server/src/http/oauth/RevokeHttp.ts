import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { Grants } from "../../oauth/Grants.ts"
import * as FormBody from "../message/FormBody.ts"
import * as ApiError from "../../internal/ApiError.ts"
import { ServerConfig } from "../../config/ServerConfig.ts"
import { ClientAuthentication } from "./ClientAuthentication.ts"

/**
 * The revocation endpoint (RFC 7009), where enabled (contract decision 50). The response is always 200, so a caller
 * does not learn whether the token was valid. It ignores `token_type_hint`.
 */
export const make = Effect.gen(function* () {
  const clients = yield* ClientAuthentication
  const grants = yield* Grants
  const { contract } = yield* ServerConfig

  return Effect.fn("RevokeHttp")(function* (request: HttpServerRequest.HttpServerRequest) {
    if (!contract.revocation) return yield* ApiError.notFound("This service has no revocation.")
    const form = yield* FormBody.read(request)
    const { clientId } = yield* clients.check(form)
    const token = yield* form.required("token")
    yield* grants.revoke({ clientId, token: Redacted.make(token) })
    return HttpServerResponse.unsafeJson({}, { headers: { "cache-control": "no-store" } })
  })
})
