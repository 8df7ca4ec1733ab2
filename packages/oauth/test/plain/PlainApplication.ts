import { NodeHttpClient } from "@effect/platform-node"
import { AccessToken } from "@heddle/core/AccessToken"
import * as OpenApiClient from "@heddle/core/OpenApiClient"
import * as Users from "@heddle/core/Users"
import * as AuthorizationRequests from "@heddle/oauth/AuthorizationRequests"
import * as Grants from "@heddle/oauth/Grants"
import * as TokenEndpoint from "@heddle/oauth/TokenEndpoint"
import * as TokenStore from "@heddle/oauth/TokenStore"
import { type PlainServiceOptions, startPlainService } from "@heddle/plain-service"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"

/** Starts a service that knows the document alone, and an application of it with one user, `u`. */
export const start = Effect.fn(function* (options?: PlainServiceOptions) {
  const service = yield* Effect.acquireRelease(
    Effect.promise(() => startPlainService(options)),
    ({ stop }) => Effect.promise(stop)
  )
  const { clientId, clientSecret, redirectUris } = service.application
  const redirectUri = redirectUris[0] ?? ""
  const application = { baseUrl: service.url, clientId, clientSecret: Redacted.make(clientSecret) }
  const context = yield* Layer.build(
    Layer.mergeAll(Grants.layer, AuthorizationRequests.layerMemory).pipe(
      Layer.provide(TokenStore.layerMemory),
      Layer.provideMerge(TokenEndpoint.layer(application)),
      Layer.provideMerge(NodeHttpClient.layer)
    )
  )
  const endpoint = Context.get(context, TokenEndpoint.TokenEndpoint)
  const grants = Context.get(context, Grants.Grants)
  const requests = Context.get(context, AuthorizationRequests.AuthorizationRequests)

  /** The code that the user brings back from the authorization page. */
  const authorize = Effect.gen(function* () {
    const { url } = yield* requests.begin({ ...application, redirectUri, userId: "u" })
    const page = yield* Effect.promise(() => fetch(url, { redirect: "manual" }))
    const { searchParams } = new URL(page.headers.get("location") ?? "")
    return (yield* requests.finish(searchParams, { userId: "u" })).code
  })
  const exchange = (code: Redacted.Redacted) => endpoint.exchange({ code, redirectUri })
  const users = yield* Layer.build(
    Users.layer.pipe(
      Layer.provide(OpenApiClient.layer({ baseUrl: service.url })),
      Layer.provide(Layer.succeed(AccessToken, grants.accessToken("u"))),
      Layer.provide(Layer.succeedContext(context))
    )
  )
  return {
    service,
    endpoint,
    grants,
    authorize,
    exchange,
    /** Connects the user's account. */
    connect: Effect.tap(Effect.flatMap(authorize, exchange), (tokens) => grants.save("u", tokens)),
    /** Reads the profile with the user's grant. */
    profile: Context.get(users, Users.Users).profile,
    /** When tokens were requested, and what the answers were. */
    tokenRequests: () => service.requests.filter(({ path }) => path === TokenEndpoint.path)
  }
})
