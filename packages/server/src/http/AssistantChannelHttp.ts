import * as FileSystem from "@effect/platform/FileSystem"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpIncomingMessage from "@effect/platform/HttpIncomingMessage"
import * as HttpRouter from "@effect/platform/HttpRouter"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import type * as Schema from "effect/Schema"
import { AssistantCredentials } from "../AssistantCredentials.ts"
import { AssistantDelivery, type Line, type Run } from "../AssistantDelivery.ts"
import { AssistantOptions } from "../AssistantOptions.ts"
import { AssistantStore } from "../AssistantStore.ts"
import * as Wire from "../assistant/Wire.ts"
import * as Refuse from "../internal/Refuse.ts"
import * as EventStream from "./EventStream.ts"
import type { ServerResponse } from "node:http"

/** The channel of the users' `heddle-assistant` programs: a stream of events down, requests up. No part of the document. */
export const layer: Layer.Layer<never, never, AssistantCredentials | AssistantDelivery | AssistantStore> =
  HttpApiBuilder.Router.use((router) =>
    Effect.gen(function* () {
      const credentials = yield* AssistantCredentials
      const delivery = yield* AssistantDelivery
      const store = yield* AssistantStore
      const { heartbeat } = yield* AssistantOptions

      /** Who calls: its credential opens this channel and nothing else does. */
      const caller = Effect.gen(function* () {
        const { headers } = yield* HttpServerRequest.HttpServerRequest
        const token = /^bearer +(oa_as_\S+) *$/i.exec(headers["authorization"] ?? "")?.[1]
        const identity = token === undefined ? Option.none() : yield* credentials.verify(Redacted.make(token))
        if (Option.isNone(identity)) {
          return yield* Refuse.invalidToken("The assistant's credential is missing, unknown or revoked.")
        }
        const instance = headers[Wire.instanceHeader] ?? ""
        if (!/^[\w-]{8,64}$/.test(instance)) {
          return yield* Refuse.invalidRequest(`The header ${Wire.instanceHeader} is missing.`)
        }
        return { ...identity.value, instance } satisfies Run
      })

      const body = <A, I>(schema: Schema.Schema<A, I>) =>
        HttpServerRequest.schemaBodyJson(schema).pipe(
          HttpIncomingMessage.withMaxBodySize(Option.some(FileSystem.Size(maxBody))),
          Effect.catchTag("ParseError", () => Effect.fail(Refuse.invalidRequest("The body has the wrong shape.")))
        )

      const parameter = (name: string) => Effect.map(HttpRouter.params, (params) => params[name] ?? "")

      yield* router.get(
        `${Wire.path}/events`,
        Effect.gen(function* () {
          const run = yield* caller
          const request = yield* HttpServerRequest.HttpServerRequest
          if (request.method === "HEAD") return HttpServerResponse.empty({ headers: EventStream.headers })
          const response = NodeHttpServerRequest.toServerResponse(request)
          EventStream.begin(response)
          const pulse = setInterval(() => send(response, ": ping\n\n"), Duration.toMillis(heartbeat))
          return yield* Effect.acquireUseRelease(
            delivery.connect(run, lineOf(response)),
            () => EventStream.ended(response, () => clearInterval(pulse)),
            (leave) => leave
          )
        })
      )

      yield* router.post(
        `${Wire.path}/condition`,
        Effect.gen(function* () {
          const run = yield* caller
          const { problem } = yield* body(Wire.Condition)
          if (yield* delivery.heard(run, problem)) return yield* HttpServerResponse.json({})
          return yield* Refuse.conflict("This program's stream of events is gone: open it anew.")
        })
      )

      yield* router.post(
        `${Wire.path}/messages/:message_id/reply`,
        Effect.gen(function* () {
          const run = yield* caller
          const reply = yield* store.reply(run.userId, yield* parameter("message_id"), yield* body(Wire.Reply))
          if (Option.isNone(reply)) return yield* noMessage
          yield* delivery.heard(run)
          yield* delivery.deliver(run.userId)
          return yield* HttpServerResponse.json({ messageId: reply.value })
        })
      )

      yield* router.post(
        `${Wire.path}/messages/:message_id/questions`,
        Effect.gen(function* () {
          const run = yield* caller
          const asked = yield* store.ask(run, yield* parameter("message_id"), yield* body(Wire.Asked))
          if (Option.isNone(asked)) return yield* noMessage
          return yield* HttpServerResponse.json({ messageId: asked.value })
        })
      )

      yield* router.post(
        `${Wire.path}/questions/:request_id/withdrawal`,
        Effect.gen(function* () {
          const { userId } = yield* caller
          yield* store.withdraw(userId, yield* parameter("request_id"))
          return yield* HttpServerResponse.json({})
        })
      )
    })
  )

/** Room for the longest answer of the program, whatever its characters. */
const maxBody = 1024 * 1024

const noMessage = Effect.fail(Refuse.notFound("The user has no such message."))

const lineOf = (response: ServerResponse): Line => ({
  push: ({ data, event }) => send(response, `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`),
  end: () => {
    response.end()
    // A peer behind a broken cable never takes the end.
    setTimeout(() => response.destroy(), 1000).unref()
  }
})

const send = (response: ServerResponse, text: string): void => {
  if (!response.writableEnded) response.write(text)
}
