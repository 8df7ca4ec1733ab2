import * as Schema from "effect/Schema"

// The protocol between the service and a user's `heddle-assistant`, under `/assistant/v1`. The program reads server-sent
// events and sends requests. It is not part of the public document.

/** The path below which the service speaks this protocol. */
export const path = "/assistant/v1"

/** The largest message of a conversation, as JSON: a page of a hundred messages stays below 8 MiB. */
export const maxMessageBytes = 64 * 1024

/** The largest reply to a message, as JSON; a reply above {@link maxMessageBytes} becomes several messages. */
export const maxReplyBytes = 256 * 1024

/** Limits of a question: text lengths in UTF-16 units, and the numbers of questions and options. */
export const questionLimits = { text: 4096, name: 100, questions: 10, options: 20 } as const

const Text = Schema.String.pipe(Schema.maxLength(questionLimits.text))
const Name = Schema.NonEmptyString.pipe(Schema.maxLength(questionLimits.name))

/** The header with the id of one run of the program; it distinguishes a reconnect from a restart. */
export const instanceHeader = "heddle-assistant-instance"

/** An option of a question: a person reads the `label`, an answer holds the `value`. */
export const Choice = Schema.Struct({
  value: Text,
  label: Text,
  description: Schema.optionalWith(Text, { exact: true })
})

/** A question to a person. Without options any text answers it. */
export const Question = Schema.Struct({
  id: Name,
  question: Text,
  header: Schema.optionalWith(Text, { exact: true }),
  multiSelect: Schema.Boolean,
  options: Schema.Array(Choice).pipe(Schema.maxItems(questionLimits.options))
})
export type Question = typeof Question.Type

/** The answers to questions by their ids: a string, or several where the question allows it. */
export const Answers = Schema.Record({
  key: Schema.String,
  value: Schema.Union(Schema.String, Schema.Array(Schema.String))
})
export type Answers = typeof Answers.Type

/** The first event of a connection. */
export const Welcome = Schema.Struct({
  /** Whether applications may answer questions. */
  permissionResponse: Schema.Literal("reject", "accept"),
  /** The interval, in milliseconds, in which the program sends a {@link StatusReport}. */
  pulseMillis: Schema.Positive
})

/** Event: a message to answer. It is repeated after a reconnect. */
export const Message = Schema.Struct({
  messageId: Schema.String,
  /** The `client_id` and the name of the application that sent it. */
  applicationId: Schema.String,
  application: Schema.String,
  text: Schema.String
})
export type Message = typeof Message.Type

/** Event: the answer of an application to a question. It is repeated after a reconnect. */
export const QuestionResponse = Schema.Struct({
  requestId: Schema.String,
  outcome: Schema.Literal("selected", "cancelled"),
  answers: Answers
})
export type QuestionResponse = typeof QuestionResponse.Type

/** Request: the reply to a message. */
export const Reply = Schema.Struct({ msgType: Schema.Literal("text", "error"), text: Schema.String })
export type Reply = typeof Reply.Type

/** Request: a question of the agent. An application may answer it where it is `answerable`. */
export const QuestionRequest = Schema.Struct({
  requestId: Name,
  kind: Schema.Literal("permission_request", "questionnaire"),
  /** All questions as one text, for applications that show text only. */
  text: Schema.String,
  answerable: Schema.Boolean,
  questions: Schema.Array(Question).pipe(Schema.maxItems(questionLimits.questions))
})
export type QuestionRequest = typeof QuestionRequest.Type

/** Request: the program is alive; `problem` says why its agent cannot start. */
export const StatusReport = Schema.Struct({ problem: Schema.NullOr(Schema.String.pipe(Schema.maxLength(1000))) })

/** An event; `replaced` and `revoked` end the connection. */
export type Event =
  | { readonly event: "welcome"; readonly data: typeof Welcome.Type }
  | { readonly event: "message"; readonly data: Message }
  | { readonly event: "answer"; readonly data: QuestionResponse }
  | { readonly event: "replaced" | "revoked"; readonly data: Record<string, never> }
