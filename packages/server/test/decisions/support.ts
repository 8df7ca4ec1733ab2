import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { afterAll, beforeAll } from "vitest"
import * as Api from "../support/Api.ts"
import * as TestServer from "../support/TestServer.ts"

/** A service, and calls under `/openapi/v2` in the name of a user with every scope. */
export const started = (options: Parameters<typeof TestServer.make>[0] = {}) =>
  Effect.gen(function* () {
    const server = yield* TestServer.make(options)
    const token = yield* server.grantTo("Loom", "Ada")
    const as =
      (token: string) =>
      (path: string, json?: unknown, headers: Record<string, string> = {}) =>
        Api.call(server, token, path, { json, headers })
    const plain = (path: string, init: RequestInit = {}) => Api.request(server, `/openapi/v2${path}`, init)
    const ready = (path: string) =>
      Effect.delay(as(token)(path), "10 millis").pipe(
        Effect.repeat({ until: ({ json }) => json["token"] !== undefined }),
        Effect.timeout("5 seconds")
      )
    return { server, token, as, call: as(token), plain, ready }
  })

/** One usual service for all tests of a file that neither change nor count what others leave there. */
export const sharedService = () => {
  const scope = Effect.runSync(Scope.make())
  let service: Effect.Effect.Success<ReturnType<typeof started>> | undefined
  beforeAll(async () => {
    service = await Effect.runPromise(Scope.extend(started(), scope))
  })
  afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))
  return Effect.sync(() => {
    if (service === undefined) throw new Error("the service of this file has not been started")
    return service
  })
}

export const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
