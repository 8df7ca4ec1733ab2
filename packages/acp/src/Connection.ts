import * as Deferred from "effect/Deferred"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Runtime from "effect/Runtime"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import { ConnectionLost, type TransportError } from "./AcpError.ts"
import * as JsonRpc from "./JsonRpc.ts"
import type { Skipped, Transport } from "./Transport.ts"

/** How the owner of a connection takes part; all callbacks run synchronously, in the order of the channel. */
export interface Handlers {
  /** Sees every inbound message before it is handled: the place for a journal. */
  readonly onMessage?: (message: JsonRpc.Message) => void
  /**
   * Answers a request of the peer: the effect's result is the response, sent once. Undefined is answered by -32601.
   * The effect is interrupted, and nothing more is sent, when the peer cancels the request (-32800 is sent then) or
   * the connection that it came on is gone.
   */
  readonly onRequest?: (request: JsonRpc.Request) => Effect.Effect<unknown, JsonRpc.RpcError> | undefined
  /** The answer to this request was taken by the transport. */
  readonly onDelivered?: (request: JsonRpc.Request) => void
  readonly onNotification?: (notification: JsonRpc.Notification) => void
  readonly onSkipped?: (skipped: Skipped) => void
  /** The channel is usable; with `fresh` the peer has to be initialized, and what was pending has failed. */
  readonly onConnected?: (fresh: boolean) => void
  readonly onInterrupted?: (error: TransportError) => void
  /** The channel is over for good; not told to the one who ended it. */
  readonly onClosed?: (error: TransportError) => void
}

/** Options of one request. */
export interface RequestOptions {
  /** Runs in channel order with the response, before anything that follows it is handled. */
  readonly onReply?: (reply: JsonRpc.Success | JsonRpc.Failure) => void
  /** Runs when no answer can come any more: nothing was sent, or the connection is gone. */
  readonly onLost?: () => void
  /** What an interruption does: `$/cancel_request` (the default), or nothing, so that the call goes on unwatched. */
  readonly onInterrupt?: "cancel" | "abandon"
  /**
   * How long, from the last message on, the answer is still waited for when nobody knows whether the request arrived.
   * For what must not run twice on one connection. Not at all without it.
   */
  readonly patience?: Duration.DurationInput
}

/** JSON-RPC both ways over one transport: ids, pending requests, answers. */
export interface Connection {
  /** Calls the peer and waits for its answer. */
  readonly request: (
    method: string,
    params: unknown,
    options?: RequestOptions
  ) => Effect.Effect<unknown, JsonRpc.RpcError | TransportError>
  readonly notify: (method: string, params: unknown) => Effect.Effect<void, TransportError>
  /** Waits until the channel is over for good and fails with the reason. */
  readonly closed: Effect.Effect<never, TransportError>
}

/** Opens a connection on a transport; the scope owns its reader and every request handler. */
export const make = (transport: Transport, handlers: Handlers): Effect.Effect<Connection, never, Scope.Scope> =>
  Effect.flatMap(Effect.runtime<Scope.Scope>(), (runtime) => start(transport, runtime, handlers))

