import * as Effect from "effect/Effect"
import * as Api from "../Api.ts"
import { required, decided, type Check } from "../Check.ts"
import { envelope, field, statusIn } from "../Expectation.ts"
import { freshId } from "../internal/FreshId.ts"
import { history, needsAssistant, path, text, when } from "../LocalAssistant.ts"
import * as Matcher from "../Matcher.ts"
import { at, isRecord } from "../internal/Json.ts"

const textAccepted = required(
  "4.7",
  "a text is accepted with an envelope that has data.message_id",
  when(
    "online",
    Api.expecting(text("Hello from the conformance suite."), ...envelope, field("data.message_id", Matcher.filled))
  ),
  needsAssistant
)

const sentMessageInHistory = required(
  "2.6",
  "a sent message is in the history with the role user",
  when(
    "online",
    Effect.gen(function* () {
      const messageId = yield* sent("This line is looked for in the history.")
      const response = yield* Api.send(history("?limit=100"))
      yield* Api.verify(
        response,
        ...envelope,
        field(
          "data.messages",
          Matcher.matcher(
            "an array with the message, of role user",
            (messages) =>
              Array.isArray(messages) &&
              messages.some((message) => at(message, "message_id") === messageId && at(message, "role") === "user")
          )
        )
      )
    })
  ),
  needsAssistant
)

const messageFields = required(
  "2.6",
  "every message has message_id, role, content, msg_type, created_at, attachments and metadata",
  when(
    "online",
    Effect.gen(function* () {
      yield* sent("Say something short.")
      yield* Api.expecting(
        history("?limit=100"),
        ...envelope,
        field(
          "data.messages",
          Matcher.all(
            Matcher.sized(1, 100),
            Matcher.each(
              Matcher.struct({
                message_id: Matcher.filled,
                role: Matcher.oneOf("user", "assistant"),
                content: Matcher.array,
                msg_type: Matcher.string,
                created_at: Matcher.isoTime,
                attachments: Matcher.array,
                metadata: Matcher.object
              })
            )
          )
        )
      )
    })
  ),
  { ...needsAssistant, decisions: [66] }
)

const contentStrings = decided(
  65,
  "2.6",
  "content is an array of plain strings",
  when(
    "online",
    Effect.gen(function* () {
      yield* sent("Say something short.")
      yield* Api.expecting(
        history("?limit=100"),
        field("data.messages", Matcher.each(Matcher.struct({ content: Matcher.each(Matcher.string) })))
      )
    })
  ),
  needsAssistant
)

const messageType = decided(
  67,
  "2.6",
  "msg_type equals metadata.msgType",
  when(
    "online",
    Effect.gen(function* () {
      yield* sent("Say something short.")
      yield* Api.expecting(
        history("?limit=100"),
        field(
          "data.messages",
          Matcher.each(
            Matcher.matcher(
              "a message with msg_type in its metadata too",
              (message) => at(message, "msg_type") === at(message, "metadata.msgType")
            )
          )
        )
      )
    })
  ),
  needsAssistant
)

const newestFirst = decided(
  68,
  "4.8",
  "the first page begins with the newest message",
  when(
    "online",
    Effect.gen(function* () {
      const messageId = yield* sent("The newest message of its moment.")
      const response = yield* Api.send(history("?limit=100"))
      const times = messages(response.json).map((message) => Date.parse(String(message["created_at"])))
      yield* Api.assert(
        messages(response.json).some((message) => message["message_id"] === messageId),
        "the message is on the first page"
      )
      yield* Api.assert(
        times.every((time, index) => index === 0 || time <= Number(times[index - 1])),
        "created_at goes down"
      )
    })
  ),
  needsAssistant
)

const messagesAfterId = required(
  "4.8",
  "message_id returns only later messages",
  when(
    "online",
    Effect.gen(function* () {
      const first = yield* sent("The first of two.")
      const second = yield* sent("The second of two.")
      const response = yield* Api.send(history(`?message_id=${encodeURIComponent(first)}`))
      const ids = messages(response.json).map((message) => message["message_id"])
      yield* Api.verify(response, ...envelope)
      yield* Api.assert(ids.includes(second), "the message after it is there")
      yield* Api.assert(!ids.includes(first), "the message itself is not")
    })
  ),
  { ...needsAssistant, decisions: [69] }
)

const pagingBesideId = decided(
  69,
  "4.8",
  "message_id overrides limit and offset and returns the oldest message first",
  when(
    "online",
    Effect.gen(function* () {
      const first = yield* sent("Before the two.")
      const second = yield* sent("One.")
      const third = yield* sent("Two.")
      const response = yield* Api.send(history(`?message_id=${encodeURIComponent(first)}&limit=1&offset=1`))
      const ids = messages(response.json).map((message) => message["message_id"])
      yield* Api.assert(
        ids.includes(second) && ids.indexOf(second) < ids.indexOf(third),
        "both messages are there in their order"
      )
    })
  ),
  needsAssistant
)

const replyByPolling = required(
  "4.8",
  "the assistant's reply can be polled for by message_id",
  when(
    "online",
    Effect.gen(function* () {
      const messageId = yield* sent("Reply with one word.")
      for (let tries = 0; tries < 30; tries++) {
        const response = yield* Api.send(history(`?message_id=${encodeURIComponent(messageId)}`))
        if (messages(response.json).some((message) => message["role"] === "assistant")) return
        yield* Effect.sleep("300 millis")
      }
      yield* Api.assert(false, "a message of role assistant comes within 9 seconds")
    })
  ),
  needsAssistant
)

const idempotencyKey = decided(
  64,
  "4.7",
  "a repeated Idempotency-Key returns the same message",
  when(
    "online",
    Effect.gen(function* () {
      const headers = { "idempotency-key": freshId() }
      const body = { content: "Sent twice with one key.", msg_type: "text" }
      const first = yield* Api.send(Api.post(path, body, { headers }))
      const second = yield* Api.send(Api.post(path, body, { headers }))
      yield* Api.verify(first, ...envelope)
      yield* Api.verify(second, ...envelope, field("data.message_id", Matcher.is(at(first.json, "data.message_id"))))
    })
  ),
  needsAssistant
)

const otherUser = required(
  "4.7",
  "another application's user does not see the message",
  when(
    "online",
    Effect.gen(function* () {
      const messageId = yield* sent("For one user only.")
      const response = yield* Api.send(Api.get(`${path}?limit=100`, { token: "otherAccessToken" }))
      yield* Api.verify(response, statusIn(200, 404))
      yield* Api.assert(
        messages(response.json).every((message) => message["message_id"] !== messageId),
        "the other user's history lacks it"
      )
    })
  ),
  { needs: ["assistant", "otherAccessToken"] }
)

/** Messages to a local assistant that is online, and their history (contract 2.6, 4.7, 4.8). */
export const checks: ReadonlyArray<Check> = [
  textAccepted,
  sentMessageInHistory,
  messageFields,
  contentStrings,
  messageType,
  newestFirst,
  messagesAfterId,
  pagingBesideId,
  replyByPolling,
  idempotencyKey,
  otherUser
]

/** Sends a text and gives its id. */
function sent(content: string) {
  return Effect.gen(function* () {
    const response = yield* Api.send(text(content))
    yield* Api.verify(response, ...envelope)
    return String(at(response.json, "data.message_id"))
  })
}

function messages(json: unknown): ReadonlyArray<Readonly<Record<string, unknown>>> {
  const found = at(json, "data.messages")
  return Array.isArray(found) ? found.filter(isRecord) : []
}
