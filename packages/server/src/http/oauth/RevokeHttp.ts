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
 * Takes a token back (RFC 7009), where that is switched on (contract decision 50). Whatever the token was, the answer
 * is 200: it is not live any more, and nobody learns whether it ever was. `token_type_hint` is not needed and ignored.
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
