import * as Schema from "effect/Schema"
import { DateTimeText, model, optional, required } from "./Wire.ts"

export { textOf } from "./MessageText.ts"

/** Whether the user's PC-side local assistant is connected (contract 2.5). */
export class AssistantStatus extends model<AssistantStatus>("AssistantStatus")({
  online: required("online", Schema.Boolean, "Whether a local assistant of the user is connected.")
}) {}

/** The id of a local-assistant message (contract 2.6), opaque. */
export const MessageId = Schema.NonEmptyString.pipe(Schema.brand("MessageId"))
export type MessageId = typeof MessageId.Type

/**
 * One element of a message's `content`: a plain string in the contract, a block such as `{ type: "text", text }` on other
 * servers, or any other JSON value (contract decision 65). The document does not show it.
 */
export const ContentPart = Schema.Union(
  Schema.String,
  Schema.Record({ key: Schema.String, value: Schema.Unknown }),
  Schema.Array(Schema.Unknown),
  Schema.Number,
  Schema.Boolean,
  Schema.Null
).annotations({ jsonSchema: { type: "string" } })
export type ContentPart = typeof ContentPart.Type

/**
 * One message of the conversation with the local assistant (contract 2.6). `role` is `user`, `assistant` or a newer role,
 * `createdAt` is ISO 8601. A collection that a server leaves out is empty.
 */
export class AssistantMessage extends model<AssistantMessage>("AssistantMessage")({
  messageId: Schema.propertySignature(MessageId).pipe(Schema.fromKey("message_id")),
  role: Schema.String.annotations({ jsonSchema: { "x-extensible-enum": ["user", "assistant"] } }) as Schema.Schema<
    "user" | "assistant" | (string & {}),
    string
  >,
  content: Schema.optionalWith(Schema.Array(ContentPart), { nullable: true, default: () => [] }),
  msgType: optional(Schema.String, "Equal to `metadata.msgType`.").pipe(Schema.fromKey("msg_type")),
  createdAt: optional(DateTimeText).pipe(Schema.fromKey("created_at")),
  attachments: Schema.optionalWith(Schema.Array(Schema.Unknown), { nullable: true, default: () => [] }),
  metadata: Schema.optionalWith(Schema.Record({ key: Schema.String, value: Schema.Unknown }), {
    nullable: true,
    default: () => ({})
  })
}) {}

/**
 * A message to the local assistant (contract 4.7). `msgType` is `text` or, where the service allows it,
 * `permission_response`.
 */
export class NewMessage extends model<NewMessage>("NewMessage")({
  content: Schema.String.annotations({ jsonSchema: { minLength: 1 } }),
  msgType: Schema.propertySignature(
    Schema.String.annotations({
      jsonSchema: { "x-extensible-enum": ["text", "permission_response"], examples: ["text"] }
    }) as Schema.Schema<"text" | "permission_response" | (string & {}), string>
  ).pipe(Schema.fromKey("msg_type"))
}) {}

/**
 * The answer to a questionnaire or tool approval of the assistant (contract 4.7, variant A), sent as the JSON
 * `content` of a `permission_response`. `answers` has the keys `q_0`, `q_1` and so on.
 */
export class PermissionResponse extends model<PermissionResponse>("PermissionResponse")({
  outcome: Schema.String as Schema.Schema<"selected" | "cancelled" | (string & {}), string>,
  requestId: Schema.NonEmptyString,
  answers: Schema.Record({ key: Schema.String, value: Schema.Union(Schema.String, Schema.Array(Schema.String)) })
}) {}
