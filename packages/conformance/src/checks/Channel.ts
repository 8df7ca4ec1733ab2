import * as Effect from "effect/Effect"
import * as Api from "../Api.ts"
import { required, decided, type Check } from "../Check.ts"
import type { Task } from "../CheckContext.ts"
import { header, status, statusIn, type Expectation } from "../Expectation.ts"
import * as Fixtures from "../Fixtures.ts"
import * as AcpChannel from "../internal/AcpChannel.ts"
import { at, isRecord } from "../internal/Json.ts"

const neverIssued = "never-issued-0123456789"

const connections: ReadonlyArray<Check> = [
  required("4.13", "GET {link} opens an event stream", function* () {
    const { head } = yield* connection
    const contentType = head.headers["content-type"] ?? ""
    yield* Api.assert(/^text\/event-stream\b/i.test(contentType), "the Content-Type is text/event-stream")
  }),
  required("4.13", "Acp-Connection-Id names the connection", function* () {
    yield* Api.assert((yield* connection).id !== "", "Acp-Connection-Id is not empty")
  }),
  decided("4.13", "every connection has a different id", { decisions: [115] }, function* () {
    yield* Api.assert((yield* connection).id !== (yield* connection).id, "two connections have two ids")
  }),
  decided("4.11", "a token opens the channel after the task was read again", { decisions: [76] }, function* () {
    const { taskId } = yield* Fixtures.task
    const before = yield* Fixtures.awaitLink(taskId)
    yield* Api.send(Api.get(`/tasks/${encodeURIComponent(taskId)}`), status(200))
    yield* AcpChannel.open(before)
  }),
  decided("4.13", "the stream is not cached", { decisions: [119] }, function* () {
    const { head } = yield* connection
    const cacheControl = head.headers["cache-control"] ?? ""
    yield* Api.assert(/\bno-(store|cache)\b/i.test(cacheControl), "Cache-Control forbids caching")
  })
]

const authorization: ReadonlyArray<Check> = [
  required("5.7", "GET {link} with no token is 401", openStream("none", status(401))),
  required("5.7", "GET {link} with a wrong token is 401", openStream({ token: neverIssued }, status(401))),
  required("5.7", "GET {link} with the access token is 401", openStream("accessToken", status(401))),
  required("5.7", "GET {link} with a truncated token is 401", function* () {
    const { token } = yield* Fixtures.channelTask
    yield* openStream({ token: token.slice(0, -1) }, status(401))
  }),
  decided("4.13", "a POST without Acp-Connection-Id is refused", { decisions: [115] }, function* () {
    const { link, token } = yield* Fixtures.channelTask
    yield* Api.send(Api.post(link, sessionList, { token: { token } }), statusIn(400, 499))
  }),
  decided("4.13", "a POST for an unknown connection is refused", { decisions: [115] }, function* () {
    const { token } = yield* Fixtures.channelTask
    yield* initialize("00000000-0000-4000-8000-000000000000", token, statusIn(400, 499))
  }),
  required("4.13", "a POST with a wrong token is 401", function* () {
    const { id } = yield* connection
    yield* initialize(id, neverIssued, status(401))
  })
]

const sessions: ReadonlyArray<Check> = [
  required("4.13", "a follow-up prompt uses the same session", function* () {
    const task = yield* Fixtures.channelTask
    const channel = yield* loadedConnection
    for (const text of ["Say one.", "Say two."]) {
      const { response } = yield* channel.request("session/prompt", promptParams(task, text))
      yield* Api.assert(
        typeof at(response, "result.stopReason") === "string",
        `the prompt "${text}" ends with a stopReason`
      )
    }
  }),
  decided("6", "every connection receives the updates of the session", { decisions: [115] }, function* () {
    const task = yield* Fixtures.channelTask
    const promptConnection = yield* loadedConnection
    const otherConnection = yield* loadedConnection
    yield* promptConnection.request("session/prompt", promptParams(task, "Say hello to both."))
    for (let count = 0; count < 200; count++) {
      if (at(yield* otherConnection.next, "method") === "session/update") return
    }
    yield* Api.assert(false, "the second connection hears a session/update")
  }),
  required("4.13", "an unknown method returns a JSON-RPC error", function* () {
    const { response } = yield* (yield* loadedConnection).request("conformance/none", {})
    yield* Api.assert(Number.isInteger(at(response, "error.code")), "the response has an error with a code")
  }),
  required("4.13", "session/load of an unknown session is an error", function* () {
    const channel = yield* connection
    yield* channel.request("initialize", Fixtures.initializeParams)
    const { response } = yield* channel.request("session/load", Fixtures.loadParams("no-such-session"))
    yield* Api.assert(isRecord(response["error"]), "the response has an error")
  })
]

const messages: ReadonlyArray<Check> = [
  decided("4.13", "a string id is returned unchanged", { decisions: [116] }, function* () {
    const { response } = yield* (yield* connection).request("initialize", Fixtures.initializeParams, "text-id")
    yield* Api.assert(response["id"] === "text-id", "the response has the id")
  }),
  decided("4.13", "a malformed JSON body is refused", { decisions: [112] }, function* () {
    yield* Api.verify(yield* (yield* connection).post('{"jsonrpc":'), statusIn(400, 499))
  }),
  decided("4.13", "a body that is not JSON-RPC is refused", { decisions: [112] }, function* () {
    yield* Api.verify(yield* (yield* connection).post({ hello: 1 }), statusIn(400, 499))
  }),
  decided("4.13", "PUT {link} is refused", { decisions: [19] }, function* () {
    const { link, token } = yield* Fixtures.channelTask
    yield* Api.send(Api.request("PUT", link, { token: { token } }), statusIn(400, 499))
  }),
  decided(
    "4.13",
    "a 401 of the channel has WWW-Authenticate: Bearer",
    { decisions: [108] },
    openStream("none", status(401), header("www-authenticate", /^bearer\b/i))
  )
]

/** The ACP channel of a task (contract 4.13, 6). */
export const checks = [...connections, ...authorization, ...sessions, ...messages]

/** A new connection to the channel's task. */
const connection = Effect.flatMap(Fixtures.channelTask, AcpChannel.open)

/** A connection on which the session is loaded. */
const loadedConnection = Effect.gen(function* () {
  const { taskId } = yield* Fixtures.channelTask
  const channel = yield* connection
  yield* channel.request("initialize", Fixtures.initializeParams)
  const { response } = yield* channel.request("session/load", Fixtures.loadParams(taskId))
  const error = response["error"]
  yield* Api.assert(error === undefined, `session/load works; it failed with ${JSON.stringify(error)}`)
  return channel
})

const sessionList = { jsonrpc: "2.0", id: 1, method: "session/list" }

function promptParams({ taskId }: Task, text: string) {
  return { sessionId: taskId, prompt: [{ type: "text", text }] }
}

/** Opens the stream of the channel's task with this token. */
function openStream(token: NonNullable<Api.Options["token"]>, ...expectations: ReadonlyArray<Expectation>) {
  const options = { token, headers: { accept: "text/event-stream" } }
  return Effect.flatMap(Fixtures.channelTask, ({ link }) => Api.send(Api.get(link, options), ...expectations))
}

/** Posts an initialize request over this connection. */
function initialize(connectionId: string, token: string, expectation: Expectation) {
  const message = { jsonrpc: "2.0", id: 1, method: "initialize", params: Fixtures.initializeParams }
  const options = { token: { token }, headers: { "acp-connection-id": connectionId } }
  return Effect.flatMap(Fixtures.channelTask, ({ link }) => Api.send(Api.post(link, message, options), expectation))
}
