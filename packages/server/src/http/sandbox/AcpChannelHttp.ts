import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as JsonRpc from "@heddle/acp/JsonRpc"
import type { TaskId } from "@heddle/core/domain/Task"
import * as Clock from "effect/Clock"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { IncomingMessage } from "node:http"
import * as BodyCoding from "../message/BodyCoding.ts"
import * as ExactId from "../../sandbox/channel/ExactId.ts"
import { field } from "../../internal/Json.ts"
import type { Sandbox } from "../../sandbox/Sandbox.ts"
import type { Options } from "../../config/SandboxOptions.ts"
import type { SseChannel } from "../../sandbox/channel/SseChannel.ts"
import type { Tickets, Verified } from "../../tasks/Tickets.ts"
import * as AcpConnections from "./AcpConnections.ts"
import * as EventStream from "../message/EventStream.ts"
import { refuse, type SandboxRefusal } from "./SandboxResponses.ts"

type Answer = Effect.Effect<HttpServerResponse.HttpServerResponse, SandboxRefusal, HttpServerRequest.HttpServerRequest>

/**
 * The ACP channel of the sandboxes over HTTP: a stream to read from, requests to write with.
 *
 * One address serves two transports. In the document's own (contract 4.13) a GET opens the connection and everything
 * comes over its stream. In ACP's streamable HTTP a POST of `initialize` opens it and is answered at once; its session
 * has a stream of its own, named by `Acp-Session-Id`.
 */
export interface AcpChannelHttp {
  /**
   * GET: opens a connection, or goes on with one where `Last-Event-ID` says. Ends with the stream, its ticket or its
   * grant.
   */
  readonly receive: (sandbox: Sandbox, ticket: Verified) => Answer
  /** POST: takes one message; `sandbox` is needed where it opens a connection. */
  readonly send: (ticket: Verified, sandbox: Effect.Effect<Sandbox, SandboxRefusal>) => Answer
  /** DELETE: closes a connection. */
  readonly close: (taskId: TaskId) => Answer
}

/** Makes the channel endpoints; closing the scope ends every stream. */
export const make = Effect.fn("AcpChannelHttp.make")(function* (
  options: Options,
  tickets: Pick<Context.Tag.Service<Tickets>, "live">
): Effect.fn.Return<AcpChannelHttp, never, Scope.Scope> {
  const connections = yield* AcpConnections.make(options, tickets)
  return {
    receive: (sandbox, ticket) => receive(connections, sandbox, ticket),
    send: (ticket, sandbox) => send(connections, ticket, sandbox, options.maxMessage),
    close: (taskId) => close(connections, taskId)
  }
})

const receive = (connections: AcpConnections.AcpConnections, sandbox: Sandbox, ticket: Verified): Answer =>
  Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const accept = request.headers["accept"] ?? "*/*"
    if (!/text\/(event-stream|\*)|\*\/\*/.test(accept)) {
      return yield* refuse(406, "This address answers with text/event-stream")
    }
    if (request.method === "HEAD") return HttpServerResponse.empty({ headers: EventStream.headers })
    const id = yield* connectionId
    const session = request.headers["acp-session-id"]
    if (id !== undefined && AcpConnections.isStreamable(id)) {
      return yield* receiveStreamable(connections, sandbox, ticket, { id, session })
    }
    if (id === undefined && session !== undefined) {
      return yield* refuse(400, "The header Acp-Connection-Id is missing: POST initialize first")
    }
    return yield* receiveSingle(connections, sandbox, ticket, id)
  })

/** The document's own transport: opens a connection, or goes on with the named one where that is still possible. */
const receiveSingle = (
  connections: AcpConnections.AcpConnections,
  sandbox: Sandbox,
  ticket: Verified,
  id: string | undefined
): Answer =>
  Effect.gen(function* () {
    const lastEventId = (yield* lastEvent) ?? 0
    const before = id === undefined ? undefined : connections.find(sandbox.taskId, id)
    if (before?.kind === "single" && before.channel.resumable(lastEventId)) {
      connections.read(before, ticket.grantId)
      return yield* stream(before.channel, lastEventId, ticket)
    }
    before?.channel.close()
    const { channel } = yield* connections.single(sandbox, ticket.grantId)
    return yield* stream(channel, 0, ticket)
  })

