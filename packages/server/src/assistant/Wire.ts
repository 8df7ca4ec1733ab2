import * as Schema from "effect/Schema"

// The channel between the service and a user's `heddle-assistant`, under `/assistant/v1`: events down, requests up.

/** Where the channel lives on the service. */
export const path = "/assistant/v1"

/** The header that names one run of the program, so that the service knows a reconnect from a restart. */
export const instanceHeader = "heddle-assistant-instance"

/** One thing to choose: `value` is what an answer says, `label` what a person reads. */
export const Choice = Schema.Struct({
  value: Schema.String,
  label: Schema.String,
  description: Schema.optionalWith(Schema.String, { exact: true })
})

/** One question to a person. Without options any text answers it. */
export const Question = Schema.Struct({
  id: Schema.String,
  question: Schema.String,
  header: Schema.optionalWith(Schema.String, { exact: true }),
  multiSelect: Schema.Boolean,
  options: Schema.Array(Choice)
})
export type Question = typeof Question.Type

/** The answers to questions by their ids: a string, or several where the question allows it. */
export const Answers = Schema.Record({
  key: Schema.String,
  value: Schema.Union(Schema.String, Schema.Array(Schema.String))
})
export type Answers = typeof Answers.Type

/** First event: the connection stands. */
export const Welcome = Schema.Struct({
  /** Whether applications may answer questions. */
  permissionResponse: Schema.Literal("reject", "accept"),
  /** How often the program has to say that it lives. */
  pulseMillis: Schema.Positive
})

/** A message to answer. The same one may come again after a reconnect. */
export const Message = Schema.Struct({
  messageId: Schema.String,
  /** The client_id of the application that sent it, and its name. */
  applicationId: Schema.String,
  application: Schema.String,
  text: Schema.String
})
export type Message = typeof Message.Type

/** What an application answered to a question. The same answer may come again after a reconnect. */
export const Answered = Schema.Struct({
  requestId: Schema.String,
  outcome: Schema.Literal("selected", "cancelled"),
  answers: Answers
})
export type Answered = typeof Answered.Type

/** Up: the one answer to a message. */
export const Reply = Schema.Struct({ msgType: Schema.Literal("text", "error"), text: Schema.String })
export type Reply = typeof Reply.Type

/** Up: a question of the agent. `answerable` is whether an application may answer it. */
export const Asked = Schema.Struct({
  requestId: Schema.NonEmptyString,
  kind: Schema.Literal("permission_request", "questionnaire"),
  text: Schema.String,
  answerable: Schema.Boolean,
  questions: Schema.Array(Question)
})
export type Asked = typeof Asked.Type

/** Up: whether the agent can be started; a `problem` says why not. */
export const Condition = Schema.Struct({ problem: Schema.NullOr(Schema.String) })

/** An event as it travels; `replaced` and `revoked` are the last ones of a connection. */
export type Event =
  | { readonly event: "welcome"; readonly data: typeof Welcome.Type }
  | { readonly event: "message"; readonly data: Message }
  | { readonly event: "answer"; readonly data: Answered }
  | { readonly event: "replaced" | "revoked"; readonly data: Record<string, never> }
