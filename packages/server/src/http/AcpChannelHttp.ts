import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as JsonRpc from "@heddle/acp/JsonRpc"
import type { TaskId } from "@heddle/core/domain/Task"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import { randomUUID } from "node:crypto"
import type { IncomingMessage } from "node:http"
import * as BodyCoding from "../internal/BodyCoding.ts"
import type { Connected, Sandbox } from "../sandbox/Sandbox.ts"
import type { Options } from "../sandbox/SandboxOptions.ts"
import * as SseChannel from "../sandbox/SseChannel.ts"
import { DataVersion } from "../sql/DataVersion.ts"
import type { Tickets } from "../Tickets.ts"
import * as EventStream from "./EventStream.ts"
import { refuse, type SandboxRefusal } from "./SandboxAnswers.ts"

type Answer = Effect.Effect<HttpServerResponse.HttpServerResponse, SandboxRefusal, HttpServerRequest.HttpServerRequest>

/** The ACP channel of the sandboxes over HTTP (4.13): a stream to read from, requests to write with. */
export interface AcpChannelHttp {
  /** GET: opens a connection, or goes on with one where `Last-Event-ID` says. Ends with the stream, or with the grant. */
  readonly receive: (sandbox: Sandbox, grantId: string) => Answer
  /** POST: takes one message; answers come over the stream only. */
  readonly send: (taskId: TaskId) => Answer
  /** DELETE: closes a connection. */
  readonly close: (taskId: TaskId) => Answer
}

/** Makes the channel endpoints; closing the scope ends every stream. */
export const make = Effect.fn("AcpChannelHttp.make")(function* (
  options: Options,
  tickets: Pick<Context.Tag.Service<Tickets>, "live">
): Effect.fn.Return<AcpChannelHttp, never, Scope.Scope> {
  const connections = new Map<string, Open>()
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      for (const { channel } of connections.values()) channel.close()
    })
  )

  /** Grants end in token requests, on pages and by administration, which may be another process. */
  const version = yield* DataVersion
  let seen: number | undefined
  const closeEnded = Effect.gen(function* () {
    const now = version()
    if (connections.size === 0 || (now !== undefined && now === seen)) return
    const open = [...connections.values()]
    const live = yield* tickets.live([...new Set(open.map(({ grantId }) => grantId))])
    for (const { channel, grantId } of open) if (!live.has(grantId)) channel.close()
    seen = now
  }).pipe(
    Effect.catchAllCause((cause) =>
      Effect.logWarning("ended grants could not be looked up; the next look tries again", cause)
    )
  )
  yield* closeEnded.pipe(Effect.schedule(Schedule.spaced("500 millis")), Effect.forkScoped)

  const open = (sandbox: Sandbox, grantId: string): Open => {
    const id = randomUUID()
    const channel = SseChannel.make(id, options, () => {
      connections.delete(id)
      opened.connected.leave()
    })
    const opened: Open = { taskId: sandbox.taskId, grantId, channel, connected: sandbox.join(channel) }
    connections.set(id, opened)
    // Its grant may have ended after its ticket was checked.
    seen = undefined
    return opened
  }

  const named = (taskId: TaskId) =>
    Effect.gen(function* () {
      const id = yield* connectionId
      if (id === undefined) return yield* refuse(400, "The header Acp-Connection-Id is missing: GET this address first")
      const found = connections.get(id)
      // A foreign connection is as unknown as a closed one.
      if (found?.taskId !== taskId) {
        return yield* refuse(409, "This connection is closed or unknown: GET this address for a new one")
      }
      return found
    })

  return {
    receive: (sandbox, grantId) =>
      Effect.gen(function* () {
        const request = yield* HttpServerRequest.HttpServerRequest
        const accept = request.headers["accept"] ?? "*/*"
        if (!/text\/(event-stream|\*)|\*\/\*/.test(accept)) {
          return yield* refuse(406, "This address answers with text/event-stream")
        }
        if (request.method === "HEAD") return HttpServerResponse.empty({ headers: EventStream.headers })
        const id = yield* connectionId
        const known = id === undefined ? undefined : connections.get(id)
        const response = NodeHttpServerRequest.toServerResponse(request)
        const lastEventId = Number(request.headers["last-event-id"] ?? 0)
        const before = known?.taskId === sandbox.taskId ? known : undefined
        if (before !== undefined && before.channel.resumable(lastEventId)) {
          before.grantId = grantId
          seen = undefined
          EventStream.begin(response, { "acp-connection-id": before.channel.id })
          before.channel.attach(response, lastEventId)
          return yield* EventStream.ended(response, () => before.channel.detach(response))
        }
        before?.channel.close()
        const ofTask = [...connections.values()].filter(({ taskId }) => taskId === sandbox.taskId)
        if (ofTask.length >= options.maxConnections) {
          return yield* refuse(429, `This sandbox has ${options.maxConnections} open connections: close one first`)
        }
        const { channel } = open(sandbox, grantId)
        EventStream.begin(response, { "acp-connection-id": channel.id })
        channel.attach(response, 0)
        return yield* EventStream.ended(response, () => channel.detach(response))
      }),

    send: (taskId) =>
      Effect.gen(function* () {
        const request = yield* HttpServerRequest.HttpServerRequest
        const { connected } = yield* named(taskId)
        if (!/^application\/json\b/i.test(request.headers["content-type"] ?? "")) {
          return yield* refuse(415, "Send one JSON-RPC message as application/json")
        }
        const coding = BodyCoding.refusal(request.headers)
        if (coding !== undefined) return yield* refuse(415, coding)
        const text = yield* readBody(NodeHttpServerRequest.toIncomingMessage(request), options.maxMessage)
        const message = yield* parse(text)
        connected.receive(message)
        return HttpServerResponse.empty({ status: 202 })
      }),

    close: (taskId) =>
      Effect.map(named(taskId), ({ channel }) => {
        channel.close()
        return HttpServerResponse.empty({ status: 204 })
      })
  }
})

