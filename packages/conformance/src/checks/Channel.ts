import * as Effect from "effect/Effect"
import * as Api from "../Api.ts"
import { required, decided, type Check, type Run } from "../Check.ts"
import type { Task } from "../CheckContext.ts"
import { Mismatch } from "../CheckFailure.ts"
import { header, status, statusIn } from "../Expectation.ts"
import { initializeParams, withTask } from "../Fixtures.ts"
import * as AcpChannel from "../internal/AcpChannel.ts"
import { at, isRecord } from "../internal/Json.ts"

const eventStream = required(
  "4.13",
  "GET {link} opens an event stream",
  withConnection(({ head }) =>
    Api.assert(
      /^text\/event-stream\b/i.test(head.headers["content-type"] ?? ""),
      "the Content-Type is text/event-stream"
    )
  )
)

const connectionId = required(
  "4.13",
  "Acp-Connection-Id names the connection",
  withConnection(({ id }) => Api.assert(id !== "", "Acp-Connection-Id is not empty"))
)

const uniqueConnectionIds = decided(
  115,
  "4.13",
  "every connection has a different id",
  withTask((task) =>
    Effect.gen(function* () {
      const first = yield* AcpChannel.open(task)
      const second = yield* AcpChannel.open(task)
      yield* Api.assert(first.id !== second.id, "two connections have two ids")
    })
  )
)

const notCached = decided(
  119,
  "4.13",
  "the stream is not cached",
  withConnection(({ head }) =>
    Api.assert(/\bno-(store|cache)\b/i.test(head.headers["cache-control"] ?? ""), "Cache-Control forbids caching")
  )
)

const noToken = refused("no token", () => "none")

const wrongToken = refused("a wrong token", () => ({ token: "never-issued-0123456789" }))

const accessToken = required(
  "5.7",
  "GET {link} with the access token is 401",
  withTask(({ link }) => Api.expecting(stream(link, "accessToken"), status(401)))
)

const truncatedToken = required(
  "5.7",
  "GET {link} with a truncated token is 401",
  withTask(({ link, token }) => Api.expecting(stream(link, { token: token.slice(0, -1) }), status(401)))
)

const postWithoutConnection = decided(
  115,
  "4.13",
  "a POST without Acp-Connection-Id is refused",
  withTask(({ link, token }) =>
    Api.expecting(post(link, token, {}, { jsonrpc: "2.0", id: 1, method: "session/list" }), statusIn(400, 499))
  )
)

const postToUnknownConnection = decided(
  115,
  "4.13",
  "a POST for an unknown connection is refused",
  withTask(({ link, token }) =>
    Api.expecting(
      post(link, token, { "acp-connection-id": "00000000-0000-4000-8000-000000000000" }, initialize(1)),
      statusIn(400, 499)
    )
  )
)

const postWithWrongToken = required(
  "4.13",
  "a POST with a wrong token is 401",
  withConnection(({ id }, task) =>
    Api.expecting(post(task.link, "never-issued-0123456789", { "acp-connection-id": id }, initialize(1)), status(401))
  )
)

const followUpPrompt = required(
  "4.13",
  "a follow-up prompt uses the same session",
  withSession((channel, task) =>
    Effect.gen(function* () {
      for (const words of ["Say one.", "Say two."]) {
        const { response } = yield* channel.request("session/prompt", prompt(task, words))
        yield* Api.assert(
          typeof at(response, "result.stopReason") === "string",
          `the prompt "${words}" ends with a stopReason`
        )
      }
    })
  )
)

const everyConnectionHears = decided(
  115,
  "6",
  "every connection receives the updates of the session",
  withTask((task) =>
    Effect.gen(function* () {
      const speaker = yield* ready(task)
      const listener = yield* ready(task)
      yield* speaker.request("session/prompt", prompt(task, "Say hello to both."))
      for (let seen = 0; seen < 200; seen++) {
        const message = yield* listener.next
        if (at(message, "method") === "session/update") return
      }
      yield* Api.assert(false, "the second connection hears a session/update")
    })
  )
)

const unknownMethod = required(
  "4.13",
  "an unknown method returns a JSON-RPC error",
  withSession((channel) =>
    Effect.gen(function* () {
      const { response } = yield* channel.request("conformance/none", {})
      yield* Api.assert(
        isRecord(response["error"]) && Number.isInteger(at(response, "error.code")),
        "the response has an error with a code"
      )
    })
  )
)