/** ACP's streamable HTTP: reads the stream of a connection, or of its session. */
const receiveStreamable = (
  connections: AcpConnections.AcpConnections,
  sandbox: Sandbox,
  ticket: Verified,
  { id, session }: { readonly id: string; readonly session: string | undefined }
): Answer =>
  Effect.gen(function* () {
    const open = yield* named(connections, sandbox.taskId, id)
    if (open.kind === "single") return yield* receiveSingle(connections, sandbox, ticket, id)
    // Of all refusals this one alone makes clients give up the session and not the whole connection.
    if (session !== undefined && session !== sandbox.taskId) {
      return yield* refuse(409, "There is no such session in this sandbox")
    }
    const channel = session === undefined ? open.channel.connection : open.channel.session
    if (channel.attached()) return yield* refuse(409, "This stream is being read already: end the other reader first")
    const lastEventId = yield* lastEvent
    if (!channel.resumable(lastEventId)) {
      open.channel.close()
      return yield* refuse(404, "What came after this event is no longer kept: POST initialize for a new connection")
    }
    connections.read(open, ticket.grantId)
    return yield* stream(channel, lastEventId, ticket)
  })

/** Streams a channel from after an event until the stream ends or its ticket expires; the channel outlives both. */
const stream = (channel: SseChannel, lastEventId: number | undefined, { expiresAt }: Verified): Answer =>
  Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const response = NodeHttpServerRequest.toServerResponse(request)
    const life = expiresAt - (yield* Clock.currentTimeMillis)
    // A message that comes twice on one connection, by its id, is taken once: clients may repeat what may be lost.
    EventStream.begin(response, { "acp-connection-id": channel.id, "acp-idempotent-posts": "1" })
    channel.attach(response, lastEventId)
    const expiry = setTimeout(() => channel.detach(response), Math.min(life, maxTimerMs))
    return EventStream.leave(response, () => {
      clearTimeout(expiry)
      channel.detach(response)
    })
  })

const send = (
  connections: AcpConnections.AcpConnections,
  ticket: Verified,
  sandbox: Effect.Effect<Sandbox, SandboxRefusal>,
  maxMessage: number
): Answer =>
  Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const id = yield* connectionId
    const open = id === undefined ? undefined : yield* named(connections, ticket.taskId, id)
    if (!/^application\/json\b/i.test(request.headers["content-type"] ?? "")) {
      return yield* refuse(415, "Send one JSON-RPC message as application/json")
    }
    const coding = BodyCoding.refusal(request.headers)
    if (coding !== undefined) return yield* refuse(415, coding)
    const body = yield* readBody(NodeHttpServerRequest.toIncomingMessage(request), maxMessage)
    const message = yield* parse(body.toString())
    const initializes = JsonRpc.isRequest(message) && message.method === "initialize"
    if (open === undefined) {
      if (!initializes) {
        return yield* refuse(400, "The header Acp-Connection-Id is missing: GET this address or POST initialize first")
      }
      if (message.id === null) return yield* refuse(400, "initialize needs an id that is not null")
      return yield* initialize(connections, yield* sandbox, ticket, { message, size: body.length })
    }
    if (open.kind === "streamable") {
      if (initializes) return yield* refuse(400, "This connection is initialized already")
      const about = yield* checkSession(message, request.headers["acp-session-id"])
      if (JsonRpc.isRequest(message) && about === undefined) open.channel.expect(message.id)
    }
    open.connected.receive(message, body.length)
    return HttpServerResponse.empty({ status: 202 })
  })

/** Checks that the header names the session of the message, and gives it. */
const checkSession = (message: JsonRpc.Message, header: string | undefined) => {
  const about = sessionOf(message)
  if (about !== undefined && header === undefined) return refuse(400, "The header Acp-Session-Id is missing")
  return about !== undefined && header !== about
    ? refuse(400, "The header Acp-Session-Id names another session than the message")
    : Effect.succeed(about)
}

