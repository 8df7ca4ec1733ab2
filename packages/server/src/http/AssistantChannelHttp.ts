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
 * The channel of the users' `heddle-assistant` programs: a stream of events down, requests up. It is not part of the
 * public contract.
 */
export const layer: Layer.Layer<
  never,
  never,
  AssistantCredentials | AssistantDelivery | AssistantMessages | AssistantQuestions | RateLimits
> = HttpApiBuilder.Router.use((router) =>
  Effect.gen(function* () {
    const delivery = yield* AssistantDelivery
    const authenticate = yield* makeAuthenticate
    /** Authenticates a program; a conflict when its connection is gone or another run replaced it. */
    const authenticateCurrent = Effect.gen(function* () {
      const run = yield* authenticate
      const isCurrent = yield* delivery.recordStatus(run)
      return isCurrent ? run : yield* connectionGone
    })

    yield* router.get(`${Protocol.path}/events`, Effect.flatMap(authenticate, yield* makeEventsHandler))
    yield* router.post(`${Protocol.path}/condition`, Effect.flatMap(authenticate, yield* makeStatusHandler))
    yield* router.post(
      `${Protocol.path}/messages/:message_id/reply`,
      Effect.flatMap(authenticateCurrent, yield* makeReplyHandler)
    )
    yield* router.post(
      `${Protocol.path}/messages/:message_id/questions`,
      Effect.flatMap(authenticateCurrent, yield* makeQuestionHandler)
    )
    yield* router.post(
      `${Protocol.path}/questions/:request_id/withdrawal`,
      Effect.flatMap(authenticate, yield* makeWithdrawalHandler)
    )
  })
)

/** Checks the assistant's credential, which is valid for this channel only. */
const makeAuthenticate = Effect.gen(function* () {
  const credentials = yield* AssistantCredentials
  const limits = yield* RateLimits
  return Effect.gen(function* () {
    const { headers, remoteAddress } = yield* HttpServerRequest.HttpServerRequest
    const addressLimited = limits.address(Option.getOrElse(remoteAddress, () => "unknown"))
    if (addressLimited !== undefined) return yield* addressLimited
    const token = /^bearer +(oa_as_\S+) *$/i.exec(headers["authorization"] ?? "")?.[1]
    const identity = token === undefined ? Option.none() : yield* credentials.verify(Redacted.make(token))
    if (Option.isNone(identity)) {
      return yield* ApiError.invalidToken("The assistant's credential is missing, unknown or revoked.")
    }
    const instance = headers[Protocol.instanceHeader] ?? ""
    if (!/^[\w-]{8,64}$/.test(instance)) {
      return yield* ApiError.invalidRequest(`The header ${Protocol.instanceHeader} is missing.`)
    }
    const assistantLimited = limits.assistant(identity.value.assistantId)
    if (assistantLimited !== undefined) return yield* assistantLimited
    return { ...identity.value, instance } satisfies Run
  })
})

const makeEventsHandler = Effect.gen(function* () {
  const delivery = yield* AssistantDelivery
  const { heartbeat } = yield* AssistantOptions
  return Effect.fnUntraced(function* (run: Run) {
    const request = yield* HttpServerRequest.HttpServerRequest
    if (request.method === "HEAD") return HttpServerResponse.empty({ headers: EventStream.headers })
    const response = NodeHttpServerRequest.toServerResponse(request)
    EventStream.begin(response)
    const heartbeatTimer = setInterval(() => write(response, ": ping\n\n"), Duration.toMillis(heartbeat))
    return yield* Effect.acquireUseRelease(
      delivery.connect(run, makeSink(response)),
      () => EventStream.waitForEnd(response, () => clearInterval(heartbeatTimer)),
      (disconnect) => disconnect
    )
  })
})

const makeStatusHandler = Effect.map(AssistantDelivery, (delivery) =>
  Effect.fnUntraced(function* (run: Run) {
    const { problem } = yield* readBody(Protocol.StatusReport)
    const isCurrent = yield* delivery.recordStatus(run, problem)
    return isCurrent ? yield* HttpServerResponse.json({}) : yield* connectionGone
  })
)

const makeReplyHandler = Effect.gen(function* () {
  const messages = yield* AssistantMessages
  const delivery = yield* AssistantDelivery
  return Effect.fnUntraced(function* (run: Run) {
    const payload = yield* readBody(Protocol.Reply)
    if (JsonSize.sizeOf(payload.text) > Protocol.maxReplyBytes) return yield* tooLong
    const messageId = yield* messages.reply(run.userId, yield* pathParameter("message_id"), payload)
    if (Option.isNone(messageId)) return yield* messageNotFound
    yield* delivery.deliverNext(run.userId)
    return yield* HttpServerResponse.json({ messageId: messageId.value })
  })
})

const makeQuestionHandler = Effect.map(AssistantQuestions, (questions) =>
  Effect.fnUntraced(function* (run: Run) {
    const payload = yield* readBody(Protocol.QuestionRequest)
    if (Buffer.byteLength(JSON.stringify(payload)) > Protocol.maxMessageBytes) return yield* tooLong
    const messageId = yield* questions.ask(run, yield* pathParameter("message_id"), payload)
    if (Option.isNone(messageId)) return yield* messageNotFound
    return yield* HttpServerResponse.json({ messageId: messageId.value })
  })
)

const makeWithdrawalHandler = Effect.map(AssistantQuestions, (questions) =>
  Effect.fnUntraced(function* (run: Run) {
    yield* questions.withdraw(run, yield* pathParameter("request_id"))
    return yield* HttpServerResponse.json({})
  })
)

const readBody = <A, I>(schema: Schema.Schema<A, I>) =>
  HttpServerRequest.schemaBodyJson(schema).pipe(
    HttpIncomingMessage.withMaxBodySize(Option.some(FileSystem.Size(maxBodyBytes))),
    Effect.catchTag("ParseError", () => Effect.fail(ApiError.invalidRequest("The body has the wrong shape.")))
  )

const pathParameter = (name: string) => Effect.map(HttpRouter.params, (params) => params[name] ?? "")

/** Enough for the longest reply, even when JSON escapes every character. */
const maxBodyBytes = 1024 * 1024

const messageNotFound = Effect.fail(ApiError.notFound("The user has no such message."))

const connectionGone = Effect.fail(ApiError.conflict("This program's stream of events is gone: open it anew."))

const tooLong = Effect.fail(ApiError.unexpectedStatus(413, "The text is too long for a message. Nothing was kept."))

const makeSink = (response: ServerResponse): EventSink => ({
  push: ({ data, event }) => write(response, `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`),
  end: () => {
    response.end()
    // A peer that is gone never acknowledges the end.
    setTimeout(() => response.destroy(), 1000).unref()
  }
})

const write = (response: ServerResponse, text: string): void => {
  if (!response.writableEnded) response.write(text)
}