/** Does the same; everything runs on this runtime. */
export const start = Effect.fn("Connection.make")(function* (
  transport: Transport,
  runtime: Runtime.Runtime<Scope.Scope>,
  handlers: Handlers
): Effect.fn.Return<Connection, never, Scope.Scope> {
  const scope = yield* Effect.scope
  const closed = yield* Deferred.make<never, TransportError>()
  const pending = new Map<number, Pending>()
  const incoming = new Map<JsonRpc.Id, Answering>()
  let nextId = 1
  let generation = 0
  let heard = 0
  let over: TransportError | undefined

  const fork = <A>(effect: Effect.Effect<A>) => Runtime.runFork(runtime)(effect, { scope })

  const forget = (reason: TransportError) => {
    generation++
    const waiting = [...pending.values()]
    pending.clear()
    for (const each of waiting) {
      each.onLost?.()
      Deferred.unsafeDone(each.answer, Exit.fail(reason))
    }
    const answering = [...incoming.values()]
    incoming.clear()
    for (const each of answering) each.fiber?.unsafeInterruptAsFork(each.fiber.id())
  }

  const { onDelivered } = handlers
  const delivery = (request: JsonRpc.Request) =>
    onDelivered === undefined ? Effect.void : Effect.sync(() => onDelivered(request))

  const answer = (request: JsonRpc.Request) => {
    const { id } = request
    // The same request again, from a peer that did not know whether it had arrived: one answer is enough.
    if (incoming.has(id)) return
    // For a peer that takes no answers nothing more is kept.
    if (incoming.size >= mostIncoming || (typeof id === "string" && id.length > longestId)) {
      return void fork(Effect.logDebug("A request is left out: its id is too long, or too many are open"))
    }
    const handler = handlers.onRequest?.(request)
    const effect = handler ?? Effect.fail(JsonRpc.RpcError.methodNotFound(request.method))
    const answering: Answering = { fiber: undefined, answered: false }
    const askedOn = generation
    // An answer that waits to be taken keeps no request alive, however large that was.
    const delivered = delivery(request)
    incoming.set(id, answering)
    answering.fiber = fork(
      effect.pipe(
        Effect.match({
          onFailure: (error) => JsonRpc.failure(id, error),
          onSuccess: (result) => JsonRpc.success(id, result)
        }),
        Effect.tap(() =>
          Effect.sync(() => {
            answering.answered = true
          })
        ),
        // A channel that is taken up where it was still waits for the answer; with a new one this is interrupted.
        Effect.flatMap((response) =>
          transport.send(response).pipe(
            Effect.retry({
              schedule: deliverAgain,
              while: (error) => error._tag === "ConnectionLost" && over === undefined && askedOn === generation
            })
          )
        ),
        Effect.tap(delivered),
        // The peer that asked is gone with its channel, so nobody is left to tell.
        Effect.catchAll((error) => Effect.logDebug("An answer could not be delivered", error._tag)),
        Effect.ensuring(
          Effect.sync(() => {
            if (incoming.get(id) === answering) incoming.delete(id)
          })
        )
      )
    )
  }

  const cancelIncoming = (params: unknown) => {
    const id = requestIdOf(params)
    if (id === undefined) return
    const { answered = false, fiber } = incoming.get(id) ?? {}
    // Too late: the answer is on its way already.
    if (fiber === undefined || answered) return
    incoming.delete(id)
    fork(
      Fiber.interrupt(fiber).pipe(
        Effect.andThen(transport.send(JsonRpc.failure(id, JsonRpc.RpcError.cancelled()))),
        Effect.catchAll((error) => Effect.logDebug("A cancellation could not be confirmed", error._tag))
      )
    )
  }

  const reply = (response: JsonRpc.Success | JsonRpc.Failure) => {
    // Ids of ours are numbers; a second answer to the same id finds nothing and is dropped.
    const waiting = typeof response.id === "number" ? pending.get(response.id) : undefined
    if (waiting === undefined || typeof response.id !== "number") return
    pending.delete(response.id)
    waiting.onReply?.(response)
    Deferred.unsafeDone(
      waiting.answer,
      JsonRpc.isFailure(response)
        ? Exit.fail(JsonRpc.RpcError.fromObject(response.error))
        : Exit.succeed(response.result)
    )
  }

  /** Waits until nothing has come for this long. */
  const silence = (duration: Duration.DurationInput) =>
    Effect.suspend(() => {
      const before = heard
      return Effect.as(Effect.sleep(duration), before)
    }).pipe(Effect.repeat({ until: (before) => before === heard }))

  const dispatch = (message: JsonRpc.Message) => {
    heard++
    handlers.onMessage?.(message)
    if (JsonRpc.isResponse(message)) reply(message)
    else if (JsonRpc.isRequest(message)) answer(message)
    else if (message.method === "$/cancel_request") cancelIncoming(message.params)
    else handlers.onNotification?.(message)
  }

  let connectedBefore = false
  const run = transport.run((inbound) => {
    switch (inbound._tag) {
      case "Message":
        return dispatch(inbound.message)
      case "Skipped":
        return handlers.onSkipped?.(inbound)
      case "Interrupted":
        return handlers.onInterrupted?.(inbound.error)
      case "Connected":
        if (inbound.fresh && connectedBefore) {
          forget(new ConnectionLost({ description: "The connection was replaced by a new one", sent: true }))
        }
        connectedBefore = true
        return handlers.onConnected?.(inbound.fresh)
    }
  })

  const running = run.pipe(
    Effect.andThen(Effect.fail(new ConnectionLost({ description: "The peer closed the channel", sent: true }))),
    Effect.onExit((exit) =>
      Effect.suspend(() => {
        over = reasonOf(exit)
        forget(over)
        if (!Exit.isInterrupted(exit)) handlers.onClosed?.(over)
        return Deferred.fail(closed, over)
      })
    ),
    Effect.catchAll(() => Effect.void)
  )
  // Nothing comes before the connection is in its owner's hands.
  Runtime.runFork(runtime)(running, { scope, immediate: false })

  const request = Effect.fnUntraced(function* (method: string, params: unknown, options: RequestOptions = {}) {
    if (over !== undefined) return yield* Effect.fail(over)
    const id = nextId++
    const answer = yield* Deferred.make<unknown, JsonRpc.RpcError | TransportError>()
    pending.set(id, { answer, onReply: options.onReply, onLost: options.onLost })
    const { patience } = options
    // Forked, because a peer may answer on the stream before the sending itself is confirmed.
    fork(
      transport.send(JsonRpc.request(id, method, params)).pipe(
        Effect.tapError((error) =>
          patience !== undefined && error._tag === "ConnectionLost" && error.sent ? silence(patience) : Effect.void
        ),
        Effect.catchAll((error) => {
          if (pending.delete(id)) options.onLost?.()
          return Deferred.fail(answer, error)
        })
      )
    )
    const withdraw = Effect.suspend(() =>
      pending.delete(id) ? transport.send(JsonRpc.notification("$/cancel_request", { requestId: id })) : Effect.void
    ).pipe(Effect.catchAll((error) => Effect.logDebug("A request could not be withdrawn", error._tag)))
    return yield* options.onInterrupt === "abandon"
      ? Deferred.await(answer)
      : Effect.onInterrupt(Deferred.await(answer), () => Effect.sync(() => fork(withdraw)))
  })

  return {
    request,
    notify: (method, params) => transport.send(JsonRpc.notification(method, params)),
    closed: Deferred.await(closed)
  }
})

