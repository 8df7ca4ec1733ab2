import * as Api from "../Api.ts"
import { required, decided, type Check } from "../Check.ts"
import { withTurn } from "../Fixtures.ts"
import { at, isRecord } from "../internal/Json.ts"

const postStatus = decided(
  112,
  "4.13",
  "a POST returns 202 without a body",
  withTurn(({ posts }) =>
    Api.assert(
      posts.every((post) => post.status === 202 && post.text === ""),
      `every POST of a turn is 202 and empty; they were ${posts.map((post) => `${post.status} with ${post.text.length} characters`).join(", ")}`
    )
  )
)

const postSuccess = required(
  "4.13",
  "a POST returns 2xx, and its result arrives over the stream",
  withTurn(({ posts }) =>
    Api.assert(
      posts.length === 3 && posts.every((post) => post.status >= 200 && post.status < 300),
      "the three POSTs of a turn are answered by 2xx"
    )
  )
)

const initializeResult = required(
  "4.13",
  "initialize returns a protocolVersion",
  withTurn(({ initialized }) =>
    Api.assert(Number.isInteger(at(initialized, "result.protocolVersion")), "result.protocolVersion is an integer")
  )
)

const loadResult = required(
  "4.13",
  "session/load returns a result",
  withTurn(({ loaded }) =>
    Api.assert(
      isRecord(loaded) && loaded["error"] === undefined && "result" in loaded,
      "session/load has a result and no error"
    )
  )
)

const stopReason = required(
  "6.1",
  "session/prompt ends the turn with a stopReason of the list",
  withTurn(({ ended }) =>
    Api.assert(
      stopReasons.includes(String(at(ended, "result.stopReason"))),
      `result.stopReason is one of ${stopReasons.join(", ")}; it is ${JSON.stringify(at(ended, "result.stopReason"))}`
    )
  )
)

const usage = required(
  "6",
  "usage is an object when present",
  withTurn(({ ended }) => {
    const usage = at(ended, "result.usage")
    return Api.assert(usage === undefined || usage === null || isRecord(usage), "result.usage is an object or absent")
  })
)

const jsonRpcVersion = required(
  "6",
  "every message of the stream is JSON-RPC 2.0",
  withTurn(({ messages }) =>
    Api.assert(
      messages.length >= 3 && messages.every((message) => at(message, "jsonrpc") === "2.0"),
      'every message has jsonrpc "2.0"'
    )
  )
)

const updateNotifications = required(
  "6",
  "the turn is reported by session/update notifications without an id",
  withTurn(({ messages }) => {
    const updates = messages.filter((message) => at(message, "method") === "session/update")
    return Api.assert(
      updates.length > 0 && updates.every((update) => at(update, "id") === undefined),
      "there are session/update notifications, none with an id"
    )
  })
)

const updateFields = decided(
  118,
  "6",
  "session/update has sessionId and update.sessionUpdate",
  withTurn(({ messages, task }) => {
    const updates = messages.filter((message) => at(message, "method") === "session/update")
    return Api.assert(
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
  "extension methods begin with an underscore and a vendor",
  withTurn(({ messages }) => {
    const methods = messages.map((message) => at(message, "method")).filter((method) => method !== undefined)
    return Api.assert(
      methods.every((method) => /^(session|fs|terminal|\$)\/|^_[^/]+\//.test(String(method))),
      `every method is of the standard, of JSON-RPC, or begins with _vendor/; they are ${[...new Set(methods)].join(", ")}`
    )
  }),
  { decisions: [117] }
)

/** One turn over the ACP channel (contract 4.13, 6). */
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
