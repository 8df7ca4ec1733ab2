import * as Schema from "effect/Schema"

// The channel between the service and a user's `heddle-assistant`, under `/assistant/v1`: events down, requests up.

/** Where the channel lives on the service. */
export const path = "/assistant/v1"

/**
 * What one message of a conversation takes at most, in bytes of JSON. Applications read up to a hundred at once, and what
 * they read has to stay small enough for them: 8 MiB.
 */
export const maxMessage = 64 * 1024

/** What the answer to a message takes at most, in bytes of JSON; it becomes several messages where one is not enough. */
export const maxReply = 256 * 1024

/** How long the texts of a question may be, in UTF-16 units, and how many there may be. */
export const questionBounds = { text: 4096, name: 100, questions: 10, options: 20 } as const

const Text = Schema.String.pipe(Schema.maxLength(questionBounds.text))
const Name = Schema.NonEmptyString.pipe(Schema.maxLength(questionBounds.name))

/** The header that names one run of the program, so that the service knows a reconnect from a restart. */
export const instanceHeader = "heddle-assistant-instance"

/** One thing to choose: `value` is what an answer says, `label` what a person reads. */
export const Choice = Schema.Struct({
  value: Text,
  label: Text,
  description: Schema.optionalWith(Text, { exact: true })
})

/** One question to a person. Without options any text answers it. */
export const Question = Schema.Struct({
  id: Name,
  question: Text,
  header: Schema.optionalWith(Text, { exact: true }),
  multiSelect: Schema.Boolean,
  options: Schema.Array(Choice).pipe(Schema.maxItems(questionBounds.options))
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
  requestId: Name,
  kind: Schema.Literal("permission_request", "questionnaire"),
  /** All questions together, where an application shows nothing but text. */
  text: Schema.String,
  answerable: Schema.Boolean,
  questions: Schema.Array(Question).pipe(Schema.maxItems(questionBounds.questions))
})
export type Asked = typeof Asked.Type

/** Up: whether the agent can be started; a `problem` says why not. */
export const Condition = Schema.Struct({ problem: Schema.NullOr(Schema.String.pipe(Schema.maxLength(1000))) })

/** An event as it travels; `replaced` and `revoked` are the last ones of a connection. */
export type Event =
  | { readonly event: "welcome"; readonly data: typeof Welcome.Type }
  | { readonly event: "message"; readonly data: Message }
  | { readonly event: "answer"; readonly data: Answered }
  | { readonly event: "replaced" | "revoked"; readonly data: Record<string, never> }
