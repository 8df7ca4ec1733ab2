import * as Effect from "effect/Effect"
import * as Api from "../Api.ts"
import { required, decided, type Check, type Run } from "../Check.ts"
import { successEnvelope, field, statusIn, type Expectation } from "../Expectation.ts"
import { freshId } from "../internal/FreshId.ts"
import { history, messagePath, textMessage, whenAssistant } from "../LocalAssistant.ts"
import * as Matcher from "../Matcher.ts"
import { at, isRecord } from "../internal/Json.ts"

const messageFields = Matcher.struct({
  message_id: Matcher.nonEmptyString,
  role: Matcher.oneOf("user", "assistant"),
  content: Matcher.array,
  msg_type: Matcher.string,
  created_at: Matcher.isoTime,
  attachments: Matcher.array,
  metadata: Matcher.object
})

const typeInMetadata = Matcher.matcher(
  "a message with msg_type in its metadata too",
  (message) => at(message, "msg_type") === at(message, "metadata.msgType")
)

const sending: ReadonlyArray<Check> = [
  required(
    "4.7",
    "a text is accepted with an envelope that has data.message_id",
    Api.send(
      textMessage("Hello from the conformance suite."),
      ...successEnvelope,
      field("data.message_id", Matcher.nonEmptyString)
    )
  ),
  required("2.6", "a sent message is in the history with the role user", function* () {
    const message_id = yield* sendText("This line is looked for in the history.")
    const sentMessage = Matcher.struct({ message_id: Matcher.is(message_id), role: Matcher.is("user") })
    yield* Api.send(history("?limit=100"), ...successEnvelope, field("data.messages", Matcher.some(sentMessage)))
  }),
  required(
    "2.6",
    "every message has message_id, role, content, msg_type, created_at, attachments and metadata",
    { decisions: [66] },
    everyMessage(messageFields, ...successEnvelope, field("data.messages", Matcher.ofLength(1, 100)))
  ),
  decided(
    "2.6",
    "content is an array of plain strings",
    { decisions: [65] },
    everyMessage(Matcher.struct({ content: Matcher.each(Matcher.string) }))
  ),
  decided("2.6", "msg_type equals metadata.msgType", { decisions: [67] }, everyMessage(typeInMetadata))
]

const reading: ReadonlyArray<Check> = [
  decided("4.8", "the first page has the newest messages, the oldest of them first", { decisions: [68] }, function* () {
    const messageId = yield* sendText("The newest message of its moment.")
    const response = yield* Api.send(history("?limit=100"), field("data.messages", Matcher.oldestFirst))
    yield* Api.assert(ids(response.json).includes(messageId), "the message is on the first page")
  }),
  required("4.8", "message_id returns only later messages", { decisions: [69] }, function* () {
    const first = yield* sendText("The first of two.")
    const second = yield* sendText("The second of two.")
    const later = ids((yield* Api.send(messagesAfter(first), ...successEnvelope)).json)
    yield* Api.assert(later.includes(second), "the message after it is there")
    yield* Api.assert(!later.includes(first), "the message itself is not")
  }),
  decided(
    "4.8",
    "message_id overrides limit and offset and returns the oldest message first",
    { decisions: [69] },
    function* () {
      const first = yield* sendText("Before the two.")
      const second = yield* sendText("One.")
      const third = yield* sendText("Two.")
      const later = ids((yield* Api.send(messagesAfter(first, "&limit=1&offset=1"))).json)
      yield* Api.assert(
        later.includes(second) && later.indexOf(second) < later.indexOf(third),
        "both messages are there in their order"
      )
    }
  ),
  required("4.8", "the assistant's reply can be polled for by message_id", function* () {
    const messageId = yield* sendText("Reply with one word.")
    for (let tries = 0; tries < 30; tries++) {
      const { json } = yield* Api.send(messagesAfter(messageId))
      if (messages(json).some((message) => message["role"] === "assistant")) return
      yield* Effect.sleep("300 millis")
    }
    // The document does not say how long an assistant may take.
    yield* Api.skip("the assistant did not reply within 9 seconds")
  }),
  decided("4.7", "a repeated Idempotency-Key returns the same message", { decisions: [64] }, function* () {
    const body = { content: "Sent twice with one key.", msg_type: "text" }
    const request = Api.post(messagePath, body, { headers: { "idempotency-key": freshId() } })
    const first = yield* Api.send(request, ...successEnvelope)
    yield* Api.send(
      request,
      ...successEnvelope,
      field("data.message_id", Matcher.is(at(first.json, "data.message_id")))
    )
  }),
  required("4.7", "another application's user does not see the message", { needs: ["otherAccessToken"] }, function* () {
    const messageId = yield* sendText("For one user only.")
    const other = Api.get(`${messagePath}?limit=100`, { token: "otherAccessToken" })
    const { json } = yield* Api.send(other, statusIn(200, 404))
    yield* Api.assert(!ids(json).includes(messageId), "the other user's history lacks it")
  })
]

/** Messages to a local assistant that is online, and their history (contract 2.6, 4.7, 4.8). */
export const checks = whenAssistant("online", [...sending, ...reading])

/** Sends a text and returns its message id. */
function sendText(content: string) {
  return Effect.map(Api.send(textMessage(content), ...successEnvelope), ({ json }) =>
    String(at(json, "data.message_id"))
  )
}

/** Messages after that message. */
function messagesAfter(messageId: string, paging = "") {
  return history(`?message_id=${encodeURIComponent(messageId)}${paging}`)
}

/** Sends a text and checks every message of the history. */
function everyMessage(matcher: Matcher.Matcher, ...expectations: ReadonlyArray<Expectation>): Run {
  const request = Api.send(history("?limit=100"), ...expectations, field("data.messages", Matcher.each(matcher)))
  return Effect.zipRight(sendText("Say something short."), request)
}

function messages(json: unknown): ReadonlyArray<Readonly<Record<string, unknown>>> {
  const values = at(json, "data.messages")
  return Array.isArray(values) ? values.filter(isRecord) : []
}

function ids(json: unknown) {
  return messages(json).map((message) => message["message_id"])
}
