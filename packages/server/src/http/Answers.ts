import * as FileSystem from "@effect/platform/FileSystem"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpApiError from "@effect/platform/HttpApiError"
import type * as HttpApp from "@effect/platform/HttpApp"
import * as HttpIncomingMessage from "@effect/platform/HttpIncomingMessage"
import type * as HttpRouter from "@effect/platform/HttpRouter"
import * as HttpServerError from "@effect/platform/HttpServerError"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import * as OpenApiError from "@heddle/core/OpenApiError"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Crypto from "node:crypto"
import * as Refuse from "../internal/Refuse.ts"
import { ServerConfig } from "../ServerConfig.ts"
import * as AllowedMethods from "./AllowedMethods.ts"
import { RequestId } from "./RequestId.ts"

/**
 * What every answer has in common: a request id, no caching unless it says otherwise, and one error body whatever went
 * wrong (decisions 4, 12, 19, 20), be it a refusal, unreadable JSON, an unknown route or a defect.
 */
export const layer: Layer.Layer<never, never, ServerConfig> = HttpApiBuilder.middleware(
  Effect.gen(function* () {
    const { limits } = yield* ServerConfig
    const router = yield* HttpApiBuilder.Router
    return (app: HttpApp.Default) =>
      Effect.gen(function* () {
        const request = yield* HttpServerRequest.HttpServerRequest
        const requestId = Crypto.randomBytes(12).toString("hex")
        // On the raw response, so that handlers that write it themselves carry it too.
        NodeHttpServerRequest.toServerResponse(request).setHeader("x-request-id", requestId)
        return yield* admit(request, limits.body).pipe(
          Effect.zipRight(app),
          Effect.map(withoutCaching),
          HttpIncomingMessage.withMaxBodySize(Option.some(FileSystem.Size(limits.body))),
          Effect.catchAllCause((cause) =>
            Cause.isInterruptedOnly(cause)
              ? Effect.failCause(Cause.stripFailures(cause))
              : Effect.flatMap(router.router, (routes) => answer(cause, request, routes, requestId))
          ),
          Effect.annotateLogs({ requestId }),
          Effect.provideService(RequestId, requestId)
        )
      })
  })
).pipe(Layer.provide(HttpApiBuilder.Router.Live))

/** Refuses by its headers what is too large or of the wrong type, before anything of it is read. */
const admit = (request: HttpServerRequest.HttpServerRequest, limit: number) => {
  // The channels of the sandboxes take attachments and check for themselves.
  if (!request.url.startsWith("/openapi/")) return Effect.void
  if (Number(request.headers["content-length"] ?? 0) > limit) return Effect.fail(tooLarge)
  const type = request.headers["content-type"]
  const hasBody = request.headers["content-length"] !== "0" && request.method === "POST"
  return hasBody && type !== undefined && !/^application\/(json|x-www-form-urlencoded)\s*(;|$)/i.test(type)
    ? Effect.fail(Refuse.unexpected(415, "The Content-Type of the body is not supported."))
    : Effect.void
}

const tooLarge = Refuse.unexpected(413, "The body is too large.")

const withoutCaching = (response: HttpServerResponse.HttpServerResponse) =>
  response.headers["cache-control"] === undefined
    ? HttpServerResponse.setHeader(response, "cache-control", "no-store")
    : response

const answer = (
  cause: Cause.Cause<unknown>,
  request: HttpServerRequest.HttpServerRequest,
  routes: HttpRouter.HttpRouter<unknown, unknown>,
  requestId: string
) =>
  Effect.gen(function* () {
    const error = Cause.squash(cause)
    const allowed = error instanceof HttpServerError.RouteNotFound ? AllowedMethods.of(routes, request.url) : []
    const refusal = refusalOf(error, allowed)
    if (refusal._tag === "ServiceFailure") yield* Effect.logError("a request failed", cause)
    const authorization = request.headers["authorization"]
    const { body, headers, status } = OpenApiError.toResponse(
      refusal,
      requestId,
      authorization === undefined
        ? { credentials: "none" }
        : /^basic /i.test(authorization)
          ? { credentials: "basic" }
          : {}
    )
    return HttpServerResponse.text(body, {
      status,
      contentType: headers["content-type"] ?? "application/json",
      headers: {
        ...headers,
        "cache-control": "no-store",
        ...(refusal._tag === "UnexpectedStatus" && refusal.status === 405 ? { allow: allowed.join(", ") } : {})
      }
    })
  })

const isRefusal = Schema.is(OpenApiError.Refusal)

const refusalOf = (error: unknown, allowed: ReadonlyArray<string>): OpenApiError.Refusal => {
  if (isRefusal(error)) return error
  if (error instanceof HttpServerError.RouteNotFound) {
    return allowed.length > 0
      ? Refuse.unexpected(405, `This address answers ${allowed.join(", ")} only.`)
      : Refuse.notFound("There is nothing at this address.")
  }
  if (error instanceof HttpServerError.RequestError && error.reason === "Decode") {
    return error.cause instanceof Error && error.cause.message === "maxBytes exceeded"
      ? tooLarge
      : Refuse.invalidRequest("The body cannot be read as what its Content-Type says.")
  }
  if (error instanceof HttpApiError.HttpApiDecodeError) {
    // Only where, never what: the platform's message repeats the values, secrets included.
    const paths = [...new Set(error.issues.map((issue) => issue.path.map(String).join(".")))]
    return Refuse.invalidRequest(
      paths.every((path) => path === "")
        ? "The body is missing or has the wrong type."
        : `Missing, of the wrong type or not allowed: ${paths.filter((path) => path !== "").join(", ")}.`
    )
  }
  return new OpenApiError.ServiceFailure({
    code: "server_error",
    description: "The service failed on this request.",
    status: 500
  })
}
