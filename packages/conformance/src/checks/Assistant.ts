import * as Effect from "effect/Effect"
import * as Api from "../Api.ts"
import { required, decided, type Check } from "../Check.ts"
import { field, notStored, refusal, status, envelope } from "../Expectation.ts"
import { freshId } from "../internal/FreshId.ts"
import { history, needsAssistant, path, text, when } from "../LocalAssistant.ts"
import * as Matcher from "../Matcher.ts"

const statusEnvelope = required(
  "4.6",
  "the status is an envelope with code 0 and msg success",
  Api.expecting(Api.get("/localassistant"), ...envelope),
  { decisions: [6, 7] }
)

const onlineType = required(
  "2.5",
  "online is a boolean",
  Api.expecting(Api.get("/localassistant"), field("data.online", Matcher.boolean))
)

const onlineValue = required(
  "2.5",
  "online matches --assistant",
  Effect.gen(function* () {
    const assistant = yield* Api.setting("assistant")
    yield* Api.expecting(Api.get("/localassistant"), field("data.online", Matcher.is(assistant === "online")))
  }),
  { ...needsAssistant, decisions: [71] }
)

const statusRequestId = decided(
  12,
  "4.6",
  "request_id of the envelope is x-request-id",
  Effect.gen(function* () {
    const response = yield* Api.send(Api.get("/localassistant"))
    yield* Api.verify(response, status(200), field("request_id", Matcher.is(response.headers["x-request-id"])))
  })
)

const statusNotCached = decided(
  46,
  "4.6",
  "the response to GET /localassistant is not cached",
  Api.expecting(Api.get("/localassistant"), notStored)
)

const historyEnvelope = required(
  "4.8",
  "the history is an envelope with data.messages",
  Api.expecting(history(), ...envelope, field("data.messages", Matcher.array))
)

const defaultLimit = required(
  "4.8",
  "without a limit at most 20 messages are returned",
  Api.expecting(history(), status(200), field("data.messages", Matcher.sized(0, 20)))
)

const limitOne = required(
  "4.8",
  "limit=1 returns at most one message",
  Api.expecting(history("?limit=1"), status(200), field("data.messages", Matcher.sized(0, 1)))
)

const limitHundred = required(
  "4.8",
  "limit=100 returns at most 100 messages",
  Api.expecting(history("?limit=100"), status(200), field("data.messages", Matcher.sized(0, 100)))
)

const offsetPastEnd = required(
  "4.8",
  "an offset past the end returns no messages",
  Api.expecting(history("?offset=1000000"), ...envelope, field("data.messages", Matcher.sized(0, 0))),
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
  decided(
    68,
    "4.8",
    `${query} is no error`,
    Api.expecting(history(`?${query}`), status(200), field("data.messages", Matcher.sized(0, 100)))
  )
)

const unknownMessageId = decided(
  69,
  "4.8",
  "a message_id that does not exist is 404 not_found",
  Api.expecting(history("?message_id=no-such-message"), refusal(404, "not_found"))
)

const unknownMessageType = decided(
  61,
  "4.7",
  "an unknown msg_type is 400 invalid_request",
  Api.expecting(Api.post(path, { content: "hello", msg_type: "song" }), refusal(400, "invalid_request"))
)

const permissionResponse = required(
  "7.1",
  "permission_response is accepted or refused with a 4xx",
  Effect.gen(function* () {
    const response = yield* Api.send(Api.post(path, permission(freshId())))
    yield* Api.assert(
      response.status === 200 || (response.status >= 400 && response.status < 500),
      `the response is 200 or 4xx, not ${response.status}`
    )
  }),
  { decisions: [60, 61, 62] }
)

const permissionResponseRefused = decided(
  61,
  "4.7",
  "permission_response is 400 invalid_request: only the local user approves",
  Api.expecting(Api.post(path, permission(freshId())), refusal(400, "invalid_request")),
  { decisions: [60] }
)

const contentArray = required(
  "4.7",
  "content as an array is 400 invalid_request",
  Api.expecting(Api.post(path, { content: ["hello"], msg_type: "text" }), refusal(400, "invalid_request")),
  { decisions: [66] }
)

const emptyContent = decided(
  64,
  "4.7",
  "an empty content is 400 invalid_request",
  Api.expecting(text(""), refusal(400, "invalid_request"))
)

const oversizedContent = decided(
  26,
  "8",
  "a content above 32 KiB is 400 invalid_request",
  Api.expecting(text("x".repeat(32 * 1024 + 1)), refusal(400, "invalid_request"))
)

const refusalBody = decided(
  6,
  "7.1",
  "a refusal has the HTTP status in code and the error code in error",
  Api.expecting(text(""), status(400), field("code", Matcher.is(400)), field("error", Matcher.is("invalid_request")))
)

const offlineNotFound = decided(
  63,
  "7.1",
  "a message to an offline assistant is 404 not_found",
  when("offline", Api.expecting(text("Are you there?"), refusal(404, "not_found"))),
  needsAssistant
)

const offlineStatus = required(
  "7.1",
  "a message to an offline assistant is accepted or refused with a status of table 7.1",
  when(
    "offline",
    Effect.flatMap(Api.send(text("Are you there?")), (response) =>
      Api.verify(response, status(200, 403, 404, 502, 503))
    )
  ),
  { ...needsAssistant, decisions: [63] }
)

/** The local assistant (contract 2.5, 2.6, 4.6–4.8). `--assistant` says whether it is online. */
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
