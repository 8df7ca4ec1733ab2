import * as HttpApp from "@effect/platform/HttpApp"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Effect from "effect/Effect"

/**
 * Refuses `unauthorized_client` and `access_denied` with the contract's 401 and 403, or with the 400 of RFC 6749 5.2
 * (contract decision 10). The body is the same.
 */
export const apply =
  (statuses: "document" | "rfc") =>
  <A, E extends { readonly code: string }, R>(handler: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    statuses === "document"
      ? handler
      : Effect.tapError(handler, ({ code }) =>
          code === "unauthorized_client" || code === "access_denied" ? as400 : Effect.void
        )

const as400 = HttpApp.appendPreResponseHandler((_request, response) =>
  Effect.succeed(HttpServerResponse.setStatus(response, 400))
)
