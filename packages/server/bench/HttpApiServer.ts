import * as HttpApi from "@effect/platform/HttpApi"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpApiMiddleware from "@effect/platform/HttpApiMiddleware"
import * as HttpApiSecurity from "@effect/platform/HttpApiSecurity"
import * as HttpMiddleware from "@effect/platform/HttpMiddleware"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Http from "node:http"
import { headers, read, token } from "./Profile.ts"

// The least that the same answer takes on Effect's platform: one route behind one bearer middleware, without spans.

class Unauthorized extends Schema.TaggedError<Unauthorized>()("Unauthorized", {}) {}

class CurrentProfile extends Context.Tag("CurrentProfile")<CurrentProfile, string>() {}

class Bearer extends HttpApiMiddleware.Tag<Bearer>()("Bearer", {
  failure: Unauthorized,
  provides: CurrentProfile,
  security: { bearer: HttpApiSecurity.bearer }
}) {}

const profile = HttpApiEndpoint.get("profile", "/openapi/v2/user/profile").addSuccess(
  Schema.Struct({ nickname: Schema.String, avatar: Schema.String })
)
const api = HttpApi.make("Bench").add(HttpApiGroup.make("user").add(profile).middleware(Bearer))

const bearer = Layer.succeed(Bearer, {
  bearer: () =>
    Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
      const body = read(request.headers["authorization"])
      return body === undefined ? Effect.fail(new Unauthorized()) : Effect.succeed(body)
    })
})
const user = HttpApiBuilder.group(api, "user", (handlers) =>
  handlers.handle("profile", () =>
    Effect.map(CurrentProfile, (body) => {
      const { "content-type": contentType, ...others } = headers()
      return HttpServerResponse.raw(body, { contentType, contentLength: Buffer.byteLength(body), headers: others })
    })
  )
)

const server = Http.createServer()
const main = HttpApiBuilder.serve().pipe(
  HttpMiddleware.withTracerDisabledWhen(() => true),
  Layer.provide(HttpApiBuilder.api(api)),
  Layer.provide(user),
  Layer.provide(bearer),
  Layer.provide(NodeHttpServer.layer(() => server, { port: 0, host: "127.0.0.1" }))
)
const tellReady = Effect.sync(() => {
  const address = server.address()
  if (address === null || typeof address === "string") throw new Error("no port")
  process.send?.({ ready: { url: `http://127.0.0.1:${address.port}`, token } })
})
await Effect.runPromise(Layer.launch(Layer.provide(Layer.effectDiscard(tellReady), main)))
