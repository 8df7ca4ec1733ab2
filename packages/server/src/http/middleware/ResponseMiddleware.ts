import * as FileSystem from "@effect/platform/FileSystem"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpApiError from "@effect/platform/HttpApiError"
import type * as HttpApp from "@effect/platform/HttpApp"
import * as HttpIncomingMessage from "@effect/platform/HttpIncomingMessage"
import * as HttpServerError from "@effect/platform/HttpServerError"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { acceptIdempotencyKey } from "@heddle/core/api/IdempotencyKeyHeader"
import * as OpenApiError from "@heddle/core/OpenApiError"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FiberRef from "effect/FiberRef"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Tracer from "effect/Tracer"
import type { ContractOptions } from "../../config/ContractOptions.ts"
import * as IpAddress from "../../internal/IpAddress.ts"
import * as ApiError from "../../internal/ApiError.ts"
import { RateLimits } from "../../limits/RateLimits.ts"
import { ServerConfig, type Deprecation } from "../../config/ServerConfig.ts"
import * as Cors from "./Cors.ts"
import { RequestContext, type RequestInfo } from "../message/RequestContext.ts"
import * as ErrorPages from "./ErrorPages.ts"
import * as RequestTelemetry from "./RequestTelemetry.ts"
import * as RequestBody from "../message/RequestBody.ts"
import { generate, RequestId } from "../../observability/RequestId.ts"
import * as WriteCheck from "../../sql/WriteCheck.ts"
import * as Routes from "./Routes.ts"
import * as SandboxResponses from "../sandbox/SandboxResponses.ts"

/**
 * Adds a request id and, by default, `Cache-Control: no-store` to every response. Responses of the API also say that
 * idempotency keys are kept (contract decision 81). Every error gets the same body:
 * refusals, unreadable JSON, unknown routes and defects (contract decisions 4, 12, 19, 20). Every request is logged
 * and traced; requests to the API, the pages and the sandboxes are rate-limited (contract decision 17).
 */
export const layer: Layer.Layer<never, never, RateLimits | ServerConfig> = HttpApiBuilder.middleware(
  Effect.gen(function* () {
    const config = yield* ServerConfig
    const limits = yield* RateLimits
    const observe = yield* RequestTelemetry.make
    const router = yield* HttpApiBuilder.Router
    const bodyLimit = Option.some(FileSystem.Size(config.limits.body))
    const apiHeaders = [[acceptIdempotencyKey, "true"] as const, ...deprecationHeaders(config.deprecation)]

    const respond = (app: HttpApp.Default, findRoute: ReturnType<typeof Routes.of>): HttpApp.Default =>
      Effect.withFiberRuntime((fiber) => {
        const services = fiber.currentContext
        const originalRequest = Context.unsafeGet(services, HttpServerRequest.HttpServerRequest)
        const request = config.trustProxy ? withForwardedAddress(originalRequest) : originalRequest
        const { method, url } = request
        const route = findRoute(url)
        const { methods, pattern } = route
        const requestId = generate()
        const info: RequestInfo = { requestId, method, route: pattern, clientId: undefined }
        // On Node's response, so that handlers that write it directly send these headers, too.
        const nodeResponse = NodeHttpServerRequest.toServerResponse(request)
        nodeResponse.setHeader("x-request-id", requestId)
        for (const [name, value] of Object.entries(Cors.headers(request, config.corsOrigins)))
          nodeResponse.setHeader(name, value)
        const isApi = url.startsWith("/openapi/") || pattern.startsWith("/openapi/")
        if (isApi) for (const [name, value] of apiHeaders) nodeResponse.setHeader(name, value)
        const span = observe(request, nodeResponse, info)

        const isSandbox = pattern.startsWith("/sandboxes/")
        const isLimited = isApi || isSandbox || ErrorPages.isPage(pattern)
        const rateLimited = isLimited ? checkRateLimit(limits, request, pattern) : undefined
        const handler: HttpApp.Default =
          rateLimited !== undefined
            ? isSandbox
              ? Effect.succeed(SandboxResponses.rateLimited(rateLimited))
              : Effect.die(rateLimited)
            : lacksHost(request)
              ? Effect.die(ApiError.invalidRequest("The Host header is missing."))
              : method === "OPTIONS" && methods.length > 0
                ? Effect.succeed(HttpServerResponse.empty({ status: 204, headers: { allow: methods.join(", ") } }))
                : app
        // One copy for all: each service that is added alone makes a copy of its own.
        const requestServices = new Map(services.unsafeMap)
          .set(HttpServerRequest.HttpServerRequest.key, withBody(request))
          .set(HttpIncomingMessage.MaxBodySize.key, bodyLimit)
          .set(RequestId.key, requestId)
          .set(RequestContext.key, info)
        if (span !== undefined) requestServices.set(Tracer.ParentSpan.key, span)
        // Each request has its own fiber, so this is not reset at its end.
        return FiberRef.set(FiberRef.currentContext, Context.unsafeMake(requestServices)).pipe(
          Effect.zipRight(handler),
          Effect.matchCauseEffect({
            onFailure: (cause) =>
              Cause.isInterruptedOnly(cause)
                ? Effect.failCause(Cause.stripFailures(cause))
                : respondToFailure(cause, request, route, requestId, config.contract),
            onSuccess: (response) => Effect.succeed(withCacheControl(response, info))
          })
        )
      })

    return (app: HttpApp.Default) => {
      // Made at the first request, when all routes are added.
      let responding: HttpApp.Default | undefined
      return Effect.suspend(
        () => responding ?? Effect.flatMap(router.router, (routes) => (responding = respond(app, Routes.of(routes))))
      )
    }
  })
).pipe(Layer.provide(HttpApiBuilder.Router.Live))