interface Pending {
  readonly answer: Deferred.Deferred<unknown, JsonRpc.RpcError | TransportError>
  readonly onReply: RequestOptions["onReply"]
  readonly onLost: RequestOptions["onLost"]
}

interface Answering {
  fiber: Fiber.RuntimeFiber<void> | undefined
  answered: boolean
}

/** So many requests of the peer may be open at a time, answers that it does not take among them. */
const mostIncoming = 1000

/** In characters. */
const longestId = 1024

const deliverAgain = Schedule.exponential("250 millis").pipe(
  Schedule.union(Schedule.spaced("5 seconds")),
  Schedule.jittered
)

const requestIdOf = (params: unknown): JsonRpc.Id | undefined => {
  if (typeof params !== "object" || params === null || !("requestId" in params)) return undefined
  const id = params.requestId
  return typeof id === "number" || typeof id === "string" || id === null ? id : undefined
}

const reasonOf = (exit: Exit.Exit<unknown, TransportError>): TransportError => {
  if (Exit.isFailure(exit) && exit.cause._tag === "Fail") return exit.cause.error
  const cause = Exit.isFailure(exit) && exit.cause._tag === "Die" ? { cause: exit.cause.defect } : {}
  return new ConnectionLost({ description: "The connection was closed", sent: true, ...cause })
}