const unknownSession = required(
  "4.13",
  "session/load of an unknown session is an error",
  withConnection((channel) =>
    Effect.gen(function* () {
      yield* channel.request("initialize", initializeParams)
      const { response } = yield* channel.request("session/load", {
        sessionId: "no-such-session",
        cwd: "/",
        mcpServers: []
      })
      yield* Api.assert(isRecord(response["error"]), "the response has an error")
    })
  )
)

const textId = decided(
  116,
  "4.13",
  "a string id is returned unchanged",
  withConnection((channel) =>
    Effect.gen(function* () {
      const { response } = yield* channel.request("initialize", initializeParams, "text-id")
      yield* Api.assert(response["id"] === "text-id", "the response has the id")
    })
  )
)

const malformedJson = decided(
  112,
  "4.13",
  "a malformed JSON body is refused",
  withConnection((channel) =>
    Effect.gen(function* () {
      yield* Api.verify(yield* channel.post('{"jsonrpc":'), statusIn(400, 499))
    })
  )
)

const notJsonRpc = decided(
  112,
  "4.13",
  "a body that is not JSON-RPC is refused",
  withConnection((channel) =>
    Effect.gen(function* () {
      yield* Api.verify(yield* channel.post({ hello: 1 }), statusIn(400, 499))
    })
  )
)

const putMethod = decided(
  19,
  "4.13",
  "PUT {link} is refused",
  withTask(({ link, token }) => Api.expecting(Api.request("PUT", link, { token: { token } }), statusIn(400, 499)))
)

const unauthorizedChallenge = decided(
  108,
  "4.13",
  "a 401 of the channel has WWW-Authenticate: Bearer",
  withTask(({ link }) => Api.expecting(stream(link, "none"), status(401), header("www-authenticate", /^bearer\b/i)))
)

/** The ACP channel of a task (contract 4.13, 6). */
export const checks: ReadonlyArray<Check> = [
  eventStream,
  connectionId,
  uniqueConnectionIds,
  notCached,
  ...noToken,
  ...wrongToken,
  accessToken,
  truncatedToken,
  postWithoutConnection,
  postToUnknownConnection,
  postWithWrongToken,
  followUpPrompt,
  everyConnectionHears,
  unknownMethod,
  unknownSession,
  textId,
  malformedJson,
  notJsonRpc,
  putMethod,
  unauthorizedChallenge
]

function refused(what: string, token: () => "none" | { readonly token: string }): ReadonlyArray<Check> {
  return [
    required(
      "5.7",
      `GET {link} with ${what} is 401`,
      withTask(({ link }) => Api.expecting(stream(link, token()), status(401)))
    )
  ]
}

function stream(link: string, token: "none" | "accessToken" | { readonly token: string }) {
  return Api.get(link, { token, headers: { accept: "text/event-stream" } })
}

function post(link: string, token: string, headers: Readonly<Record<string, string>>, message: unknown) {
  return Api.post(link, message, { token: { token }, headers })
}

function initialize(id: number) {
  return { jsonrpc: "2.0", id, method: "initialize", params: initializeParams }
}

function prompt({ taskId }: Task, text: string) {
  return { sessionId: taskId, prompt: [{ type: "text", text }] }
}

/** Opens a connection of its own to the common task. */
function withConnection(use: (channel: AcpChannel.AcpChannel, task: Task) => Run): Run {
  return withTask((task) => Effect.flatMap(AcpChannel.open(task), (channel) => use(channel, task)))
}

/** Opens a connection on which the session is loaded. */
function withSession(use: (channel: AcpChannel.AcpChannel, task: Task) => Run): Run {
  return withTask((task) => Effect.flatMap(ready(task), (channel) => use(channel, task)))
}

/** A connection on which the session is loaded. */
function ready(task: Task) {
  return Effect.gen(function* () {
    const channel = yield* AcpChannel.open(task)
    yield* channel.request("initialize", initializeParams)
    const { response } = yield* channel.request("session/load", { sessionId: task.taskId, cwd: "/", mcpServers: [] })
    if (response["error"] !== undefined) {
      return yield* new Mismatch({
        problems: [`session/load works; it failed with ${JSON.stringify(response["error"])}`]
      })
    }
    return channel
  })
}
