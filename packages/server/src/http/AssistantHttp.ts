import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import { CurrentGrant } from "@heddle/core/api/Bearer"
import * as Envelope from "@heddle/core/api/Envelope"
import { OpenApi } from "@heddle/core/api/OpenApi"
import { AssistantStatus } from "@heddle/core/domain/AssistantMessage"
import * as Effect from "effect/Effect"
import { Assistant } from "../assistant/Assistant.ts"
import * as ApiError from "../internal/ApiError.ts"
import { RequestId } from "../observability/RequestId.ts"

/** The local assistant (contract 4.6–4.8). */
export const layer = HttpApiBuilder.group(OpenApi, "assistant", (handlers) =>
  Effect.gen(function* () {
    const assistant = yield* Assistant
    return handlers
      .handle("status", () =>
        Effect.gen(function* () {
          const online = yield* assistant.online((yield* CurrentGrant).userId)
          return Envelope.success(yield* RequestId, new AssistantStatus({ online }))
        })
      )
      .handle("send", ({ headers, payload, request }) =>
        Effect.gen(function* () {
          // The platform would accept a form, too.
          if (!/^application\/json\b/i.test(request.headers["content-type"] ?? "application/json")) {
            return yield* ApiError.unexpectedStatus(415, "The body must be application/json.")
          }
          const messageId = yield* assistant.send(yield* CurrentGrant, payload, headers["idempotency-key"])
          return Envelope.success(yield* RequestId, { messageId })
        })
      )
      .handle("messages", ({ urlParams }) =>
        Effect.gen(function* () {
          const messages = yield* assistant.messages(yield* CurrentGrant, urlParams)
          return Envelope.success(yield* RequestId, { messages })
        })
      )
  })
)