const initialize = (
  connections: AcpConnections.AcpConnections,
  sandbox: Sandbox,
  ticket: Verified,
  { message, size }: { readonly message: JsonRpc.Message; readonly size: number }
): Answer =>
  Effect.gen(function* () {
    const { channel, connected } = yield* connections.streamable(sandbox, ticket.grantId)
    connected.receive(message, size)
    const answer = yield* Effect.onInterrupt(channel.initialized, () => Effect.sync(channel.close))
    if (answer === undefined) return yield* refuse(404, "session does not exist")
    return HttpServerResponse.uint8Array(answer, {
      contentType: "application/json",
      headers: { "acp-connection-id": channel.id, "cache-control": "no-store" }
    })
  })

const close = (connections: AcpConnections.AcpConnections, taskId: TaskId): Answer =>
  Effect.gen(function* () {
    const id = yield* connectionId
    if (id === undefined) return yield* refuse(400, "The header Acp-Connection-Id is missing: it names what to close")
    const { channel } = yield* named(connections, taskId, id)
    channel.close()
    return HttpServerResponse.empty({ status: 202 })
  })

/** The open connection of a task by its id. */
const named = (connections: AcpConnections.AcpConnections, taskId: TaskId, id: string) => {
  const found = connections.find(taskId, id)
  if (found !== undefined) return Effect.succeed(found)
  return AcpConnections.isStreamable(id)
    ? refuse(404, "This connection is closed or unknown: POST initialize for a new one")
    : refuse(409, "This connection is closed or unknown: GET this address for a new one")
}

const connectionId = Effect.map(
  HttpServerRequest.HttpServerRequest,
  ({ headers }) => headers["acp-connection-id"] || undefined
)

/** The event that a client heard last; of what is no number of an event nothing can be resumed. */
const lastEvent = Effect.map(HttpServerRequest.HttpServerRequest, ({ headers }) => {
  const id = headers["last-event-id"] || undefined
  return id === undefined ? undefined : /^\d{1,15}$/.test(id) ? Number(id) : Number.NaN
})

/** The session that a request or notification is about; answers are known by their id alone. */
const sessionOf = (message: JsonRpc.Message): string | undefined => {
  const sessionId = JsonRpc.isResponse(message) ? undefined : field(message.params, "sessionId")
  return typeof sessionId === "string" ? sessionId : undefined
}

const readBody = (request: IncomingMessage, limit: number) =>
  Effect.async<Buffer, SandboxRefusal>((resume) => {
    const pieces: Array<Buffer> = []
    let size = 0
    request.on("data", (piece: Buffer) => {
      size += piece.length
      if (size <= limit) pieces.push(piece)
      // What is too large is read on for a while, so that the client comes to read the answer.
      else if (size > 2 * limit) resume(tooLarge(limit))
    })
    request.once("end", () => resume(size > limit ? tooLarge(limit) : Effect.succeed(Buffer.concat(pieces))))
    request.once("close", () => resume(refuse(400, "The request broke off")))
  })

const tooLarge = (limit: number) => refuse(413, `A message may have ${Math.floor(limit / 1024 / 1024)} MiB at most`)

const parse = (text: string) =>
  Effect.gen(function* () {
    const value = yield* Effect.try(() => ExactId.parse(text)).pipe(
      Effect.catchAll(() => refuse(400, "The body is not JSON"))
    )
    if (Array.isArray(value)) return yield* refuse(400, "Batches are not taken: send one message at a time")
    if (JsonRpc.tooDeep(value)) {
      return yield* refuse(400, `The message is nested more than ${JsonRpc.maxDepth} levels deep. Nothing was done.`)
    }
    const message = JsonRpc.fromJson(value)
    return message ?? (yield* refuse(400, "The body is not a JSON-RPC 2.0 message"))
  })

/** The longest time that a timer of Node takes, in milliseconds. */
const maxTimerMs = 2 ** 31 - 1