interface Open {
  readonly taskId: TaskId
  /** Whose ticket opened the stream that is read now. */
  grantId: string
  readonly channel: SseChannel.SseChannel
  readonly connected: Connected
}

const connectionId = Effect.map(
  HttpServerRequest.HttpServerRequest,
  ({ headers }) => headers["acp-connection-id"] || undefined
)

const readBody = (request: IncomingMessage, limit: number) =>
  Effect.async<string, SandboxRefusal>((resume) => {
    const pieces: Array<Buffer> = []
    let size = 0
    request.on("data", (piece: Buffer) => {
      size += piece.length
      if (size <= limit) pieces.push(piece)
      // What is too large is read on for a while, so that the client comes to read the answer.
      else if (size > 2 * limit) resume(tooLarge(limit))
    })
    request.once("end", () => resume(size > limit ? tooLarge(limit) : Effect.succeed(Buffer.concat(pieces).toString())))
    request.once("close", () => resume(refuse(400, "The request broke off")))
  })

const tooLarge = (limit: number) => refuse(413, `A message may have ${Math.floor(limit / 1024 / 1024)} MiB at most`)

const parse = (text: string) =>
  Effect.gen(function* () {
    const value = yield* Effect.try(() => JSON.parse(text) as unknown).pipe(
      Effect.catchAll(() => refuse(400, "The body is not JSON"))
    )
    if (Array.isArray(value)) return yield* refuse(400, "Batches are not taken: send one message at a time")
    if (JsonRpc.tooDeep(value)) {
      return yield* refuse(400, `The message is nested more than ${JsonRpc.maxDepth} levels deep. Nothing was done.`)
    }
    const message = JsonRpc.fromJson(value)
    return message ?? (yield* refuse(400, "The body is not a JSON-RPC 2.0 message"))
  })
