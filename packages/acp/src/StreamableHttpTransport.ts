import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { ConnectionLost } from "./AcpError.ts"
import { HttpChannel, type Options as HttpOptions } from "./internal/http/HttpChannel.ts"
import { ReconnectPolicy } from "./internal/http/ReconnectPolicy.ts"
import * as ReplayBarrier from "./internal/http/ReplayBarrier.ts"
import * as StreamableConnection from "./internal/http/StreamableConnection.ts"
import * as Meter from "./internal/Meter.ts"
import type * as JsonRpc from "./JsonRpc.ts"
import type { Inbound, Transport } from "./Transport.ts"

/** How the agent is reached; the ticket's link is its only address. */
export interface Options extends HttpOptions {}

/**
 * An agent behind ACP's draft of a streamable HTTP transport, the one of the official SDK's server.
 *
 * `initialize` makes the connection; one event stream for it and one for each session bring what the agent says. A
 * stream that its server ends, or that numbers its events, is opened again unnoticed. Any other break may have lost
 * messages, so a new connection is made, on which the session has to be loaded again. The old one is not closed,
 * because its turn may still run. Closing sends DELETE.
 */
export const make = (options: Options): Transport => {
  const channel = new HttpChannel(options, "StreamableHttpTransport")
  let live: StreamableConnection.StreamableConnection | undefined
  let last: StreamableConnection.StreamableConnection | undefined

  /** Stands for one connection, from before `initialize` until it breaks; fails in every case. */
  const connect = (transport: StreamableConnection.Transport) =>
    Effect.gen(function* () {
      const connection = yield* StreamableConnection.make(transport)
      live = connection
      yield* Effect.addFinalizer(() =>
        Effect.sync(() => {
          live = undefined
        })
      )
      const before = last
      last = connection
      transport.receive({ _tag: "Connected", fresh: true })
      if (before !== undefined) Deferred.unsafeDone(before.replaced, Effect.void)
      return yield* connection.ended.pipe(
        Effect.onInterrupt(() =>
          Effect.suspend(() =>
            connection.isInitialized() ? channel.close(connection.ticket, connection.headers()) : Effect.void
          )
        )
      )
    }).pipe(Effect.scoped)

  const run = (receive: (inbound: Inbound) => void) =>
    Effect.gen(function* () {
      const policy = new ReconnectPolicy(options)
      for (;;) {
        const broken = yield* Effect.flip(connect({ channel, options, receive, progressed: () => policy.progressed() }))
        const wait = yield* policy.next(broken)
        receive({ _tag: "Interrupted", error: broken.error })
        yield* Effect.sleep(wait)
      }
    }).pipe(Effect.ensuring(Effect.sync(() => last !== undefined && Deferred.unsafeDone(last.replaced, Effect.void))))

  const send = Effect.fn("StreamableHttpTransport.send")(function* (
    message: JsonRpc.Message,
    isWanted?: () => boolean
  ) {
    yield* Meter.countSent
    const connection = live
    const isInitialize = StreamableConnection.isInitialize(message)
    if (connection === undefined || !(connection.isInitialized() || isInitialize)) {
      const description = "The channel is not connected at the moment"
      return yield* new ConnectionLost({ description, sent: false, reconnecting: true })
    }
    const posted = connection.post(message, isWanted)
    const ended = Effect.mapError(connection.ended, ({ error }) => error)
    const sessionId = ReplayBarrier.sessionOf(message)
    if (sessionId !== undefined) yield* Effect.raceFirst(connection.openSession(sessionId), ended)
    if (!isInitialize) return yield* posted
    yield* posted.pipe(
      Effect.tapError((error) => {
        // A refusal is the caller's. After all else a new connection is made, which is when this call counts as failed.
        if (error._tag === "ChannelRefused" || (error._tag === "TicketError" && error.gone)) return Effect.void
        connection.abort({ error })
        return Deferred.await(connection.replaced)
      })
    )
  })

  const reconnect = (reason: ConnectionLost) => {
    live?.abandon(reason)
    live = undefined
  }

  return {
    run: Meter.metered(run),
    send,
    reconnect,
    pause: () => channel.backpressure.pause(),
    resume: () => channel.backpressure.resume()
  }
}
