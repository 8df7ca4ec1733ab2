import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { Introspection } from "@heddle/core/domain/Token"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { Grants } from "../../oauth/Grants.ts"
import * as FormBody from "../message/FormBody.ts"
import * as ApiError from "../../internal/ApiError.ts"
import { ServerConfig } from "../../config/ServerConfig.ts"
import { ClientAuthentication } from "./ClientAuthentication.ts"

/** The introspection endpoint for an application's own tokens (RFC 7662), where enabled (contract decision 50). */
export const make = Effect.gen(function* () {
  const clients = yield* ClientAuthentication
  const grants = yield* Grants
  const { contract } = yield* ServerConfig

  return Effect.fn("IntrospectHttp")(function* (request: HttpServerRequest.HttpServerRequest) {
    if (!contract.introspection) return yield* ApiError.notFound("This service has no introspection.")
    const form = yield* FormBody.read(request)
    const application = yield* clients.check(form)
    // RFC 7662 2.1 requires authentication, so public applications are refused.
    if (application.public) return yield* ApiError.invalidClient("Introspection takes an application with a secret.")
    const token = yield* form.required("token")
    const introspection = yield* grants.introspect({ clientId: application.clientId, token: Redacted.make(token) })
    return HttpServerResponse.unsafeJson(encode(introspection), { headers: { "cache-control": "no-store" } })
  })
})

const encode = Schema.encodeSync(Introspection)
