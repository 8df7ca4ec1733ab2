import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Runtime from "effect/Runtime"
import type * as Scope from "effect/Scope"
import { ChannelRefused, ConnectionLost } from "./AcpError.ts"
import * as Cookies from "./internal/Cookies.ts"
import { counted } from "./internal/Counted.ts"
import * as HttpChannel from "./internal/HttpChannel.ts"
import * as LoadOrder from "./internal/LoadOrder.ts"
import * as Recovery from "./internal/Recovery.ts"
import * as SseReader from "./internal/SseReader.ts"
import * as JsonRpc from "./JsonRpc.ts"
import type { TicketValue } from "./Ticket.ts"
import type { Inbound, Transport } from "./Transport.ts"

/** How the agent is reached; the ticket's link is its only address. */
export interface Options extends HttpChannel.Options {}

/**
 * An agent behind ACP's draft of a streamable HTTP transport, the one of the official SDK's server.
 *
 * `initialize` makes the connection; one event stream for it and one for each session bring what the agent says. A
 * stream that its server ends, or that numbers its events, is taken up again unnoticed. One that breaks in any other
 * way may have lost something, so there is a new connection, on which the session has to be loaded again; the old
 * one is left to itself, as its turn may still run. Closing tells the server.
 */
export const make = (options: Options): Transport => {
  const channel = HttpChannel.make(options)
  let live: Line | undefined
  let last: Line | undefined

  /** Reads one of a connection's streams for as long as the connection lasts; `opened` is done at its first head. */
  const follow = (line: Line, sessionId: string | undefined, opened: Deferred.Deferred<void>) =>
    Effect.gen(function* () {
      const recovery = Recovery.make(options)
      let lastEventId: string | undefined
      let dropped = false
      const once = Effect.gen(function* () {
        const { answer } = yield* channel.open(
          { ...line.headers(sessionId), ...(lastEventId === undefined ? {} : { "Last-Event-ID": lastEventId }) },
          line.ticket.link
        )
        line.cookies.keep(answer.cookies)
        recovery.opened()
        Deferred.unsafeDone(opened, Effect.void)
        const read = SseReader.make(channel.maxSize, {
          receive: (inbound) => {
            recovery.proved()
            line.recovery.proved()
            line.receive(inbound, sessionId)
          },
          onId: (id) => {
            lastEventId = id
          },
          onRetry: recovery.atLeast
        })
        return yield* channel.read(answer, read).ended
      }).pipe(Effect.scoped)
      for (;;) {
        const broken = yield* Effect.flip(once)
        if ("moved" in broken) return line.lost(broken)
        if ("clean" in broken && !broken.clean && lastEventId === undefined) return line.lost(broken)
        const wait = yield* recovery.next(broken, {
          drop: () => {
            dropped = true
          }
        })
        if (dropped) return line.lost({ error: unknownConnection })
        yield* Effect.sleep(wait)
      }
    }).pipe(Effect.catchAll((error) => Effect.sync(() => line.lost({ error }))))

  /** Stands for one connection, from before `initialize` until it breaks; fails in every case. */
  const connect = (recovery: Recovery.Recovery, receive: (inbound: Inbound) => void) =>
    Effect.gen(function* () {
      const ticket = yield* options.ticket.current.pipe(Effect.mapError((error): HttpChannel.Broken => ({ error })))
      const runtime = yield* Effect.runtime()
      const scope = yield* Effect.scope
      const broken = yield* Deferred.make<never, HttpChannel.Broken>()
      const initialized = yield* Deferred.make<void>()
      const cookies = Cookies.make()
      const streams = new Map<string, Deferred.Deferred<void>>()
      /** Which session a request of the agent came from: its answer must say so. */
      const asked = new Map<JsonRpc.Id, string>()
      const fork = (effect: Effect.Effect<void>) => void Runtime.runFork(runtime)(effect, { scope })
      let connectionId: string | undefined

      const headers = (sessionId: string | undefined) => ({
        ...cookies.headers(),
        ...(connectionId === undefined ? {} : { "Acp-Connection-Id": connectionId }),
        ...(sessionId === undefined ? {} : { "Acp-Session-Id": sessionId })
      })

      const order = LoadOrder.make({
        fork,
        release: (message) => receive({ _tag: "Message", message }),
        send: (message) => channel.post(line.peer, message)
      })

      const line: Line = {
        replaced: yield* Deferred.make<void>(),
        ticket,
        scope,
        cookies,
        recovery,
        headers,
        ended: Deferred.await(broken),
        lost: (reason) => Deferred.unsafeDone(broken, Effect.fail(reason)),
        connected: () => connectionId !== undefined,
        session: (sessionId) => {
          const known = streams.get(sessionId)
          if (known !== undefined) return Deferred.await(known)
          const opened = Runtime.runSync(runtime)(Deferred.make<void>())
          streams.set(sessionId, opened)
          fork(follow(line, sessionId, opened))
          return Deferred.await(opened)
        },
        sending: order.sending,
        sent: (message) => {
          if (JsonRpc.isResponse(message)) asked.delete(message.id)
        },
        receive: (inbound, sessionId) => {
          if (inbound._tag !== "Message") return receive(inbound)
          const { message } = inbound
          if (!order.received(message, sessionId)) return
          if (JsonRpc.isRequest(message) && sessionId !== undefined) asked.set(message.id, sessionId)
          if (sessionId === undefined && JsonRpc.isResponse(message) && !JsonRpc.isFailure(message)) {
            const made = LoadOrder.named(message.result)
            if (made !== undefined) fork(line.session(made))
          }
          receive(inbound)
        },
        peer: {
          link: ticket.link,
          idempotent: false,
          scope,
          headers: (message) => headers("method" in message ? LoadOrder.sessionOf(message) : asked.get(message.id)),
          receive: (inbound) => line.receive(inbound, undefined),
          answered: (answer, message) => {
            cookies.keep(answer.cookies)
            if (connectionId !== undefined || !isInitialize(message) || answer.status !== 200) return
            connectionId = answer.header("acp-connection-id")
            if (connectionId !== undefined) return Deferred.unsafeDone(initialized, Effect.void)
            const description = "The agent's server names no Acp-Connection-Id"
            line.lost({ error: new ChannelRefused({ status: 200, description }) })
          },
          listen: () => SseReader.make(channel.maxSize, { receive: (inbound) => line.receive(inbound, undefined) }),
          lost: (error) => line.lost({ error }),
          alive: () => live === line
        }
      }

      live = line
      yield* Effect.addFinalizer(() =>
        Effect.sync(() => {
          live = undefined
        })
      )
      const before = last
      last = line
      receive({ _tag: "Connected", fresh: true })
      if (before !== undefined) Deferred.unsafeDone(before.replaced, Effect.void)
      fork(
        Deferred.await(initialized).pipe(
          Effect.andThen(Deferred.make<void>()),
          Effect.flatMap((opened) => follow(line, undefined, opened))
        )
      )
      return yield* line.ended.pipe(
        Effect.onInterrupt(() =>
          Effect.suspend(() => (connectionId === undefined ? Effect.void : channel.forget(ticket, headers(undefined))))
        )
      )
    }).pipe(Effect.scoped)

  const run = (receive: (inbound: Inbound) => void) =>
    Effect.gen(function* () {
      const recovery = Recovery.make(options)
      for (;;) {
        const broken = yield* Effect.flip(connect(recovery, receive))
        const wait = yield* recovery.next(broken)
        receive({ _tag: "Interrupted", error: broken.error })
        yield* Effect.sleep(wait)
      }
    }).pipe(Effect.ensuring(Effect.sync(() => last !== undefined && Deferred.unsafeDone(last.replaced, Effect.void))))

  const send = Effect.fn("StreamableHttpTransport.send")(function* (message: JsonRpc.Message) {
    const line = live
    if (line === undefined || !(line.connected() || isInitialize(message))) {
      return yield* new ConnectionLost({ description: "The channel is not connected at the moment", sent: false })
    }
    line.sending(message)
    const ended = Effect.mapError(line.ended, ({ error }) => error)
    const sessionId = LoadOrder.sessionOf(message)
    if (sessionId !== undefined) yield* Effect.raceFirst(line.session(sessionId), ended)
    const posted = Effect.tap(channel.post(line.peer, message), () => Effect.sync(() => line.sent(message)))
    if (!isInitialize(message)) return yield* posted
    yield* posted.pipe(
      Effect.tapError((error) => {
        // A refusal is the caller's. All else begins the connection anew, which is when this call counts as failed.
        if (error._tag === "ChannelRefused" || (error._tag === "TicketError" && error.gone)) return Effect.void
        line.lost({ error })
        return Deferred.await(line.replaced)
      })
    )
  })

  return counted({ run, send, pause: channel.flow.pause, resume: channel.flow.resume })
}

/** One connection. */
interface Line {
  readonly ticket: TicketValue
  readonly scope: Scope.Scope
  readonly cookies: Cookies.Cookies
  readonly recovery: Recovery.Recovery
  readonly peer: HttpChannel.Peer
  readonly headers: (sessionId: string | undefined) => Readonly<Record<string, string>>
  /** Fails when the connection breaks. */
  readonly ended: Effect.Effect<never, HttpChannel.Broken>
  readonly lost: (reason: HttpChannel.Broken) => void
  readonly connected: () => boolean
  /** Waits until the session's stream is open; opens it first. */
  readonly session: (sessionId: string) => Effect.Effect<void>
  readonly sending: (message: JsonRpc.Message) => void
  readonly sent: (message: JsonRpc.Message) => void
  /** Is done when another connection, or none, has taken this one's place. */
  readonly replaced: Deferred.Deferred<void>
  readonly receive: (inbound: Inbound, sessionId: string | undefined) => void
}

const isInitialize = (message: JsonRpc.Message) => JsonRpc.isRequest(message) && message.method === "initialize"

const unknownConnection = new ConnectionLost({
  description: "The agent's server no longer knows this connection",
  sent: true
})
