import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as Schema from "effect/Schema"
import { AssistantMessage, AssistantStatus, MessageId, NewMessage } from "../domain/AssistantMessage.ts"
import { Bearer, RequiredScope } from "./Bearer.ts"
import * as Envelope from "./Envelope.ts"
import { QueryWord } from "./Paging.ts"

/** The local assistant on the wire (contract 4.6–4.8); every answer is an {@link Envelope}. */
export class AssistantApi extends HttpApiGroup.make("assistant")
  .add(
    HttpApiEndpoint.get("status", "/localassistant")
      .addSuccess(Envelope.of(AssistantStatus))
      .annotate(RequiredScope, "user.localassistant.readable")
  )
  .add(
    HttpApiEndpoint.post("send", "/localassistant/message")
      .setPayload(NewMessage)
      .setHeaders(Schema.Struct({ "idempotency-key": Schema.optional(Schema.String) }))
      .addSuccess(
        Envelope.of(
          Schema.Struct({ messageId: Schema.propertySignature(MessageId).pipe(Schema.fromKey("message_id")) })
        )
      )
      .annotate(RequiredScope, "user.localassistant.invokable")
  )
  .add(
    HttpApiEndpoint.get("messages", "/localassistant/message")
      .setUrlParams(
        Schema.Struct({
          limit: Schema.optional(QueryWord),
          offset: Schema.optional(QueryWord),
          message_id: Schema.optional(QueryWord)
        })
      )
      .addSuccess(Envelope.of(Schema.Struct({ messages: Schema.Array(AssistantMessage) })))
      .annotate(RequiredScope, "user.localassistant.readable")
  )
  .middleware(Bearer) {}
