import * as Schema from "effect/Schema"
import { optional } from "./Wire.ts"

/** Whether the user's PC-side local assistant is connected (contract 2.5). */
export class AssistantStatus extends Schema.Class<AssistantStatus>("@heddle/core/AssistantStatus")({
  online: Schema.Boolean
}) {}

/** The id of a local-assistant message (contract 2.6), opaque. */
export const MessageId = Schema.NonEmptyString.pipe(Schema.brand("MessageId"))
export type MessageId = typeof MessageId.Type

/**
 * One element of a message's `content`: a plain string on the document's wire, a block such as
 * `{ type: "text", text }` of other servers, or anything newer (contract decision 65).
 */
export const ContentPart = Schema.Union(Schema.String, Schema.Record({ key: Schema.String, value: Schema.Unknown }))
export type ContentPart = typeof ContentPart.Type

/**
 * One message of the conversation with the local assistant (contract 2.6). `role` is `user`, `assistant` or a newer word,
 * `createdAt` is ISO 8601. The three collections are never missing on the document's wire; where a server leaves one
 * out it is empty.
 */
export class AssistantMessage extends Schema.Class<AssistantMessage>("@heddle/core/AssistantMessage")({
  messageId: Schema.propertySignature(MessageId).pipe(Schema.fromKey("message_id")),
  role: Schema.String as Schema.Schema<"user" | "assistant" | (string & {}), string>,
  content: Schema.optionalWith(Schema.Array(ContentPart), { nullable: true, default: () => [] }),
  msgType: optional(Schema.String).pipe(Schema.fromKey("msg_type")),
  createdAt: optional(Schema.String).pipe(Schema.fromKey("created_at")),
  attachments: Schema.optionalWith(Schema.Array(Schema.Unknown), { nullable: true, default: () => [] }),
  metadata: Schema.optionalWith(Schema.Record({ key: Schema.String, value: Schema.Unknown }), {
    nullable: true,
    default: () => ({})
  })
}) {}

/** The text of a message: its strings and text blocks, one after the other on lines of their own. */
export const textOf = ({ content }: Pick<AssistantMessage, "content">): string =>
  content
    .flatMap((part) => (typeof part === "string" ? [part] : typeof part["text"] === "string" ? [part["text"]] : []))
    .join("\n")

/**
 * A message to the local assistant (contract 4.7). `msgType` is `text` or, where the service allows it,
 * `permission_response`.
 */
export class NewMessage extends Schema.Class<NewMessage>("@heddle/core/NewMessage")({
  content: Schema.String,
  msgType: Schema.propertySignature(
    Schema.String as Schema.Schema<"text" | "permission_response" | (string & {}), string>
  ).pipe(Schema.fromKey("msg_type"))
}) {}

/**
 * The answer to a questionnaire or tool approval that the assistant asked (contract 4.7, variant A); it travels as the
 * JSON `content` of a `permission_response`. `answers` has the keys `q_0`, `q_1` and so on.
 */
export class PermissionResponse extends Schema.Class<PermissionResponse>("@heddle/core/PermissionResponse")({
  outcome: Schema.String as Schema.Schema<"selected" | "cancelled" | (string & {}), string>,
  requestId: Schema.NonEmptyString,
  answers: Schema.Record({ key: Schema.String, value: Schema.Union(Schema.String, Schema.Array(Schema.String)) })
}) {}
