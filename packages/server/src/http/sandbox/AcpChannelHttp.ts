import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as JsonRpc from "@heddle/acp/JsonRpc"
import * as Clock from "effect/Clock"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { IncomingMessage } from "node:http"
import * as BodyCoding from "../message/BodyCoding.ts"
import * as ExactId from "../../sandbox/channel/ExactId.ts"
import { field } from "../../internal/Json.ts"
import type { SandboxRegistry } from "../../sandbox/SandboxRegistry.ts"
import type { Options } from "../../config/SandboxOptions.ts"
import type { SseChannel } from "../../sandbox/channel/SseChannel.ts"
import type { Tickets, VerifiedTicket } from "../../tasks/Tickets.ts"
import * as AcpConnections from "./AcpConnections.ts"
import * as EventStream from "../message/EventStream.ts"
import { exceedsDepth } from "../message/RequestBody.ts"
import { refuse, type SandboxRefusal } from "./SandboxResponses.ts"

type ResponseEffect = Effect.Effect<
  HttpServerResponse.HttpServerResponse,
  SandboxRefusal,
  HttpServerRequest.HttpServerRequest
>

/**
 * The ACP channel of the sandboxes over HTTP: a stream to read from, requests to write with.
 *
 * One URL serves two transports. In the contract's transport (4.13) a GET opens the connection, and its stream has all
 * messages. In ACP's streamable HTTP a POST of `initialize` opens the connection and gets the response at once. Its
 * session has a second stream, named by `Acp-Session-Id`.
 */
export interface AcpChannelHttp {
  /**
   * GET: opens a connection, or resumes one after `Last-Event-ID`. Ends with the stream, its ticket or its grant. `load`
   * loads the sandbox for a new connection.
   */
  readonly receive: (ticket: VerifiedTicket, load: Load) => ResponseEffect
  /** POST: receives one message; `load` loads the sandbox for the connection that `initialize` opens. */
  readonly send: (ticket: VerifiedTicket, load: Load) => ResponseEffect
  /** DELETE: closes a connection. */
  readonly close: (ticket: VerifiedTicket) => ResponseEffect
}

/** Loads a sandbox before its first connection opens, so that a failure is the response. */
type Load = Effect.Effect<unknown, SandboxRefusal>

/** Makes the channel endpoints; closing the scope ends every stream. */
export const make = Effect.fn("AcpChannelHttp.make")(function* (
  options: Options,
  tickets: Pick<Context.Tag.Service<Tickets>, "liveGrants">,
  registry: Pick<Context.Tag.Service<SandboxRegistry>, "join">
): Effect.fn.Return<AcpChannelHttp, never, Scope.Scope> {
  const connections = yield* AcpConnections.make(options, tickets, registry)
  return {
    receive: (ticket, load) => receive(connections, ticket, load),
    send: (ticket, load) => send(connections, ticket, load, options.maxMessage),
    close: (ticket) => close(connections, ticket)
  }
})

const receive = (connections: AcpConnections.AcpConnections, ticket: VerifiedTicket, load: Load): ResponseEffect =>
  Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const accept = request.headers["accept"] ?? "*/*"
    if (!/text\/(event-stream|\*)|\*\/\*/.test(accept)) {
      return yield* refuse(406, "This address answers with text/event-stream")
    }
    if (request.method === "HEAD") return HttpServerResponse.empty({ headers: EventStream.headers })
    const id = yield* readConnectionId
    const session = request.headers["acp-session-id"]
    if (id !== undefined && AcpConnections.isStreamable(id)) {
      return yield* receiveStreamable(connections, ticket, load, { id, session })
    }
    if (id === undefined && session !== undefined) {
      return yield* refuse(400, "The header Acp-Connection-Id is missing: POST initialize first")
    }
    return yield* receiveSingle(connections, ticket, load, id)
  })

/** The contract's transport: opens a connection, or resumes the named one where that is still possible. */
const receiveSingle = (
  connections: AcpConnections.AcpConnections,
  ticket: VerifiedTicket,
  load: Load,
  id: string | undefined
): ResponseEffect =>
  Effect.gen(function* () {
    const lastEventId = (yield* readLastEventId) ?? 0
    const previous = id === undefined ? undefined : connections.find(ticket.taskId, id)
    if (previous !== undefined && !mayUse(previous, ticket)) return yield* mayOnlyRead
    if (previous?.kind === "single" && previous.channel.isResumable(lastEventId)) {
      connections.updateGrant(previous, ticket.grantId)
      return yield* stream(previous.channel, lastEventId, ticket)
    }
    previous?.channel.close()
    yield* load
    const { channel } = yield* connections.openSingle(ticket)
    return yield* stream(channel, 0, ticket)
  })

