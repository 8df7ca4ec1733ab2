import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as FiberId from "effect/FiberId"
import * as Runtime from "effect/Runtime"
import type * as Scope from "effect/Scope"
import { ChannelRefused, type ConnectionLost } from "../../AcpError.ts"
import * as JsonRpc from "../../JsonRpc.ts"
import type { TicketValue } from "../../Ticket.ts"
import type { Inbound } from "../../Transport.ts"
import * as Cookies from "./Cookies.ts"
import type { Broken, HttpChannel, Options } from "./HttpChannel.ts"
import * as HttpPost from "./HttpPost.ts"
import * as ReplayBarrier from "./ReplayBarrier.ts"
import * as SessionStream from "./SessionStream.ts"
import { SseReader } from "./SseReader.ts"

/** One connection of the streamable HTTP transport: a stream of its own, and one for each session. */
export interface StreamableConnection {
  readonly ticket: TicketValue
  /** The headers of a request that concerns no session. */
  readonly headers: () => Readonly<Record<string, string>>
  readonly isInitialized: () => boolean
  /** Fails when the connection breaks. */
  readonly ended: Effect.Effect<never, Broken>
  readonly abort: (reason: Broken) => void
  /** Ends the connection; nothing more is received on it. */
  readonly abandon: (reason: ConnectionLost) => void
  /** Waits until the session's stream is open; opens it first. */
  readonly openSession: (sessionId: string) => Effect.Effect<void>
  readonly post: (message: JsonRpc.Message, isWanted?: () => boolean) => ReturnType<typeof HttpPost.post>
  /** Is done when another connection, or none, has taken the place of this one. */
  readonly replaced: Deferred.Deferred<void>
}

/** What a connection needs of its transport. */
export interface Transport {
  readonly channel: HttpChannel
  readonly options: Options
  readonly receive: (inbound: Inbound) => void
  readonly progressed: () => void
}

/** Makes a connection. Its streams, and all that runs for it, end with the scope. */
export const make = Effect.fnUntraced(function* ({
  channel,
  options,
  progressed,
  receive: receiveAny
}: Transport): Effect.fn.Return<StreamableConnection, Broken, Scope.Scope> {
  const ticket = yield* Effect.mapError(options.ticket.current, (error): Broken => ({ error }))
  const runtime = yield* Effect.runtime()
  const scope = yield* Effect.scope
  const broken = yield* Deferred.make<never, Broken>()
  const replaced = yield* Deferred.make<void>()
  const cookies = Cookies.make()
  /** The session of each open request of the agent: its response has to name it. */
  const sessionOfRequest = new Map<JsonRpc.Id, string>()
  const life = { connectionId: undefined as string | undefined, isAlive: true }
  yield* Effect.addFinalizer(() => Effect.sync(() => (life.isAlive = false)))

  const fork = (effect: Effect.Effect<void>) => void Runtime.runFork(runtime)(effect, { scope })
  const receive = (inbound: Inbound) => {
    if (life.isAlive) receiveAny(inbound)
  }
  const abort = (reason: Broken) => Deferred.unsafeDone(broken, Effect.fail(reason))
  const headers = (sessionId: string | undefined) => ({
    ...cookies.headers(),
    ...(life.connectionId === undefined ? {} : { "Acp-Connection-Id": life.connectionId }),
    ...(sessionId === undefined ? {} : { "Acp-Session-Id": sessionId })
  })
  const barrier = ReplayBarrier.make({
    fork,
    release: (message) => receive({ _tag: "Message", message }),
    send: (message) => HttpPost.post(channel, peer, message)
  })

  /** Hands on what comes on the stream of a session, or without one on that of the connection. */
  const receiveFrom = (inbound: Inbound, sessionId: string | undefined) => {
    if (inbound._tag !== "Message") return receive(inbound)
    const { message } = inbound
    if (!barrier.received(message, sessionId)) return
    if (JsonRpc.isRequest(message) && sessionId !== undefined) sessionOfRequest.set(message.id, sessionId)
    const created = sessionId === undefined ? createdSession(message) : undefined
    if (created !== undefined) fork(openStream(created))
    receive(inbound)
  }

  const connection = { abort, channel, cookies, headers, options, progressed, receive: receiveFrom, ticket }
  const openStream = streamOpener((sessionId, opened) => fork(SessionStream.follow(connection, sessionId, opened)))

  const peer: HttpPost.Peer = {
    link: ticket.link,
    idempotent: false,
    scope,
    headers: (message) =>
      headers("method" in message ? ReplayBarrier.sessionOf(message) : sessionOfRequest.get(message.id)),
    receive: (inbound) => receiveFrom(inbound, undefined),
    opens: isInitialize,
    onResponse: (answer, message) => {
      cookies.keep(answer.cookies)
      if (life.connectionId !== undefined || !isInitialize(message) || answer.status !== 200) return
      life.connectionId = answer.header("acp-connection-id")
      if (life.connectionId !== undefined) return fork(openStream(undefined))
      const description = "The agent's server names no Acp-Connection-Id"
      abort({ error: new ChannelRefused({ status: 200, description }) })
    },
    newReader: () => new SseReader(channel.maxSize, { onInbound: (inbound) => receiveFrom(inbound, undefined) }),
    abort: (error) => abort({ error }),
    isAlive: () => life.isAlive
  }

  return {
    ticket,
    headers: () => headers(undefined),
    isInitialized: () => life.connectionId !== undefined,
    ended: Deferred.await(broken),
    abort,
    abandon: (error) => {
      life.isAlive = false
      abort({ error })
    },
    openSession: openStream,
    post: (message, isWanted) => {
      barrier.sending(message)
      return Effect.tap(HttpPost.post(channel, peer, message, isWanted), () =>
        Effect.sync(() => JsonRpc.isResponse(message) && sessionOfRequest.delete(message.id))
      )
    },
    replaced
  }
})

/** Opens each stream once: of a session, or without one that of the connection. The effect waits until it is open. */
const streamOpener = (open: (sessionId: string | undefined, opened: Deferred.Deferred<void>) => void) => {
  const streams = new Map<string | undefined, Deferred.Deferred<void>>()
  return (sessionId: string | undefined) =>
    Effect.suspend(() => {
      const existing = streams.get(sessionId)
      if (existing !== undefined) return Deferred.await(existing)
      const opened = Deferred.unsafeMake<void>(FiberId.none)
      streams.set(sessionId, opened)
      open(sessionId, opened)
      return Deferred.await(opened)
    })
}

/** Recognises the request that makes a connection. */
export const isInitialize = (message: JsonRpc.Message): boolean =>
  JsonRpc.isRequest(message) && message.method === "initialize"

const createdSession = (message: JsonRpc.Message): string | undefined =>
  JsonRpc.isResponse(message) && !JsonRpc.isFailure(message) ? ReplayBarrier.sessionIdOf(message.result) : undefined
