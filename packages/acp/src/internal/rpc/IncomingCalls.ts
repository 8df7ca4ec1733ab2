import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as JsonRpc from "../../JsonRpc.ts"
import * as Retries from "../Retries.ts"
import type { CallContext } from "./CallContext.ts"

/** What is to be done with the requests of the peer. */
export interface Listener {
  /** The effect of a request; undefined for an unknown method. */
  readonly onRequest?: (request: JsonRpc.Request) => Effect.Effect<unknown, JsonRpc.RpcError> | undefined
  readonly onNotification?: (notification: JsonRpc.Notification) => void
  /** The response to a request was taken by the transport. */
  readonly onDelivered?: (request: JsonRpc.Request) => void
  /** The response to a request was refused for good. */
  readonly onUndelivered?: (request: JsonRpc.Request) => void
}

/** The requests of the peer that are being answered. */
export class IncomingCalls {
  readonly #context: CallContext
  readonly #listener: Listener
  readonly #calls = new Map<JsonRpc.Id, Call>()
  #connection = 0

  constructor(context: CallContext, listener: Listener) {
    this.#context = context
    this.#listener = listener
  }

  /** Answers a request; the same id once more, while it is being answered, is ignored. */
  answer(request: JsonRpc.Request): void {
    const { id } = request
    if (this.#calls.has(id)) return
    // A peer that takes no responses must not fill the memory.
    if (this.#calls.size >= maxCalls || (typeof id === "string" && id.length > maxIdChars)) {
      this.#context.fork(Effect.logDebug("A request is left out: its id is too long, or too many are open"))
      return
    }
    const listener = this.#listener
    const handled = listener.onRequest?.(request)
    // Some services write `"id": null` in a notification.
    if (handled === undefined && id === null) {
      return listener.onNotification?.(JsonRpc.notification(request.method, request.params))
    }
    const call: Call = { fiber: undefined, answered: false }
    const result = handled ?? Effect.fail(JsonRpc.RpcError.methodNotFound(request.method))
    this.#calls.set(id, call)
    call.fiber = this.#context.fork(
      this.#run(id, call, result, {
        delivered: Effect.sync(() => listener.onDelivered?.(request)),
        undelivered: Effect.sync(() => listener.onUndelivered?.(request))
      })
    )
  }

  /** Handles the params of `$/cancel_request`: the request is cancelled unless its response is on its way. */
  cancel(params: unknown): void {
    const id = requestIdOf(params)
    if (id === undefined) return
    const { answered = false, fiber } = this.#calls.get(id) ?? {}
    if (fiber === undefined || answered) return
    this.#calls.delete(id)
    this.#context.fork(
      Fiber.interrupt(fiber).pipe(
        Effect.andThen(this.#context.send(JsonRpc.failure(id, JsonRpc.RpcError.cancelled()))),
        Effect.catchAll((error) => Effect.logDebug("A cancellation could not be confirmed", error._tag))
      )
    )
  }

  /** Cancels all: the connection of the peer was lost. */
  cancelAll(): void {
    this.#connection++
    const cancelled = [...this.#calls.values()]
    this.#calls.clear()
    for (const { fiber } of cancelled) fiber?.unsafeInterruptAsFork(fiber.id())
  }

  /** Gets the id alone: a response that waits to be taken keeps no request in memory. */
  #run(id: JsonRpc.Id, call: Call, result: Effect.Effect<unknown, JsonRpc.RpcError>, outcome: Outcome) {
    const askedOn = this.#connection
    return result.pipe(
      Effect.match({
        onFailure: (error) => JsonRpc.failure(id, error),
        onSuccess: (result) => JsonRpc.success(id, result)
      }),
      Effect.tap(() =>
        Effect.sync(() => {
          call.answered = true
        })
      ),
      Effect.flatMap((response) => this.#deliver(response, askedOn)),
      Effect.tap(outcome.delivered),
      Effect.catchAll((error) =>
        Effect.zipRight(Effect.logDebug("An answer could not be delivered", error._tag), outcome.undelivered)
      ),
      Effect.ensuring(Effect.sync(() => this.#calls.get(id) === call && this.#calls.delete(id)))
    )
  }

  /** A channel that goes on still waits for the response; with a new connection the call is cancelled. */
  #deliver(response: JsonRpc.Message, askedOn: number) {
    return Effect.retry(this.#context.send(response), {
      schedule: Retries.deliver,
      while: (error) =>
        error._tag === "ConnectionLost" && this.#context.over() === undefined && askedOn === this.#connection
    })
  }
}

/** What to do once the response to a request was taken, or refused for good. */
interface Outcome {
  readonly delivered: Effect.Effect<void>
  readonly undelivered: Effect.Effect<void>
}

interface Call {
  fiber: Fiber.RuntimeFiber<void> | undefined
  /** The response is being sent. */
  answered: boolean
}

/** Maximum number of open requests of the peer, including those whose response it does not read. */
const maxCalls = 1000

const maxIdChars = 1024

const requestIdOf = (params: unknown): JsonRpc.Id | undefined => {
  if (typeof params !== "object" || params === null || !("requestId" in params)) return undefined
  const id = params.requestId
  return typeof id === "number" || typeof id === "string" || id === null ? id : undefined
}