/** ACP's streamable HTTP: reads the stream of a connection, or of its session. */
const receiveStreamable = (
  connections: AcpConnections.AcpConnections,
  ticket: VerifiedTicket,
  load: Load,
  { id, session }: { readonly id: string; readonly session: string | undefined }
): ResponseEffect =>
  Effect.gen(function* () {
    const connection = yield* findConnection(connections, ticket, id)
    if (connection.kind === "single") return yield* receiveSingle(connections, ticket, load, id)
    // Only for 409 do clients give up the session and keep the connection.
    if (session !== undefined && session !== ticket.taskId) {
      return yield* refuse(409, "There is no such session in this sandbox")
    }
    const channel = session === undefined ? connection.channel.connection : connection.channel.session
    if (channel.isAttached()) return yield* refuse(409, "This stream is being read already: end the other reader first")
    const lastEventId = yield* readLastEventId
    if (!channel.isResumable(lastEventId)) {
      connection.channel.close()
      return yield* refuse(404, "What came after this event is no longer kept: POST initialize for a new connection")
    }
    connections.updateGrant(connection, ticket.grantId)
    return yield* stream(channel, lastEventId, ticket)
  })

/** Streams a channel from after an event until the stream ends or its ticket expires; the channel outlives both. */
const stream = (channel: SseChannel, lastEventId: number | undefined, { expiresAt }: VerifiedTicket): ResponseEffect =>
  Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const response = NodeHttpServerRequest.toServerResponse(request)
    const lifetimeMs = expiresAt - (yield* Clock.currentTimeMillis)
    // Tells clients that they may repeat a message: the connection handles each message id once.
    EventStream.begin(response, { "acp-connection-id": channel.id, "acp-idempotent-posts": "1" })
    channel.attach(response, lastEventId)
    const expiry = setTimeout(() => channel.detach(response), Math.min(lifetimeMs, maxTimerMs))
    return EventStream.detach(response, () => {
      clearTimeout(expiry)
      channel.detach(response)
    })
  })

const send = (
  connections: AcpConnections.AcpConnections,
  ticket: VerifiedTicket,
  load: Load,
  maxMessageBytes: number
): ResponseEffect =>
  Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const id = yield* readConnectionId
    const connection = id === undefined ? undefined : yield* findConnection(connections, ticket, id)
    if (!/^application\/json\b/i.test(request.headers["content-type"] ?? "")) {
      return yield* refuse(415, "Send one JSON-RPC message as application/json")
    }
    const problem = BodyCoding.findProblem(request.headers)
    if (problem !== undefined) return yield* refuse(415, problem)
    const body = yield* readBody(NodeHttpServerRequest.toIncomingMessage(request), maxMessageBytes)
    // The connection may have closed meanwhile, as it does when its task was archived.
    if (id !== undefined) yield* findConnection(connections, ticket, id)
    const message = yield* parseMessage(body.toString())
    if (!ticket.mayInvoke && !isReading(message)) {
      return yield* mayOnlyRead
    }
    // An error answers a request, too: from somebody who may not answer it counts for nothing.
    if (!ticket.mayInvoke && JsonRpc.isResponse(message)) return HttpServerResponse.empty({ status: 202 })
    const isInitialize = JsonRpc.isRequest(message) && message.method === "initialize"
    if (connection === undefined) {
      if (!isInitialize) {
        return yield* refuse(400, "The header Acp-Connection-Id is missing: GET this address or POST initialize first")
      }
      if (message.id === null) return yield* refuse(400, "initialize needs an id that is not null")
      return yield* initialize(connections, ticket, load, { message, size: body.length })
    }
    if (connection.kind === "streamable") {
      if (isInitialize) return yield* refuse(400, "This connection is initialized already")
      const sessionId = yield* checkSession(message, request.headers["acp-session-id"])
      if (JsonRpc.isRequest(message) && sessionId === undefined) connection.channel.expectOnConnection(message.id)
    }
    connection.connected.receive(message, body.length)
    return HttpServerResponse.empty({ status: 202 })
  })

const mayOnlyRead = refuse(
  403,
  "This credential may only read: the access token that asked for it lacks user.task.invokable. Nothing was done."
)

/** Whether a message only reads: it prompts, chooses, answers and cancels nothing. */
const isReading = (message: JsonRpc.Message): boolean =>
  JsonRpc.isResponse(message)
    ? JsonRpc.isFailure(message)
    : readingMethods.has(message.method) && !namesMcpServers(message.params)

/** MCP servers start commands for the agent. */
const namesMcpServers = (params: unknown): boolean => {
  const servers = field(params, "mcpServers")
  return Array.isArray(servers) && servers.length > 0
}

const readingMethods: ReadonlySet<string> = new Set([
  "initialize",
  "session/list",
  "session/load",
  "session/new",
  "session/resume",
  // It withdraws requests of one connection; see `mayUse`.
  "$/cancel_request"
])

