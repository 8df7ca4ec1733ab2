import * as Deferred from "effect/Deferred"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Runtime from "effect/Runtime"
import type * as Scope from "effect/Scope"
import { ConnectionLost, type TransportError } from "./AcpError.ts"
import * as IncomingCalls from "./internal/rpc/IncomingCalls.ts"
import * as OutgoingCalls from "./internal/rpc/OutgoingCalls.ts"
import * as JsonRpc from "./JsonRpc.ts"
import type { Inbound, Skipped, Transport } from "./Transport.ts"

export type { RequestOptions } from "./internal/rpc/OutgoingCalls.ts"

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
    options?: OutgoingCalls.RequestOptions
  ) => Effect.Effect<unknown, JsonRpc.RpcError | TransportError>
  /** Sends a notification; `isWanted` may withdraw it while it waits for another attempt. */
  readonly notify: (method: string, params: unknown, isWanted?: () => boolean) => Effect.Effect<void, TransportError>
  /** Waits for the end of the channel and fails with its reason. */
  readonly closed: Effect.Effect<never, TransportError>
}

/** Opens a connection on a transport; the scope owns its reader and every request handler. */
export const make = (transport: Transport, handlers: Handlers): Effect.Effect<Connection, never, Scope.Scope> =>
  Effect.flatMap(Effect.runtime<Scope.Scope>(), (runtime) => start(transport, runtime, handlers))

/** Like {@link make}, on a runtime of the caller's. */
export const start = Effect.fn("Connection.start")(function* (
  transport: Transport,
  runtime: Runtime.Runtime<Scope.Scope>,
  handlers: Handlers
): Effect.fn.Return<Connection, never, Scope.Scope> {
  const scope = yield* Effect.scope
  const closed = yield* Deferred.make<never, TransportError>()
  let over: TransportError | undefined
  let received = 0

  const fork = <A>(effect: Effect.Effect<A>) => Runtime.runFork(runtime)(effect, { scope })
  const isOver = () => over
  const { send } = transport
  const silence = (duration: Duration.DurationInput) =>
    Effect.suspend(() => {
      const before = received
      return Effect.as(Effect.sleep(duration), before)
    }).pipe(Effect.repeat({ until: (before) => before === received }))

  const outgoing = OutgoingCalls.make({ send, fork, isOver, silence })
  const handle = (request: JsonRpc.Request) => handlers.onRequest?.(request)
  const { onDelivered, onNotification, onUndelivered } = handlers
  const incoming = IncomingCalls.make({ send, fork, isOver, handle, onDelivered, onNotification, onUndelivered })
  const drop = (reason: TransportError) => {
    outgoing.failAll(reason)
    incoming.cancelAll()
  }

  const dispatch = (message: JsonRpc.Message) => {
    received++
    handlers.onMessage?.(message)
    if (JsonRpc.isResponse(message)) outgoing.reply(message)
    else if (JsonRpc.isRequest(message)) incoming.answer(message)
    else if (message.method === "$/cancel_request") incoming.cancel(message.params)
    else handlers.onNotification?.(message)
  }

  const running = transport.run(receiver(handlers, dispatch, drop)).pipe(
    Effect.andThen(() => Effect.fail(new ConnectionLost({ description: "The peer closed the channel", sent: true }))),
    Effect.onExit((exit) =>
      Effect.suspend(() => {
        over = reasonOf(exit)
        drop(over)
        if (!Exit.isInterrupted(exit)) handlers.onClosed?.(over)
        return Deferred.fail(closed, over)
      })
    ),
    Effect.catchAll(() => Effect.void)
  )
  // Nothing is received before the caller has the connection.
  Runtime.runFork(runtime)(running, { scope, immediate: false })

  return {
    request: outgoing.request,
    notify: (method, params, isWanted) => send(JsonRpc.notification(method, params), isWanted),
    closed: Deferred.await(closed)
  }
})

/** Hands on what a transport brings; a fresh connection drops what belongs to the one before. */
const receiver = (
  handlers: Handlers,
  dispatch: (message: JsonRpc.Message) => void,
  drop: (reason: TransportError) => void
) => {
  let isFirst = true
  return (inbound: Inbound): void => {
    switch (inbound._tag) {
      case "Message":
        return dispatch(inbound.message)
      case "Skipped":
        return handlers.onSkipped?.(inbound)
      case "Interrupted":
        return handlers.onInterrupted?.(inbound.error)
      case "Connected":
        if (inbound.fresh && !isFirst) {
          drop(new ConnectionLost({ description: "The connection was replaced by a new one", sent: true }))
        }
        isFirst = false
        return handlers.onConnected?.(inbound.fresh)
    }
  }
}

const reasonOf = (exit: Exit.Exit<unknown, TransportError>): TransportError => {
  if (Exit.isFailure(exit) && exit.cause._tag === "Fail") return exit.cause.error
  const cause = Exit.isFailure(exit) && exit.cause._tag === "Die" ? { cause: exit.cause.defect } : {}
  return new ConnectionLost({ description: "The connection was closed", sent: true, ...cause })
}
