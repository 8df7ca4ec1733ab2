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
import { AssistantCredentials } from "../assistant/AssistantCredentials.ts"
import { AssistantDelivery } from "../assistant/AssistantDelivery.ts"
import { AssistantOptions } from "../assistant/AssistantOptions.ts"
import { AssistantMessages } from "../assistant/AssistantMessages.ts"
import { AssistantQuestions } from "../assistant/AssistantQuestions.ts"
import type { EventSink, Run } from "../assistant/Connections.ts"
import * as Protocol from "@heddle/core/api/AssistantProtocol"
import * as JsonSize from "../internal/JsonSize.ts"
import * as ApiError from "../internal/ApiError.ts"
import { RateLimits } from "../limits/RateLimits.ts"
import * as EventStream from "./message/EventStream.ts"
import type { ServerResponse } from "node:http"

/**
 * The channel of the users' `heddle-assistant` programs: a stream of events down, requests up. No part of the
 * document.
 */
export const layer: Layer.Layer<
  never,
  never,
  AssistantCredentials | AssistantDelivery | AssistantMessages | AssistantQuestions | RateLimits
> = HttpApiBuilder.Router.use((router) =>
  Effect.gen(function* () {
    const delivery = yield* AssistantDelivery
    const caller = yield* makeCaller
    /** The program that is connected with its credential; a conflict when another run took its place. */
    const connected = Effect.gen(function* () {
      const run = yield* caller
      return (yield* delivery.heard(run)) ? run : yield* gone
    })

    yield* router.get(`${Protocol.path}/events`, Effect.flatMap(caller, yield* makeEvents))
    yield* router.post(`${Protocol.path}/condition`, Effect.flatMap(caller, yield* makeCondition))
    yield* router.post(`${Protocol.path}/messages/:message_id/reply`, Effect.flatMap(connected, yield* makeReply))
    yield* router.post(
      `${Protocol.path}/messages/:message_id/questions`,
      Effect.flatMap(connected, yield* makeQuestion)
    )
    yield* router.post(
      `${Protocol.path}/questions/:request_id/withdrawal`,
      Effect.flatMap(caller, yield* makeWithdrawal)
    )
  })
)

/** Checks who calls: the assistant's credential opens this channel and nothing else. */
const makeCaller = Effect.gen(function* () {
  const credentials = yield* AssistantCredentials
  const limits = yield* RateLimits
  return Effect.gen(function* () {
    const { headers, remoteAddress } = yield* HttpServerRequest.HttpServerRequest
    const refused = limits.address(Option.getOrElse(remoteAddress, () => "unknown"))
    if (refused !== undefined) return yield* refused
    const token = /^bearer +(oa_as_\S+) *$/i.exec(headers["authorization"] ?? "")?.[1]
    const identity = token === undefined ? Option.none() : yield* credentials.verify(Redacted.make(token))
    if (Option.isNone(identity)) {
      return yield* ApiError.invalidToken("The assistant's credential is missing, unknown or revoked.")
    }
    const instance = headers[Protocol.instanceHeader] ?? ""
    if (!/^[\w-]{8,64}$/.test(instance)) {
      return yield* ApiError.invalidRequest(`The header ${Protocol.instanceHeader} is missing.`)
    }
    const tooOften = limits.assistant(identity.value.assistantId)
    if (tooOften !== undefined) return yield* tooOften
    return { ...identity.value, instance } satisfies Run
  })
})

const makeEvents = Effect.gen(function* () {
  const delivery = yield* AssistantDelivery
  const { heartbeat } = yield* AssistantOptions
  return Effect.fnUntraced(function* (run: Run) {
    const request = yield* HttpServerRequest.HttpServerRequest
    if (request.method === "HEAD") return HttpServerResponse.empty({ headers: EventStream.headers })
    const response = NodeHttpServerRequest.toServerResponse(request)
    EventStream.begin(response)
    const pulse = setInterval(() => send(response, ": ping\n\n"), Duration.toMillis(heartbeat))
    return yield* Effect.acquireUseRelease(
      delivery.connect(run, sinkOf(response)),
      () => EventStream.ended(response, () => clearInterval(pulse)),
      (leave) => leave
    )
  })
})

const makeCondition = Effect.map(AssistantDelivery, (delivery) =>
  Effect.fnUntraced(function* (run: Run) {
    const { problem } = yield* body(Protocol.StatusReport)
    return (yield* delivery.heard(run, problem)) ? yield* HttpServerResponse.json({}) : yield* gone
  })
)

const makeReply = Effect.gen(function* () {
  const messages = yield* AssistantMessages
  const delivery = yield* AssistantDelivery
  return Effect.fnUntraced(function* (run: Run) {
    const given = yield* body(Protocol.Reply)
    if (JsonSize.of(given.text) > Protocol.maxReplyBytes) return yield* tooLong
    const reply = yield* messages.reply(run.userId, yield* parameter("message_id"), given)
    if (Option.isNone(reply)) return yield* noMessage
    yield* delivery.deliver(run.userId)
    return yield* HttpServerResponse.json({ messageId: reply.value })
  })
})

const makeQuestion = Effect.map(AssistantQuestions, (questions) =>
  Effect.fnUntraced(function* (run: Run) {
    const given = yield* body(Protocol.QuestionRequest)
    if (Buffer.byteLength(JSON.stringify(given)) > Protocol.maxMessageBytes) return yield* tooLong
    const asked = yield* questions.ask(run, yield* parameter("message_id"), given)
    if (Option.isNone(asked)) return yield* noMessage
    return yield* HttpServerResponse.json({ messageId: asked.value })
  })
)

const makeWithdrawal = Effect.map(AssistantQuestions, (questions) =>
  Effect.fnUntraced(function* (run: Run) {
    yield* questions.withdraw(run, yield* parameter("request_id"))
    return yield* HttpServerResponse.json({})
  })
)

const body = <A, I>(schema: Schema.Schema<A, I>) =>
  HttpServerRequest.schemaBodyJson(schema).pipe(
    HttpIncomingMessage.withMaxBodySize(Option.some(FileSystem.Size(maxBody))),
    Effect.catchTag("ParseError", () => Effect.fail(ApiError.invalidRequest("The body has the wrong shape.")))
  )

const parameter = (name: string) => Effect.map(HttpRouter.params, (params) => params[name] ?? "")

/** Room for the longest answer of the program, whatever its characters. */
const maxBody = 1024 * 1024

const noMessage = Effect.fail(ApiError.notFound("The user has no such message."))

const gone = Effect.fail(ApiError.conflict("This program's stream of events is gone: open it anew."))

const tooLong = Effect.fail(ApiError.unexpected(413, "The text is too long for a message. Nothing was kept."))

const sinkOf = (response: ServerResponse): EventSink => ({
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