/** Checks that the header names the session of the message; returns that session. */
const checkSession = (message: JsonRpc.Message, header: string | undefined) => {
  const sessionId = sessionOf(message)
  if (sessionId !== undefined && header === undefined) return refuse(400, "The header Acp-Session-Id is missing")
  return sessionId !== undefined && header !== sessionId
    ? refuse(400, "The header Acp-Session-Id names another session than the message")
    : Effect.succeed(sessionId)
}

const initialize = (
  connections: AcpConnections.AcpConnections,
  ticket: VerifiedTicket,
  load: Load,
  { message, size }: { readonly message: JsonRpc.Message; readonly size: number }
): ResponseEffect =>
  Effect.gen(function* () {
    yield* load
    const { channel, connected } = yield* connections.openStreamable(ticket)
    connected.receive(message, size)
    const answer = yield* Effect.onInterrupt(channel.initialized, () => Effect.sync(channel.close))
    if (answer === undefined) return yield* refuse(404, "session does not exist")
    return HttpServerResponse.uint8Array(answer, {
      contentType: "application/json",
      headers: { "acp-connection-id": channel.id, "cache-control": "no-store" }
    })
  })

const close = (connections: AcpConnections.AcpConnections, ticket: VerifiedTicket): ResponseEffect =>
  Effect.gen(function* () {
    const id = yield* readConnectionId
    if (id === undefined) return yield* refuse(400, "The header Acp-Connection-Id is missing: it names what to close")
    const { channel } = yield* findConnection(connections, ticket, id)
    channel.close()
    return HttpServerResponse.empty({ status: 202 })
  })

/** The open connection of a task by its id, for a ticket that may use it. */
const findConnection = (connections: AcpConnections.AcpConnections, ticket: VerifiedTicket, id: string) => {
  const connection = connections.find(ticket.taskId, id)
  if (connection !== undefined) return mayUse(connection, ticket) ? Effect.succeed(connection) : mayOnlyRead
  return AcpConnections.isStreamable(id)
    ? refuse(404, "This connection is closed or unknown: POST initialize for a new one")
    : refuse(409, "This connection is closed or unknown: GET this address for a new one")
}

/** A ticket that may only read uses connections of such tickets alone. */
const mayUse = (connection: AcpConnections.OpenConnection, ticket: VerifiedTicket): boolean =>
  ticket.mayInvoke || !connection.mayInvoke

const readConnectionId = Effect.map(
  HttpServerRequest.HttpServerRequest,
  ({ headers }) => headers["acp-connection-id"] || undefined
)

/** The last event that a client has received; `NaN` for an invalid id, which cannot be resumed. */
const readLastEventId = Effect.map(HttpServerRequest.HttpServerRequest, ({ headers }) => {
  const id = headers["last-event-id"] || undefined
  return id === undefined ? undefined : /^\d{1,15}$/.test(id) ? Number(id) : Number.NaN
})

/** The session of a request or notification; responses have only an id. */
const sessionOf = (message: JsonRpc.Message): string | undefined => {
  const sessionId = JsonRpc.isResponse(message) ? undefined : field(message.params, "sessionId")
  return typeof sessionId === "string" ? sessionId : undefined
}

const readBody = (request: IncomingMessage, limitBytes: number) =>
  Effect.async<Buffer, SandboxRefusal>((resume) => {
    const chunks: Array<Buffer> = []
    let size = 0
    request.on("data", (chunk: Buffer) => {
      size += chunk.length
      if (size <= limitBytes) chunks.push(chunk)
      else {
        chunks.length = 0
        resume(tooLarge(limitBytes))
      }
    })
    request.once("end", () => resume(Effect.succeed(Buffer.concat(chunks))))
    request.once("close", () => resume(refuse(400, "The request broke off")))
  })

const tooLarge = (limitBytes: number) =>
  refuse(413, `A message may have ${Math.floor(limitBytes / 1024 / 1024)} MiB at most`)

const parseMessage = (text: string) =>
  Effect.gen(function* () {
    if (exceedsDepth(text, JsonRpc.maxDepth)) {
      return yield* refuse(400, `The message is nested more than ${JsonRpc.maxDepth} levels deep. Nothing was done.`)
    }
    const value = yield* Effect.try(() => ExactId.parse(text)).pipe(
      Effect.catchAll(() => refuse(400, "The body is not JSON"))
    )
    if (Array.isArray(value)) return yield* refuse(400, "Batches are not taken: send one message at a time")
    const message = JsonRpc.fromJson(value)
    return message ?? (yield* refuse(400, "The body is not a JSON-RPC 2.0 message"))
  })

/** The longest timer of Node, in milliseconds. */
const maxTimerMs = 2 ** 31 - 1
