import * as FileSystem from "@effect/platform/FileSystem"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpApiError from "@effect/platform/HttpApiError"
import type * as HttpApp from "@effect/platform/HttpApp"
import * as HttpIncomingMessage from "@effect/platform/HttpIncomingMessage"
import * as HttpServerError from "@effect/platform/HttpServerError"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import * as OpenApiError from "@heddle/core/OpenApiError"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FiberRef from "effect/FiberRef"
import * as HashMap from "effect/HashMap"
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
import * as Routes from "./Routes.ts"

/**
 * Adds a request id and, by default, `Cache-Control: no-store` to every response. Every error gets the same body:
 * refusals, unreadable JSON, unknown routes and defects (contract decisions 4, 12, 19, 20). Every request is logged
 * and traced; API requests are rate-limited (contract decision 17).
 */
export const layer: Layer.Layer<never, never, RateLimits | ServerConfig> = HttpApiBuilder.middleware(
  Effect.gen(function* () {
    const config = yield* ServerConfig
    const limits = yield* RateLimits
    const observe = yield* RequestTelemetry.make
    const router = yield* HttpApiBuilder.Router
    // Only when the first request comes have all routes been added.
    let known: ReturnType<typeof Routes.of> | undefined
    const routes = Effect.suspend(() =>
      known === undefined ? Effect.map(router.router, (all) => (known = Routes.of(all))) : Effect.succeed(known)
    )
    const bodyLimit = Option.some(FileSystem.Size(config.limits.body))
    const deprecation = deprecationHeaders(config.deprecation)

    return (app: HttpApp.Default) =>
      Effect.gen(function* () {
        const arrived = yield* HttpServerRequest.HttpServerRequest
        const request = config.trustProxy ? forwarded(arrived) : arrived
        const { method, url } = request
        const { methods, pattern } = (yield* routes)(url)
        const requestId = generate()
        const info: RequestInfo = { requestId, method, route: pattern, clientId: undefined }
        // On the raw response, so that handlers that write it themselves carry them too.
        const raw = NodeHttpServerRequest.toServerResponse(request)
        raw.setHeader("x-request-id", requestId)
        for (const [name, value] of Object.entries(Cors.headers(request, config.corsOrigins)))
          raw.setHeader(name, value)
        const isApi = url.startsWith("/openapi/") || pattern.startsWith("/openapi/")
        if (isApi) for (const [name, value] of deprecation) raw.setHeader(name, value)
        const span = observe(request, raw, info)

        const refused = isApi || ErrorPages.isPage(pattern) ? tooOften(limits, request, pattern) : undefined
        const answered: HttpApp.Default =
          refused !== undefined
            ? Effect.die(refused)
            : lacksHost(request)
              ? Effect.die(ApiError.invalidRequest("The Host header is missing."))
              : method === "OPTIONS" && methods.length > 0
                ? Effect.succeed(HttpServerResponse.empty({ status: 204, headers: { allow: methods.join(", ") } }))
                : app
        // The fiber is the request's own: there is nothing to put back afterwards.
        yield* FiberRef.update(FiberRef.currentLogAnnotations, HashMap.set<string, unknown>("request_id", requestId))
        return yield* answered.pipe(
          Effect.map((response) => withoutCaching(response, info)),
          Effect.catchAllCause((cause) =>
            Cause.isInterruptedOnly(cause)
              ? Effect.failCause(Cause.stripFailures(cause))
              : answer(cause, request, { methods, pattern }, requestId, config.contract)
          ),
          Effect.mapInputContext((context: Context.Context<HttpServerRequest.HttpServerRequest>) =>
            context.pipe(
              Context.add(HttpServerRequest.HttpServerRequest, withBody(request)),
              Context.add(HttpIncomingMessage.MaxBodySize, bodyLimit),
              Context.add(RequestId, requestId),
              Context.add(RequestContext, info),
              (own) => (span === undefined ? own : Context.add(own, Tracer.ParentSpan, span))
            )
          )
        )
      })
  })
).pipe(Layer.provide(HttpApiBuilder.Router.Live))

const withBody = (request: HttpServerRequest.HttpServerRequest) =>
  request.method === "GET" || request.method === "HEAD" ? request : RequestBody.checked(request)

