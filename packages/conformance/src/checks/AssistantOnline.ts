import * as Effect from "effect/Effect"
import * as Api from "../Api.ts"
import { required, ruling, type Check, type Run } from "../Check.ts"
import { at, envelope, field, statusIn } from "../Expect.ts"
import { freshId } from "../internal/FreshId.ts"
import { isRecord } from "../internal/Words.ts"
import * as Shape from "../Shape.ts"
import { Wire } from "../Wire.ts"

const path = "/localassistant/message"
const history = (query = "") => Api.get(`${path}${query}`)
const text = (content: string) => Api.post(path, { content, msg_type: "text" })
const online = { needs: ["assistant"] } as const

const textAccepted = required(
  "4.7",
  "a text is taken: an envelope with data.message_id",
  whenOnline(
    Api.expecting(text("Hello from the conformance suite."), ...envelope, field("data.message_id", Shape.filled))
  ),
  online
)

const sentMessageInHistory = required(
  "2.6",
  "a message that was sent is in the history as the user's",
  whenOnline(
    Effect.gen(function* () {
      const messageId = yield* sent("This line is looked for in the history.")
      const answer = yield* Api.send(history("?limit=100"))
      yield* Api.verify(
        answer,
        ...envelope,
        field(
          "data.messages",
          Shape.shape(
            "an array with the message, of role user",
            (messages) =>
              Array.isArray(messages) &&
              messages.some((message) => at(message, "message_id") === messageId && at(message, "role") === "user")
          )
        )
      )
    })
  ),
  online
)

const messageFields = required(
  "2.6",
  "every message has message_id, role, content, msg_type, created_at, attachments and metadata",
  whenOnline(
    Effect.gen(function* () {
      yield* sent("Say something short.")
      yield* Api.expecting(
        history("?limit=100"),
        ...envelope,
        field(
          "data.messages",
          Shape.all(
            Shape.sized(1, 100),
            Shape.each(
              Shape.struct({
                message_id: Shape.filled,
                role: Shape.oneOf("user", "assistant"),
                content: Shape.array,
                msg_type: Shape.string,
                created_at: Shape.isoTime,
                attachments: Shape.array,
                metadata: Shape.object
              })
            )
          )
        )
      )
    })
  ),
  { ...online, decisions: [66] }
)

const contentStrings = ruling(
  65,
  "2.6",
  "content is an array of plain strings",
  whenOnline(
    Effect.gen(function* () {
      yield* sent("Say something short.")
      yield* Api.expecting(
        history("?limit=100"),
        field("data.messages", Shape.each(Shape.struct({ content: Shape.each(Shape.string) })))
      )
    })
  ),
  online
)

const messageType = ruling(
  67,
  "2.6",
  "msg_type equals metadata.msgType",
  whenOnline(
    Effect.gen(function* () {
      yield* sent("Say something short.")
      yield* Api.expecting(
        history("?limit=100"),
        field(
          "data.messages",
          Shape.each(
            Shape.shape(
              "a message with msg_type in its metadata too",
              (message) => at(message, "msg_type") === at(message, "metadata.msgType")
            )
          )
        )
      )
    })
  ),
  online
)

const newestFirst = ruling(
  68,
  "4.8",
  "pages begin with the newest message",
  whenOnline(
    Effect.gen(function* () {
      const messageId = yield* sent("The newest message of its moment.")
      const answer = yield* Api.send(history("?limit=100"))
      const times = messages(answer.json).map((message) => Date.parse(String(message["created_at"])))
      yield* Api.claim(
        messages(answer.json).some((message) => message["message_id"] === messageId),
        "the message is on the first page"
      )
      yield* Api.claim(
        times.every((time, index) => index === 0 || time <= Number(times[index - 1])),
        "created_at goes down"
      )
    })
  ),
  online
)

const messagesAfterId = required(
  "4.8",
  "message_id gives only messages that came after it",
  whenOnline(
    Effect.gen(function* () {
      const first = yield* sent("The first of two.")
      const second = yield* sent("The second of two.")
      const answer = yield* Api.send(history(`?message_id=${encodeURIComponent(first)}`))
      const ids = messages(answer.json).map((message) => message["message_id"])
      yield* Api.verify(answer, ...envelope)
      yield* Api.claim(ids.includes(second), "the message after it is there")
      yield* Api.claim(!ids.includes(first), "the message itself is not")
    })
  ),
  { ...online, decisions: [69] }
)

const pagingBesideId = ruling(
  69,
  "4.8",
  "limit and offset do not count beside message_id, and the oldest message comes first",
  whenOnline(
    Effect.gen(function* () {
      const first = yield* sent("Before the two.")
      const second = yield* sent("One.")
      const third = yield* sent("Two.")
      const answer = yield* Api.send(history(`?message_id=${encodeURIComponent(first)}&limit=1&offset=1`))
      const ids = messages(answer.json).map((message) => message["message_id"])
      yield* Api.claim(
        ids.includes(second) && ids.indexOf(second) < ids.indexOf(third),
        "both messages are there in their order"
      )
    })
  ),
  online
)

const replyByPolling = required(
  "4.8",
  "the assistant's reply can be polled for by message_id",
  whenOnline(
    Effect.gen(function* () {
      const messageId = yield* sent("Reply with one word.")
      for (let tries = 0; tries < 30; tries++) {
        const answer = yield* Api.send(history(`?message_id=${encodeURIComponent(messageId)}`))
        if (messages(answer.json).some((message) => message["role"] === "assistant")) return
        yield* Effect.sleep("300 millis")
      }
      yield* Api.claim(false, "a message of role assistant comes within 9 seconds")
    })
  ),
  online
)

const idempotencyKey = ruling(
  64,
  "4.7",
  "a repeated Idempotency-Key gives the same message",
  whenOnline(
    Effect.gen(function* () {
      const headers = { "idempotency-key": freshId() }
      const body = { content: "Sent twice with one key.", msg_type: "text" }
      const first = yield* Api.send(Api.post(path, body, { headers }))
      const second = yield* Api.send(Api.post(path, body, { headers }))
      yield* Api.verify(first, ...envelope)
      yield* Api.verify(second, ...envelope, field("data.message_id", Shape.is(at(first.json, "data.message_id"))))
    })
  ),
  online
)

const otherUser = required(
  "4.7",
  "another application's user does not see the message",
  whenOnline(
    Effect.gen(function* () {
      const messageId = yield* sent("For one user only.")
      const answer = yield* Api.send(Api.get(`${path}?limit=100`, { token: "otherAccessToken" }))
      yield* Api.verify(answer, statusIn(200, 404))
      yield* Api.claim(
        messages(answer.json).every((message) => message["message_id"] !== messageId),
        "the other user's history lacks it"
      )
    })
  ),
  { needs: ["assistant", "otherAccessToken"] }
)

/** Messages to a local assistant that is online, and their history (2.6, 4.7, 4.8). */
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
    const answer = yield* Api.send(text(content))
    yield* Api.verify(answer, ...envelope)
    return String(at(answer.json, "data.message_id"))
  })
}

function messages(json: unknown): ReadonlyArray<Readonly<Record<string, unknown>>> {
  const found = at(json, "data.messages")
  return Array.isArray(found) ? found.filter(isRecord) : []
}

function whenOnline(run: Run): Run {
  return when("online", run)
}

function when(wanted: "online" | "offline", run: Run): Run {
  return Effect.gen(function* () {
    const wire = yield* Wire
    if ((yield* wire.given("assistant")) !== wanted) return yield* Api.skip(`needs --assistant ${wanted}`)
    return yield* run
  })
}
