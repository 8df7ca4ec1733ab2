import { NodeHttpClient } from "@effect/platform-node"
import * as AccessToken from "@heddle/core/AccessToken"
import * as Assistant from "@heddle/core/Assistant"
import * as Credits from "@heddle/core/Credits"
import * as OpenApiClient from "@heddle/core/OpenApiClient"
import * as Redemptions from "@heddle/core/Redemptions"
import * as Tasks from "@heddle/core/Tasks"
import * as Users from "@heddle/core/Users"
import { type PlainService, type PlainServiceOptions, startPlainService } from "@heddle/plain-service"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"

/** Starts a service that knows the document alone, and a client of it; both end with the scope. */
export const start = (options?: PlainServiceOptions) =>
  Effect.gen(function* () {
    const service = yield* Effect.acquireRelease(
      Effect.promise(() => startPlainService(options)),
      ({ stop }) => Effect.promise(stop)
    )
    return { service, ...(yield* client(service)) }
  })

/** Another client of the service, whose renewals are new grants. */
export const client = (service: PlainService) =>
  Effect.gen(function* () {
    let token = Redacted.make(service.grant().access_token)
    let renewals = 0
    const accessToken = Layer.succeed(AccessToken.AccessToken, {
      current: Effect.sync(() => token),
      renew: () =>
        Effect.sync(() => {
          renewals += 1
          return (token = Redacted.make(service.grant().access_token))
        })
    })
    const context = yield* Layer.build(
      Layer.mergeAll(Users.layer, Credits.layer, Assistant.layer, Tasks.layer, Redemptions.layer).pipe(
        Layer.provide(OpenApiClient.layer({ baseUrl: service.url })),
        Layer.provide(accessToken),
        Layer.provide(NodeHttpClient.layer)
      )
    )
    return {
      users: Context.get(context, Users.Users),
      credits: Context.get(context, Credits.Credits),
      assistant: Context.get(context, Assistant.Assistant),
      tasks: Context.get(context, Tasks.Tasks),
      redemptions: Context.get(context, Redemptions.Redemptions),
      renewals: () => renewals
    }
  })

export type Client = Effect.Effect.Success<ReturnType<typeof client>>

/** How often an operation was requested. */
export const requestsOf = ({ requests }: PlainService, method: string, path: string): number =>
  requests.filter((request) => request.method === method && request.path === `/openapi/v2${path}`).length
