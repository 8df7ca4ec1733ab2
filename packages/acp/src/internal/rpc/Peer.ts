import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import { ConnectionLost, type TransportError } from "../../AcpError.ts"
import * as JsonRpc from "../../JsonRpc.ts"
import type { Inbound, Skipped, Transport } from "../../Transport.ts"
import type { Background } from "../Background.ts"
import type { CallContext } from "./CallContext.ts"
import { IncomingCalls } from "./IncomingCalls.ts"
import { OutgoingCalls, type RequestOptions } from "./OutgoingCalls.ts"

/** The callbacks of a connection; all run synchronously, in the order of the channel. */
export interface Handlers {
  /** Gets every inbound message before it is handled: the place for a journal. */
  readonly onMessage?: (message: JsonRpc.Message) => void
  /**
   * Answers a request of the peer. The result of the effect is the response, sent once; undefined is answered by -32601.
   * The effect is interrupted when the peer cancels the request, which is answered by -32800, or its connection is gone.
   */
  readonly onRequest?: (request: JsonRpc.Request) => Effect.Effect<unknown, JsonRpc.RpcError> | undefined
  /** The transport has taken the response to this request. */
  readonly onDelivered?: (request: JsonRpc.Request) => void
  /** The transport has refused the response to this request for good. */
  readonly onUndelivered?: (request: JsonRpc.Request) => void
  readonly onNotification?: (notification: JsonRpc.Notification) => void
  readonly onSkipped?: (skipped: Skipped) => void
  /** The channel is usable. With `fresh` the peer has to be initialized, and the calls of the old connection failed. */
  readonly onConnected?: (fresh: boolean) => void
  readonly onInterrupted?: (error: TransportError) => void
  /** The channel is over for good; not called if the scope was closed. */
  readonly onClosed?: (error: TransportError) => void
}

/** JSON-RPC both ways over one transport. */
export interface Connection {
  /** Calls the peer and waits for the response. */
  readonly request: (
    method: string,
    params: unknown,
    options?: RequestOptions
  ) => Effect.Effect<unknown, JsonRpc.RpcError | TransportError>
  /** Sends a notification; `isWanted` may withdraw it while it waits for another attempt. */
  readonly notify: (method: string, params: unknown, isWanted?: () => boolean) => Effect.Effect<void, TransportError>
  /** Waits for the end of the channel and fails with its reason. */
  readonly closed: Effect.Effect<never, TransportError>
}

/** The agent behind a transport: the calls in both directions. */
export class Peer implements CallContext, Connection {
  readonly #outgoing: OutgoingCalls
  readonly #incoming: IncomingCalls
  readonly #transport: Transport
  readonly #handlers: Handlers
  readonly #background: Background
  #running: Fiber.RuntimeFiber<Exit.Exit<void, TransportError>> | undefined
  #over: TransportError | undefined
  #received = 0
  #isFirst = true

  constructor(transport: Transport, handlers: Handlers, background: Background) {
    this.#transport = transport
    this.#handlers = handlers
    this.#background = background
    this.#outgoing = new OutgoingCalls(this)
    this.#incoming = new IncomingCalls(this, handlers)
  }

  /** Runs the transport, once. Nothing is received before the caller has the connection. */
  run(): void {
    const run = this.#transport.run((inbound) => this.#receive(inbound))
    this.#running = this.#background.fork(Effect.exit(run), { immediate: false })
    // In a fiber of its own: a handler that threw here would end the process.
    this.#running.addObserver((exit) => void Effect.runFork(Effect.sync(() => this.#end(exit))))
  }

  request(method: string, params: unknown, options?: RequestOptions) {
    return this.#outgoing.request(method, params, options)
  }

  notify(method: string, params: unknown, isWanted?: () => boolean): Effect.Effect<void, TransportError> {
    return this.send(JsonRpc.notification(method, params), isWanted)
  }

  get closed(): Effect.Effect<never, TransportError> {
    return this.#running === undefined
      ? Effect.never
      : Effect.flatMap(Fiber.await(this.#running), (exit) => Effect.fail(reasonOf(exit)))
  }

  send(message: JsonRpc.Message, isWanted?: () => boolean): Effect.Effect<void, TransportError> {
    return this.#transport.send(message, isWanted)
  }

  fork<A>(effect: Effect.Effect<A>): Fiber.RuntimeFiber<A> {
    return this.#background.fork(effect)
  }

  over(): TransportError | undefined {
    return this.#over
  }

  silence(duration: Duration.DurationInput): Effect.Effect<unknown> {
    return Effect.suspend(() => {
      const before = this.#received
      return Effect.as(Effect.sleep(duration), before)
    }).pipe(Effect.repeat({ until: (before) => before === this.#received }))
  }

  /** Hands on what a transport brings; a fresh connection drops what belongs to the one before. */
  #receive(inbound: Inbound): void {
    switch (inbound._tag) {
      case "Message":
        return this.#dispatch(inbound.message)
      case "Skipped":
        return this.#handlers.onSkipped?.(inbound)
      case "Interrupted":
        return this.#handlers.onInterrupted?.(inbound.error)
      case "Connected":
        if (inbound.fresh && !this.#isFirst) {
          this.#drop(new ConnectionLost({ description: "The connection was replaced by a new one", sent: true }))
        }
        this.#isFirst = false
        return this.#handlers.onConnected?.(inbound.fresh)
    }
  }

  #dispatch(message: JsonRpc.Message): void {
    this.#received++
    this.#handlers.onMessage?.(message)
    if (JsonRpc.isResponse(message)) this.#outgoing.reply(message)
    else if (JsonRpc.isRequest(message)) this.#incoming.answer(message)
    else if (message.method === "$/cancel_request") this.#incoming.cancel(message.params)
    else this.#handlers.onNotification?.(message)
  }

  #end(exit: Exit.Exit<Exit.Exit<void, TransportError>>): void {
    this.#over = reasonOf(exit)
    this.#drop(this.#over)
    if (!Exit.isInterrupted(Exit.flatten(exit))) this.#handlers.onClosed?.(this.#over)
  }

  #drop(reason: TransportError): void {
    this.#outgoing.failAll(reason)
    this.#incoming.cancelAll()
  }
}

const reasonOf = (ended: Exit.Exit<Exit.Exit<void, TransportError>>): TransportError => {
  const exit = Exit.flatten(ended)
  if (Exit.isSuccess(exit)) return new ConnectionLost({ description: "The peer closed the channel", sent: true })
  if (exit.cause._tag === "Fail") return exit.cause.error
  const cause = exit.cause._tag === "Die" ? { cause: exit.cause.defect } : {}
  return new ConnectionLost({ description: "The connection was closed", sent: true, ...cause })
}
