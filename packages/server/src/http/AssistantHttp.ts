import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as Envelope from "@heddle/core/api/Envelope"
import { OpenApi } from "@heddle/core/api/OpenApi"
import { AssistantStatus } from "@heddle/core/domain/AssistantMessage"
import * as Effect from "effect/Effect"
import * as Refuse from "../internal/Refuse.ts"
import { RequestId } from "./RequestId.ts"

/** The local assistant (4.6–4.8): none is connected. */
export const layer = HttpApiBuilder.group(OpenApi, "assistant", (handlers) =>
  handlers
    .handle("status", () => Effect.map(RequestId, (id) => Envelope.success(id, new AssistantStatus({ online: false }))))
    .handle("send", () => Effect.fail(Refuse.notFound("The local assistant is offline.")))
    .handle("messages", () => Effect.map(RequestId, (id) => Envelope.success(id, { messages: [] })))
)
