import * as HttpApi from "@effect/platform/HttpApi"
import * as HttpRouter from "@effect/platform/HttpRouter"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import { Bearer, type CurrentGrant, RequiredScope } from "@heddle/core/api/Bearer"
import { OpenApi } from "@heddle/core/api/OpenApi"
import type { Scope } from "@heddle/core/domain/Scope"
import * as OpenApiError from "@heddle/core/OpenApiError"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { Grants } from "../../oauth/Grants.ts"
import * as ApiError from "../../internal/ApiError.ts"
import { RateLimits } from "../../limits/RateLimits.ts"
import { RequestContext } from "../message/RequestContext.ts"

/**
 * Checks the bearer token and the scope that the endpoint requires (contract 5.1d, 5.6); the header only, never a
 * query.
 */
export const layer: Layer.Layer<Bearer, never, Grants | RateLimits> = Layer.effect(
  Bearer,
  Effect.gen(function* () {
    const grants = yield* Grants
    const limits = yield* RateLimits
    const check = Effect.withFiberRuntime<Grant, Refusal, HttpServerRequest.HttpServerRequest>(({ currentContext }) => {
      const request = Context.unsafeGet(currentContext, HttpServerRequest.HttpServerRequest)
      const { route } = Context.unsafeGet(currentContext, HttpRouter.RouteContext)
      const token = readBearerToken(request.headers["authorization"])
      if (token === undefined) {
        return ApiError.invalidToken("The request carries no access token: send Authorization: Bearer <token>.")
      }
      return Effect.flatMap(grants.verify(token), (grant): Effect.Effect<Grant, Refusal> => {
        const endpoint = `${route.method} ${route.path}`
        Context.get(currentContext, RequestContext).clientId = grant.clientId
        const rateLimited = limits.granted(grant, endpoint)
        if (rateLimited !== undefined) return rateLimited
        const required = requiredScopes.get(endpoint)
        // An endpoint without the annotation is a bug; it must not be open.
        if (required === undefined) return Effect.dieMessage(`${route.path} names no scope`)
        return grant.scopes.has(required)
          ? Effect.succeed(grant)
          : new OpenApiError.InsufficientScope({
              code: "insufficient_scope",
              description: `The access token lacks the scope ${required}.`,
              required: [required]
            })
      })
    })
    // Reads the header itself, because the platform extracts a token without checking the scheme.
    return { bearer: () => check }
  })
)

type Grant = Context.Tag.Service<typeof CurrentGrant>

type Refusal =
  | OpenApiError.InvalidToken
  | OpenApiError.AccessDenied
  | OpenApiError.RateLimited
  | OpenApiError.InsufficientScope

const readBearerToken = (header: string | undefined): Redacted.Redacted | undefined => {
  const match = /^bearer +([^\s]+) *$/i.exec(header ?? "")
  return match?.[1] === undefined ? undefined : Redacted.make(match[1])
}

const requiredScopes = ((): ReadonlyMap<string, Scope> => {
  const scopes = new Map<string, Scope>()
  HttpApi.reflect(OpenApi, {
    onGroup: () => {},
    onEndpoint: ({ endpoint }) => {
      const scope = Context.getOption(endpoint.annotations, RequiredScope)
      if (Option.isSome(scope)) scopes.set(`${endpoint.method} ${endpoint.path}`, scope.value)
    }
  })
  return scopes
})()
