import * as Effect from "effect/Effect"
import * as Api from "../Api.ts"
import { required, decided, type Check, type Run } from "../Check.ts"
import type { Turn } from "../CheckContext.ts"
import * as Fixtures from "../Fixtures.ts"
import { at, isRecord } from "../internal/Json.ts"

const stopReasons = ["end_turn", "max_tokens", "max_turn_requests", "refusal", "cancelled"]

/** One turn over the ACP channel (contract 4.13, 6). */
export const checks: ReadonlyArray<Check> = [
  decided("4.13", "a POST returns 202 without a body", { decisions: [112] }, function* () {
    const { posts } = yield* Fixtures.turn
    yield* Api.assert(
      posts.every((post) => post.status === 202 && post.text === ""),
      `every POST of a turn is 202 and empty; they were ${posts.map((post) => `${post.status} with ${post.text.length} characters`).join(", ")}`
    )
  }),
  required(
    "4.13",
    "a POST returns 2xx, and its result arrives over the stream",
    turnHas(
      "the three POSTs of a turn are answered by 2xx",
      ({ posts }) => posts.length === 3 && posts.every((post) => post.status >= 200 && post.status < 300)
    )
  ),
  required(
    "4.13",
    "initialize returns a protocolVersion",
    turnHas("result.protocolVersion is an integer", ({ initializeResponse }) =>
      Number.isInteger(at(initializeResponse, "result.protocolVersion"))
    )
  ),
  required(
    "4.13",
    "session/load returns a result",
    turnHas(
      "session/load has a result and no error",
      ({ loadResponse }) => isRecord(loadResponse) && loadResponse["error"] === undefined && "result" in loadResponse
    )
  ),
  required("6.1", "session/prompt ends the turn with a stopReason of the list", function* () {
    const stopReason = at((yield* Fixtures.turn).promptResponse, "result.stopReason")
    yield* Api.assert(
      stopReasons.includes(String(stopReason)),
      `result.stopReason is one of ${stopReasons.join(", ")}; it is ${JSON.stringify(stopReason)}`
    )
  }),
  required(
    "6",
    "usage is an object when present",
    turnHas("result.usage is an object or absent", ({ promptResponse }) =>
      isRecord(at(promptResponse, "result.usage") ?? {})
    )
  ),
  required(
    "6",
    "every message of the stream is JSON-RPC 2.0",
    turnHas(
      'every message has jsonrpc "2.0"',
      ({ messages }) => messages.length >= 3 && messages.every((message) => at(message, "jsonrpc") === "2.0")
    )
  ),
  required(
    "6",
    "the turn is reported by session/update notifications without an id",
    turnHas("there are session/update notifications, none with an id", (turn) => {
      const updates = updatesOf(turn)
      return updates.length > 0 && updates.every((update) => at(update, "id") === undefined)
    })
  ),
  decided(
    "6",
    "session/update has sessionId and update.sessionUpdate",
    { decisions: [118] },
    turnHas("params are {sessionId, update: {sessionUpdate, …}}", (turn) =>
      updatesOf(turn).every(
        (update) =>
          at(update, "params.sessionId") === turn.task.taskId &&
          typeof at(update, "params.update.sessionUpdate") === "string"
      )
    )
  ),
  required("6.2", "extension methods begin with an underscore and a vendor", { decisions: [117] }, function* () {
    const { messages } = yield* Fixtures.turn
    const methods = messages.map((message) => at(message, "method")).filter((method) => method !== undefined)
    yield* Api.assert(
      methods.every((method) => /^(session|fs|terminal|\$)\/|^_[^/]+\//.test(String(method))),
      `every method is of the standard, of JSON-RPC, or begins with _vendor/; they are ${[...new Set(methods)].join(", ")}`
    )
  })
]

function turnHas(description: string, isMet: (turn: Turn) => boolean): Run {
  return Effect.flatMap(Fixtures.turn, (turn) => Api.assert(isMet(turn), description))
}

function updatesOf({ messages }: Turn) {
  return messages.filter((message) => at(message, "method") === "session/update")
}
