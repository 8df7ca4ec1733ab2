import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import { Conflict, Forbidden, NotFound } from "../OpenApiError.ts"
import { Bearer, RequiredScope } from "./Bearer.ts"
import { assistant } from "./Endpoints.ts"
import { BadGateway, JsonBodyError } from "./Errors.ts"

/** The local assistant on the wire (contract 4.6–4.8); every answer is an {@link Envelope}. */
export class AssistantApi extends HttpApiGroup.make("assistant")
  .add(
    HttpApiEndpoint.get("status", assistant.status.path)
      .addSuccess(assistant.status.success)
      .annotate(RequiredScope, "user.localassistant.readable")
      .annotate(OpenApi.Summary, "Ask whether the local assistant is online")
  )
  .add(
    HttpApiEndpoint.post("send", assistant.send.path)
      .setPayload(assistant.send.payload)
      .setHeaders(assistant.send.headers)
      .addSuccess(assistant.send.success)
      .addError(JsonBodyError)
      .addError(Forbidden)
      .addError(NotFound)
      .addError(Conflict)
      .addError(BadGateway)
      .annotate(RequiredScope, "user.localassistant.invokable")
      .annotate(OpenApi.Summary, "Send the local assistant a message")
  )
  .add(
    HttpApiEndpoint.get("messages", assistant.messages.path)
      .setUrlParams(assistant.messages.urlParams)
      .addSuccess(assistant.messages.success)
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
