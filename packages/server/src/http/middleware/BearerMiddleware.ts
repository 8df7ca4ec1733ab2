import * as HttpApi from "@effect/platform/HttpApi"
import * as HttpRouter from "@effect/platform/HttpRouter"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import { Bearer, RequiredScope } from "@heddle/core/api/Bearer"
import { OpenApi } from "@heddle/core/api/OpenApi"
import type { Scope } from "@heddle/core/domain/Scope"
import { InsufficientScope } from "@heddle/core/OpenApiError"
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
    const check = Effect.gen(function* () {
      const request = yield* HttpServerRequest.HttpServerRequest
      const { route } = yield* HttpRouter.RouteContext
      const token = readBearerToken(request.headers["authorization"])
      if (token === undefined) {
        return yield* ApiError.invalidToken("The request carries no access token: send Authorization: Bearer <token>.")
      }
      const grant = yield* grants.verify(token)
      const endpoint = `${route.method} ${route.path}`
      const context = yield* RequestContext
      context.clientId = grant.clientId
      const rateLimited = limits.granted(grant, endpoint)
      if (rateLimited !== undefined) return yield* rateLimited
      const required = requiredScopes.get(endpoint)
      // An endpoint without the annotation is a bug; it must not be open.
      if (required === undefined) return yield* Effect.dieMessage(`${route.path} names no scope`)
      if (!grant.scopes.has(required)) {
        return yield* new InsufficientScope({
          code: "insufficient_scope",
          description: `The access token lacks the scope ${required}.`,
          required: [required]
        })
      }
      return grant
    })
    // Reads the header itself, because the platform extracts a token without checking the scheme.
    return { bearer: () => check }
  })
)

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
