import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import * as Schema from "effect/Schema"
import { AssistantMessage, AssistantStatus, MessageId, NewMessage } from "../domain/AssistantMessage.ts"
import { Conflict, Forbidden, NotFound } from "../OpenApiError.ts"
import { component } from "../domain/Wire.ts"
import { Bearer, RequiredScope } from "./Bearer.ts"
import * as Envelope from "./Envelope.ts"
import { BadGateway, JsonBodyError } from "./Errors.ts"
import { IdempotencyKeyHeader } from "./IdempotencyKeyHeader.ts"
import { pageSize, QueryText, wholeNumber } from "./Paging.ts"

const MessageReceipt = Schema.Struct({
  messageId: Schema.propertySignature(MessageId).pipe(Schema.fromKey("message_id"))
}).annotations(component("MessageReceipt"))

const AssistantMessages = Schema.Struct({ messages: Schema.Array(AssistantMessage) }).annotations(
  component("AssistantMessages")
)

/** The local assistant on the wire (contract 4.6–4.8); every answer is an {@link Envelope}. */
export class AssistantApi extends HttpApiGroup.make("assistant")
  .add(
    HttpApiEndpoint.get("status", "/localassistant")
      .addSuccess(Envelope.of(AssistantStatus))
      .annotate(RequiredScope, "user.localassistant.readable")
      .annotate(OpenApi.Summary, "Ask whether the local assistant is online")
  )
  .add(
    HttpApiEndpoint.post("send", "/localassistant/message")
      .setPayload(NewMessage)
      .setHeaders(IdempotencyKeyHeader)
      .addSuccess(Envelope.of(MessageReceipt))
      .addError(JsonBodyError)
      .addError(Forbidden)
      .addError(NotFound)
      .addError(Conflict)
      .addError(BadGateway)
      .annotate(RequiredScope, "user.localassistant.invokable")
      .annotate(OpenApi.Summary, "Send the local assistant a message")
  )
  .add(
    HttpApiEndpoint.get("messages", "/localassistant/message")
      .setUrlParams(
        Schema.Struct({
          limit: pageSize,
          offset: wholeNumber({ minimum: 0, default: 0 }, "A value that is not a whole number means 0."),
          message_id: Schema.optional(QueryText).annotations({ description: "Only messages after this one." })
        })
      )
      .addSuccess(Envelope.of(AssistantMessages))
      .addError(NotFound)
      .annotate(RequiredScope, "user.localassistant.readable")
      .annotateContext(
        OpenApi.annotations({
          summary: "Read messages, by page or after one of them",
          description:
            "With `message_id`, the answer has the messages after it, oldest first, and `limit` and `offset` are ignored."
        })
      )
  )
  .annotate(OpenApi.Description, "The assistant on the user's own computer.")
  .middleware(Bearer) {}
