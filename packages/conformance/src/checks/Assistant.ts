import * as Api from "../Api.ts"
import { required, decided, type Check } from "../Check.ts"
import { field, notStored, errorResponse, status, successEnvelope, requestIdMatches } from "../Expectation.ts"
import { freshId } from "../internal/FreshId.ts"
import { history, messagePath, textMessage, whenAssistant } from "../LocalAssistant.ts"
import * as Matcher from "../Matcher.ts"

const assistant = Api.get("/localassistant")
const atMost = (max: number) => field("data.messages", Matcher.ofLength(0, max))
const invalidRequest = errorResponse(400, "invalid_request")

const online: ReadonlyArray<Check> = [
  required(
    "4.6",
    "the status is an envelope with code 0 and msg success",
    { decisions: [6, 7] },
    Api.send(assistant, ...successEnvelope)
  ),
  required("2.5", "online is a boolean", Api.send(assistant, field("data.online", Matcher.boolean))),
  required("2.5", "online matches --assistant", { needs: ["assistant"], decisions: [71] }, function* () {
    const online = (yield* Api.setting("assistant")) === "online"
    yield* Api.send(assistant, field("data.online", Matcher.is(online)))
  }),
  decided(
    "4.6",
    "request_id of the envelope is x-request-id",
    { decisions: [12] },
    Api.send(assistant, status(200), requestIdMatches)
  ),
  decided(
    "4.6",
    "the response to GET /localassistant is not cached",
    { decisions: [46] },
    Api.send(assistant, notStored)
  )
]

const messages: ReadonlyArray<Check> = [
  required(
    "4.8",
    "the history is an envelope with data.messages",
    Api.send(history(), ...successEnvelope, field("data.messages", Matcher.array))
  ),
  required("4.8", "without a limit at most 20 messages are returned", Api.send(history(), status(200), atMost(20))),
  required("4.8", "limit=1 returns at most one message", Api.send(history("?limit=1"), status(200), atMost(1))),
  required("4.8", "limit=100 returns at most 100 messages", Api.send(history("?limit=100"), status(200), atMost(100))),
  required(
    "4.8",
    "an offset past the end returns no messages",
    { decisions: [70] },
    Api.send(history("?offset=1000000"), ...successEnvelope, atMost(0))
  ),
  ...["limit=0", "limit=-1", "limit=abc", "limit=101", "limit=1.5", "offset=-1", "offset=abc", "limit="].map((query) =>
    decided(
      "4.8",
      `${query} is no error`,
      { decisions: [68] },
      Api.send(history(`?${query}`), status(200), atMost(100))
    )
  ),
  decided(
    "4.8",
    "a message_id that does not exist is 404 not_found",
    { decisions: [69] },
    Api.send(history("?message_id=no-such-message"), errorResponse(404, "not_found"))
  )
]

const refused: ReadonlyArray<Check> = [
  decided(
    "4.7",
    "an unknown msg_type is 400 invalid_request",
    { decisions: [61] },
    Api.send(Api.post(messagePath, { content: "hello", msg_type: "song" }), invalidRequest)
  ),
  required(
    "7.1",
    "permission_response is accepted, refused with a 4xx, or 502 or 503 without the assistant",
    { decisions: [60, 61, 62] },
    Api.send(permission(freshId()), ({ status }) =>
      [200, 502, 503].includes(status) || (status >= 400 && status < 500)
        ? undefined
        : `the response is 200, 4xx, 502 or 503, not ${status}`
    )
  ),
  decided(
    "4.7",
    "permission_response is 400 invalid_request: only the local user approves",
    { decisions: [61, 60] },
    Api.send(permission(freshId()), invalidRequest)
  ),
  required(
    "4.7",
    "content as an array is 400 invalid_request",
    { decisions: [66] },
    Api.send(Api.post(messagePath, { content: ["hello"], msg_type: "text" }), invalidRequest)
  ),
  decided(
    "4.7",
    "an empty content is 400 invalid_request",
    { decisions: [64] },
    Api.send(textMessage(""), invalidRequest)
  ),
  decided(
    "8",
    "a content above 32 KiB is 400 invalid_request",
    { decisions: [26] },
    Api.send(textMessage("x".repeat(32 * 1024 + 1)), invalidRequest)
  ),
  decided(
    "7.1",
    "a refusal has the HTTP status in code and the error code in error",
    { decisions: [6] },
    Api.send(
      textMessage(""),
      status(400),
      field("code", Matcher.is(400)),
      field("error", Matcher.is("invalid_request"))
    )
  )
]

const offline = whenAssistant("offline", [
  decided(
    "7.1",
    "a message to an offline assistant is 404 not_found",
    { decisions: [63] },
    Api.send(textMessage("Are you there?"), errorResponse(404, "not_found"))
  ),
  required(
    "7.1",
    "a message to an offline assistant is accepted or refused with a status of table 7.1",
    { decisions: [63] },
    Api.send(textMessage("Are you there?"), status(200, 403, 404, 502, 503))
  )
])

/** The local assistant (contract 2.5, 2.6, 4.6–4.8). `--assistant` says whether it is online. */
export const checks = [...online, ...messages, ...refused, ...offline]

function permission(requestId: string) {
  const content = JSON.stringify({ outcome: "selected", requestId, answers: { q_0: "yes" } })
  return Api.post(messagePath, { content, msg_type: "permission_response" })
}