const withBody = (request: HttpServerRequest.HttpServerRequest) =>
  request.method === "GET" || request.method === "HEAD" ? request : RequestBody.withCheckedBody(request)

/** The request with the last address of `X-Forwarded-For`, which the nearest proxy appended, where it is valid. */
const withForwardedAddress = (request: HttpServerRequest.HttpServerRequest) => {
  const forwardedAddress = IpAddress.parse(request.headers["x-forwarded-for"]?.split(",").at(-1) ?? "")
  return forwardedAddress === undefined ? request : request.modify({ remoteAddress: forwardedAddress })
}

/** Tells whether the required Host is missing (RFC 9112 3.2); Node's own response would have no body. */
const lacksHost = (request: HttpServerRequest.HttpServerRequest): boolean =>
  request.headers["host"] === undefined && NodeHttpServerRequest.toIncomingMessage(request).httpVersion === "1.1"

const checkRateLimit = (
  limits: Context.Tag.Service<RateLimits>,
  request: HttpServerRequest.HttpServerRequest,
  pattern: string
): OpenApiError.RateLimited | undefined => {
  const address = Option.getOrElse(request.remoteAddress, () => "unknown")
  const addressLimited = limits.address(address)
  if (addressLimited !== undefined) return addressLimited
  if (pattern === "/openapi/v2/token") return limits.open("token", address)
  return ErrorPages.isPage(pattern) ? limits.open("authorize", address) : undefined
}

/** The headers of RFC 9745 and RFC 8594. */
const deprecationHeaders = (deprecation: Deprecation | undefined): ReadonlyArray<readonly [string, string]> =>
  deprecation === undefined
    ? []
    : [
        ["deprecation", `@${Math.floor(deprecation.since.getTime() / 1000)}`],
        ...(deprecation.sunset === undefined ? [] : [["sunset", deprecation.sunset.toUTCString()] as const])
      ]

/** Forbids caching; a response to an application's token is private to a user. */
const withCacheControl = (response: HttpServerResponse.HttpServerResponse, { clientId }: RequestInfo) =>
  response.headers["cache-control"] === undefined
    ? HttpServerResponse.setHeader(response, "cache-control", clientId === undefined ? "no-store" : "private, no-store")
    : response

const respondToFailure = (
  cause: Cause.Cause<unknown>,
  request: HttpServerRequest.HttpServerRequest,
  { methods, pattern }: Routes.Route,
  requestId: string,
  { errorShape }: ContractOptions
) =>
  Effect.gen(function* () {
    const error = Cause.squash(cause)
    const refusal = toRefusal(error, request.method, methods)
    if (refusal._tag === "ServiceFailure" && !isRefusal(error)) {
      yield* Effect.logError("a request failed", cause)
    }
    const authorization = request.headers["authorization"]
    const { body, headers, status } = OpenApiError.toResponse(refusal, requestId, {
      shape: errorShape,
      hasNumericCode: pattern.startsWith("/openapi/v2/localassistant"),
      ...(authorization === undefined
        ? { credentials: "none" }
        : /^basic /i.test(authorization)
          ? { credentials: "basic" }
          : {})
    })
    const allHeaders: Readonly<Record<string, string>> = {
      ...headers,
      "cache-control": "no-store",
      ...(refusal._tag === "UnexpectedStatus" && refusal.status === 405 ? { allow: methods.join(", ") } : {})
    }
    const { "content-type": contentType = "application/json", ...otherHeaders } = allHeaders
    return Option.match(ErrorPages.of({ status, refusal, requestId }, request, pattern), {
      onSome: HttpServerResponse.setHeaders(otherHeaders),
      onNone: () => HttpServerResponse.text(body, { status, contentType, headers: allHeaders })
    })
  })

const isRefusal = Schema.is(OpenApiError.Refusal)

const toRefusal = (error: unknown, method: string, methods: ReadonlyArray<string>): OpenApiError.Refusal => {
  if (isRefusal(error)) return error
  if (error instanceof HttpServerError.RouteNotFound) {
    // An allowed method never gets 405, even when the router refuses the path.
    return methods.length > 0 && !methods.includes(method)
      ? ApiError.unexpectedStatus(405, `This address answers ${methods.join(", ")} only.`)
      : ApiError.notFound("There is nothing at this address.")
  }
  if (error instanceof HttpServerError.RequestError && error.reason === "Decode") {
    return ApiError.invalidRequest("The body cannot be read as what its Content-Type says.")
  }
  if (error instanceof HttpApiError.HttpApiDecodeError) {
    // Only the paths: the platform's message repeats the values, secrets included.
    const paths = [...new Set(error.issues.map((issue) => issue.path.map(String).join(".")))]
    return ApiError.invalidRequest(
      paths.every((path) => path === "")
        ? "The body is missing or has the wrong type: it must be a JSON object."
        : `Missing, of the wrong type or not allowed: ${paths.filter((path) => path !== "").join(", ")}.`
    )
  }
  if (WriteCheck.isRefusal(error)) {
    return ApiError.temporarilyUnavailable("The service cannot store anything at the moment. Try again later.", 5)
  }
  return new OpenApiError.ServiceFailure({
    code: "server_error",
    description: "The service failed on this request. Report it with the request id if it stays.",
    status: 500
  })
}
