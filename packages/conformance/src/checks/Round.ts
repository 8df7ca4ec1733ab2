import * as Api from "../Api.ts"
import { required, ruling, type Check } from "../Check.ts"
import { at } from "../Expect.ts"
import { onRound } from "../Fixtures.ts"
import { isRecord } from "../internal/Words.ts"

const postStatus = ruling(
  112,
  "4.13",
  "a POST is answered by 202 without a body",
  onRound(({ posts }) =>
    Api.claim(
      posts.every((post) => post.status === 202 && post.text === ""),
      `every POST of a round is 202 and empty; they were ${posts.map((post) => `${post.status} with ${post.text.length} characters`).join(", ")}`
    )
  )
)

const postSuccess = required(
  "4.13",
  "a POST is answered by 2xx, and its result comes over the stream",
  onRound(({ posts }) =>
    Api.claim(
      posts.length === 3 && posts.every((post) => post.status >= 200 && post.status < 300),
      "the three POSTs of a round are answered by 2xx"
    )
  )
)

const initializeResult = required(
  "4.13",
  "initialize is answered with a protocolVersion",
  onRound(({ initialized }) =>
    Api.claim(Number.isInteger(at(initialized, "result.protocolVersion")), "result.protocolVersion is an integer")
  )
)

const loadResult = required(
  "4.13",
  "session/load is answered with a result",
  onRound(({ loaded }) =>
    Api.claim(
      isRecord(loaded) && loaded["error"] === undefined && "result" in loaded,
      "session/load has a result and no error"
    )
  )
)

const stopReason = required(
  "6.1",
  "session/prompt is answered at the end of the round with a stopReason of the list",
  onRound(({ ended }) =>
    Api.claim(
      stopReasons.includes(String(at(ended, "result.stopReason"))),
      `result.stopReason is one of ${stopReasons.join(", ")}; it is ${JSON.stringify(at(ended, "result.stopReason"))}`
    )
  )
)

const usage = required(
  "6",
  "usage is an object where it is there",
  onRound(({ ended }) => {
    const usage = at(ended, "result.usage")
    return Api.claim(usage === undefined || usage === null || isRecord(usage), "result.usage is an object or absent")
  })
)

const jsonRpcVersion = required(
  "6",
  "every message of the stream is JSON-RPC 2.0",
  onRound(({ messages }) =>
    Api.claim(
      messages.length >= 3 && messages.every((message) => at(message, "jsonrpc") === "2.0"),
      'every message has jsonrpc "2.0"'
    )
  )
)

const updateNotifications = required(
  "6",
  "the round is told in session/update notifications, without an id",
  onRound(({ messages }) => {
    const updates = messages.filter((message) => at(message, "method") === "session/update")
    return Api.claim(
      updates.length > 0 && updates.every((update) => at(update, "id") === undefined),
      "there are session/update notifications, none with an id"
    )
  })
)

const updateFields = ruling(
  118,
  "6",
  "session/update has sessionId and an update of a named kind",
  onRound(({ messages, task }) => {
    const updates = messages.filter((message) => at(message, "method") === "session/update")
    return Api.claim(
      updates.every(
        (update) =>
          at(update, "params.sessionId") === task.taskId &&
          typeof at(update, "params.update.sessionUpdate") === "string"
      ),
      "params are {sessionId, update: {sessionUpdate, …}}"
    )
  })
)

const extensionMethods = required(
  "6.2",
  "methods beyond the standard begin with an underscore and a vendor",
  onRound(({ messages }) => {
    const methods = messages.map((message) => at(message, "method")).filter((method) => method !== undefined)
    return Api.claim(
      methods.every((method) => /^(session|fs|terminal|\$)\/|^_[^/]+\//.test(String(method))),
      `every method is of the standard, of JSON-RPC, or begins with _vendor/; they are ${[...new Set(methods)].join(", ")}`
    )
  }),
  { decisions: [117] }
)

/** One prompt round over the ACP channel, as it came (4.13, 6). */
export const checks: ReadonlyArray<Check> = [
  postStatus,
  postSuccess,
  initializeResult,
  loadResult,
  stopReason,
  usage,
  jsonRpcVersion,
  updateNotifications,
  updateFields,
  extensionMethods
]

const stopReasons = ["end_turn", "max_tokens", "max_turn_requests", "refusal", "cancelled"]