/** The request with the address that the nearest proxy saw: the last one that was appended, where it is one. */
const forwarded = (request: HttpServerRequest.HttpServerRequest) => {
  const last = IpAddress.parse(request.headers["x-forwarded-for"]?.split(",").at(-1) ?? "")
  return last === undefined ? request : request.modify({ remoteAddress: last })
}

/** What Node would refuse without a body (RFC 9112 3.2). */
const lacksHost = (request: HttpServerRequest.HttpServerRequest): boolean =>
  request.headers["host"] === undefined && NodeHttpServerRequest.toIncomingMessage(request).httpVersion === "1.1"

const tooOften = (
  limits: Context.Tag.Service<RateLimits>,
  request: HttpServerRequest.HttpServerRequest,
  pattern: string
): OpenApiError.RateLimited | undefined => {
  const address = Option.getOrElse(request.remoteAddress, () => "unknown")
  const refused = limits.address(address)
  if (refused !== undefined) return refused
  if (pattern === "/openapi/v2/token") return limits.open("token", address)
  return ErrorPages.isPage(pattern) ? limits.open("authorize", address) : undefined
}

/** RFC 9745 and RFC 8594. */
const deprecationHeaders = (deprecation: Deprecation | undefined): ReadonlyArray<readonly [string, string]> =>
  deprecation === undefined
    ? []
    : [
        ["deprecation", `@${Math.floor(deprecation.since.getTime() / 1000)}`],
        ...(deprecation.sunset === undefined ? [] : [["sunset", deprecation.sunset.toUTCString()] as const])
      ]

/** What was answered to an application's token is a user's alone. */
const withoutCaching = (response: HttpServerResponse.HttpServerResponse, { clientId }: RequestInfo) =>
  response.headers["cache-control"] === undefined
    ? HttpServerResponse.setHeader(response, "cache-control", clientId === undefined ? "no-store" : "private, no-store")
    : response

const answer = (
  cause: Cause.Cause<unknown>,
  request: HttpServerRequest.HttpServerRequest,
  { methods, pattern }: Routes.Route,
  requestId: string,
  { errorShape }: ContractOptions
) =>
  Effect.gen(function* () {
    const refusal = refusalOf(Cause.squash(cause), request.method, methods)
    if (refusal._tag === "ServiceFailure" && refusal.status === 500) {
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
    const all: Readonly<Record<string, string>> = {
      ...headers,
      "cache-control": "no-store",
      ...(refusal._tag === "UnexpectedStatus" && refusal.status === 405 ? { allow: methods.join(", ") } : {})
    }
    const { "content-type": contentType = "application/json", ...others } = all
    return Option.match(ErrorPages.of({ status, refusal, requestId }, request, pattern), {
      onSome: HttpServerResponse.setHeaders(others),
      onNone: () => HttpServerResponse.text(body, { status, contentType, headers: all })
    })
  })

const isRefusal = Schema.is(OpenApiError.Refusal)

const refusalOf = (error: unknown, method: string, methods: ReadonlyArray<string>): OpenApiError.Refusal => {
  if (isRefusal(error)) return error
  if (error instanceof HttpServerError.RouteNotFound) {
    // A method that is allowed here is never answered with 405, whatever the router thinks of the path.
    return methods.length > 0 && !methods.includes(method)
      ? ApiError.unexpected(405, `This address answers ${methods.join(", ")} only.`)
      : ApiError.notFound("There is nothing at this address.")
  }
  if (error instanceof HttpServerError.RequestError && error.reason === "Decode") {
    return ApiError.invalidRequest("The body cannot be read as what its Content-Type says.")
  }
  if (error instanceof HttpApiError.HttpApiDecodeError) {
    // Only where, never what: the platform's message repeats the values, secrets included.
    const paths = [...new Set(error.issues.map((issue) => issue.path.map(String).join(".")))]
    return ApiError.invalidRequest(
      paths.every((path) => path === "")
        ? "The body is missing or has the wrong type: it must be a JSON object."
        : `Missing, of the wrong type or not allowed: ${paths.filter((path) => path !== "").join(", ")}.`
    )
  }
  return new OpenApiError.ServiceFailure({
    code: "server_error",
    description: "The service failed on this request. Report it with the request id if it stays.",
    status: 500
  })
}
