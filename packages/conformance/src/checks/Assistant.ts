import * as Effect from "effect/Effect"
import * as Api from "../Api.ts"
import { required, ruling, type Check, type Run } from "../Check.ts"
import { envelope, field, header, refusal, status } from "../Expect.ts"
import { freshId } from "../internal/FreshId.ts"
import * as Shape from "../Shape.ts"
import { Wire } from "../Wire.ts"

const path = "/localassistant/message"
const history = (query = "") => Api.get(`${path}${query}`)
const text = (content: string) => Api.post(path, { content, msg_type: "text" })
const online = { needs: ["assistant"] } as const

const statusEnvelope = required(
  "4.6",
  "the status is an envelope with code 0 and msg success",
  Api.expecting(Api.get("/localassistant"), ...envelope),
  { decisions: [6, 7] }
)

const onlineType = required(
  "2.5",
  "online is a boolean",
  Api.expecting(Api.get("/localassistant"), field("data.online", Shape.boolean))
)

const onlineValue = required(
  "2.5",
  "online is what it is",
  Effect.gen(function* () {
    const assistant = yield* Api.given("assistant")
    yield* Api.expecting(Api.get("/localassistant"), field("data.online", Shape.is(assistant === "online")))
  }),
  { ...online, decisions: [71] }
)

const statusRequestId = ruling(
  12,
  "4.6",
  "request_id of the envelope is x-request-id",
  Effect.gen(function* () {
    const answer = yield* Api.send(Api.get("/localassistant"))
    yield* Api.verify(answer, status(200), field("request_id", Shape.is(answer.headers["x-request-id"])))
  })
)

const statusNotCached = ruling(
  46,
  "4.6",
  "the answer of GET /localassistant is not stored by caches",
  Api.expecting(Api.get("/localassistant"), header("cache-control", /\bno-store\b/i))
)

const historyEnvelope = required(
  "4.8",
  "the history is an envelope with data.messages",
  Api.expecting(history(), ...envelope, field("data.messages", Shape.array))
)

const defaultLimit = required(
  "4.8",
  "without a limit there are at most 20 messages",
  Api.expecting(history(), status(200), field("data.messages", Shape.sized(0, 20)))
)

const limitOne = required(
  "4.8",
  "limit=1 gives one message at most",
  Api.expecting(history("?limit=1"), status(200), field("data.messages", Shape.sized(0, 1)))
)

const limitHundred = required(
  "4.8",
  "limit=100 gives 100 messages at most",
  Api.expecting(history("?limit=100"), status(200), field("data.messages", Shape.sized(0, 100)))
)

const offsetPastEnd = required(
  "4.8",
  "an offset past the end gives no messages",
  Api.expecting(history("?offset=1000000"), ...envelope, field("data.messages", Shape.sized(0, 0))),
  { decisions: [70] }
)

const invalidPaging = [
  "limit=0",
  "limit=-1",
  "limit=abc",
  "limit=101",
  "limit=1.5",
  "offset=-1",
  "offset=abc",
  "limit="
].map((query) =>
  ruling(
    68,
    "4.8",
    `${query} is no error`,
    Api.expecting(history(`?${query}`), status(200), field("data.messages", Shape.sized(0, 100)))
  )
)

const unknownMessageId = ruling(
  69,
  "4.8",
  "a message_id that does not exist is 404 not_found",
  Api.expecting(history("?message_id=no-such-message"), refusal(404, "not_found"))
)

const unknownMessageType = ruling(
  61,
  "4.7",
  "an unknown msg_type is 400 invalid_request",
  Api.expecting(Api.post(path, { content: "hello", msg_type: "song" }), refusal(400, "invalid_request"))
)

const permissionResponse = required(
  "7.1",
  "a refusal of permission_response, where it is refused, is a 4xx",
  Effect.gen(function* () {
    const answer = yield* Api.send(Api.post(path, permission(freshId())))
    yield* Api.claim(
      answer.status === 200 || (answer.status >= 400 && answer.status < 500),
      `the answer is 200 or 4xx, not ${answer.status}`
    )
  }),
  { decisions: [60, 61, 62] }
)

const permissionResponseRefused = ruling(
  61,
  "4.7",
  "permission_response is refused with 400 invalid_request: approval stays with the local user",
  Api.expecting(Api.post(path, permission(freshId())), refusal(400, "invalid_request")),
  { decisions: [60] }
)

const contentArray = required(
  "4.7",
  "content as an array is 400 invalid_request",
  Api.expecting(Api.post(path, { content: ["hello"], msg_type: "text" }), refusal(400, "invalid_request")),
  { decisions: [66] }
)

const emptyContent = ruling(
  64,
  "4.7",
  "an empty content is 400 invalid_request",
  Api.expecting(text(""), refusal(400, "invalid_request"))
)

const oversizedContent = ruling(
  26,
  "8",
  "a content above 32 KiB is 400 invalid_request",
  Api.expecting(text("x".repeat(32 * 1024 + 1)), refusal(400, "invalid_request"))
)

const refusalBody = ruling(
  6,
  "7.1",
  "a refusal carries its HTTP status as code and the word in error",
  Api.expecting(text(""), status(400), field("code", Shape.is(400)), field("error", Shape.is("invalid_request")))
)

const offlineNotFound = ruling(
  63,
  "7.1",
  "a message to an assistant that is offline is 404 not_found",
  whenOffline(Api.expecting(text("Are you there?"), refusal(404, "not_found"))),
  online
)

const offlineStatus = required(
  "7.1",
  "a message to an assistant that is offline is taken or refused with a status of the table",
  whenOffline(
    Effect.flatMap(Api.send(text("Are you there?")), (answer) => Api.verify(answer, status(200, 403, 404, 502, 503)))
  ),
  { ...online, decisions: [63] }
)

/** The local assistant (2.5, 2.6, 4.6–4.8). What depends on its being online is told by `--assistant`. */
export const checks: ReadonlyArray<Check> = [
  statusEnvelope,
  onlineType,
  onlineValue,
  statusRequestId,
  statusNotCached,
  historyEnvelope,
  defaultLimit,
  limitOne,
  limitHundred,
  offsetPastEnd,
  ...invalidPaging,
  unknownMessageId,
  unknownMessageType,
  permissionResponse,
  permissionResponseRefused,
  contentArray,
  emptyContent,
  oversizedContent,
  refusalBody,
  offlineNotFound,
  offlineStatus
]

function permission(requestId: string) {
  return {
    content: JSON.stringify({ outcome: "selected", requestId, answers: { q_0: "yes" } }),
    msg_type: "permission_response"
  }
}

function whenOffline(run: Run): Run {
  return when("offline", run)
}

function when(wanted: "online" | "offline", run: Run): Run {
  return Effect.gen(function* () {
    const wire = yield* Wire
    if ((yield* wire.given("assistant")) !== wanted) return yield* Api.skip(`needs --assistant ${wanted}`)
    return yield* run
  })
}
