import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { ChannelRefused, ConnectionLost, type TransportError } from "./AcpError.ts"
import { type Broken, HttpChannel, type Options as HttpOptions } from "./internal/http/HttpChannel.ts"
import * as HttpPost from "./internal/http/HttpPost.ts"
import { ReconnectPolicy } from "./internal/http/ReconnectPolicy.ts"
import { type Resumption, SseConnection } from "./internal/http/SseConnection.ts"
import { Meter } from "./internal/Meter.ts"
import type * as JsonRpc from "./JsonRpc.ts"
import * as Metrics from "./Metrics.ts"
import type { Inbound, Transport } from "./Transport.ts"

/** How a task's channel is reached. */
export interface Options extends HttpOptions {}

/**
 * The ACP channel of a task (contract 4.13): one event stream in, one POST for each message out.
 *
 * It reconnects by itself: on the same connection id when the server numbers its events, else on a new connection, for
 * which `Connected` is fresh. A POST may be answered by nothing, JSON or an event stream; all of it is received.
 * Closing sends DELETE; a server without that notices the end by itself.
 */
export const make = (options: Options): Transport => {
  const channel = new SseChannel(options)
  return {
    run: (receive) => channel.run(receive),
    send: (message, isWanted) => channel.send(message, isWanted),
    pause: () => channel.http.backpressure.pause(),
    resume: () => channel.http.backpressure.resume(),
    reconnect: (reason) => channel.reconnect(reason)
  }
}

/** The connections of one channel, one after the other. */
class SseChannel {
  readonly http: HttpChannel
  readonly #policy: ReconnectPolicy
  /** How the next connection takes up the one before. */
  #resumption: Resumption | undefined
  #connection: SseConnection | undefined
  /** Closes the stream, from before its head. */
  #controller: AbortController | undefined

  constructor(options: Options) {
    this.http = new HttpChannel(options, "SseTransport")
    this.#policy = new ReconnectPolicy(options)
  }

  run(receive: (inbound: Inbound) => void): Effect.Effect<never, TransportError> {
    return Effect.suspend(() => {
      const meter = new Meter(receive)
      const connected = Effect.suspend(() => Effect.flatMap(this.#open(meter), (connection) => connection.ended()))
      const connections: Effect.Effect<never, TransportError> = Effect.catchAll(connected, (broken) =>
        Effect.flatMap(this.#recover(broken, meter), () => connections)
      )
      // All ends in one place: what waits here for as long as the stream is open is kept in memory.
      return Effect.onExit(connections, (exit) => {
        meter.end()
        const remove = Exit.isInterrupted(exit) ? this.#remove() : Effect.void
        return Effect.zipRight(this.#leave(), remove)
      })
    })
  }

  send(message: JsonRpc.Message, isWanted?: () => boolean): Effect.Effect<void, TransportError> {
    return Effect.suspend(() => {
      Metrics.messagesSent.unsafeUpdate(1, [])
      const connection = this.#connection
      // Bound to one connection: a message for an old one must not reach its successor.
      return connection?.isAlive() === true
        ? HttpPost.post(this.http, connection, message, isWanted)
        : Effect.fail(notConnected())
    }).pipe(Effect.withSpan("SseTransport.send"))
  }

  reconnect(reason: ConnectionLost): void {
    this.#resumption = undefined
    this.#connection?.abandon(reason)
  }

  /** Opens the stream of a connection. */
  #open(meter: Meter): Effect.Effect<SseConnection, Broken> {
    const resumption = this.#resumption
    const controller = (this.#controller = new AbortController())
    return Effect.flatMap(
      this.http.open(resumeHeaders(resumption), controller),
      (stream): Effect.Effect<SseConnection, Broken> => {
        // reconnect was called while the stream was opened: it clears what is resumed.
        if (this.#resumption !== resumption) return Effect.fail({ error: abandoned() })
        const connectionId = stream.answer.header("acp-connection-id")
        if (connectionId === undefined) {
          const description = "The channel's server names no Acp-Connection-Id"
          return Effect.fail({ error: new ChannelRefused({ status: 200, description }) })
        }
        const fresh = resumption?.connectionId !== connectionId
        if (fresh) this.#resumption = undefined
        return Effect.map(Scope.make(), (scope) => {
          const { http: channel } = this
          const transport = { channel, policy: this.#policy, receive: (inbound: Inbound) => meter.receive(inbound) }
          const connection = (this.#connection = new SseConnection(transport, stream, connectionId, scope))
          this.#policy.opened()
          connection.receive({ _tag: "Connected", fresh })
          return connection
        })
      }
    )
  }

  /** Waits until the next connection may be opened. */
  #recover(broken: Broken, meter: Meter): Effect.Effect<void, TransportError> {
    return Effect.gen(this, function* () {
      yield* this.#leave()
      const discard = () => {
        this.#resumption = undefined
      }
      const wait = yield* this.#policy.next(broken, this.#resumption === undefined ? undefined : { discard })
      meter.receive({ _tag: "Interrupted", error: broken.error })
      yield* Effect.sleep(wait)
    })
  }

  /** Tells the server that the present connection is no longer wanted. */
  #remove(): Effect.Effect<void> {
    const connection = this.#connection
    return connection === undefined ? Effect.void : this.http.close(connection.ticket, connection.headers())
  }

  /** Ends all that runs for the connection, also where the channel is closed meanwhile. */
  #leave(): Effect.Effect<void> {
    const left = Effect.suspend(() => {
      const connection = this.#connection
      this.#connection = undefined
      this.#resumption = connection?.leave() ?? this.#resumption
      this.#controller?.abort()
      return connection === undefined ? Effect.void : Scope.close(connection.scope, Exit.void)
    })
    return Effect.uninterruptible(left)
  }
}

const notConnected = () =>
  new ConnectionLost({ description: "The channel is not connected at the moment", sent: false, reconnecting: true })

const abandoned = () =>
  new ConnectionLost({ description: "The connection was given up while its stream was opened", sent: true })

const resumeHeaders = (resumption: Resumption | undefined): Record<string, string> =>
  resumption === undefined
    ? {}
    : { "Acp-Connection-Id": resumption.connectionId, "Last-Event-ID": resumption.lastEventId }
