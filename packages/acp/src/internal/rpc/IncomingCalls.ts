import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type { TransportError } from "../../AcpError.ts"
import * as JsonRpc from "../../JsonRpc.ts"
import * as Retries from "../Retries.ts"

/** The requests of the peer that are being answered. */
export interface IncomingCalls {
  /** Answers a request; the same id once more, while it is being answered, is ignored. */
  readonly answer: (request: JsonRpc.Request) => void
  /** Handles the params of `$/cancel_request`: the request is cancelled unless its response is on its way. */
  readonly cancel: (params: unknown) => void
  /** Cancels all: the connection of the peer was lost. */
  readonly cancelAll: () => void
}

/** What the calls need of their connection. */
export interface Options {
  readonly send: (message: JsonRpc.Message) => Effect.Effect<void, TransportError>
  /** Runs in the background until the connection is closed. */
  readonly fork: (effect: Effect.Effect<void>) => Fiber.RuntimeFiber<void>
  readonly isOver: () => TransportError | undefined
  /** The effect of a request; undefined for an unknown method. */
  readonly handle: (request: JsonRpc.Request) => Effect.Effect<unknown, JsonRpc.RpcError> | undefined
  readonly onNotification: ((notification: JsonRpc.Notification) => void) | undefined
  /** The response to a request was taken by the transport. */
  readonly onDelivered: ((request: JsonRpc.Request) => void) | undefined
  /** The response to a request was refused for good. */
  readonly onUndelivered: ((request: JsonRpc.Request) => void) | undefined
}

/** Makes the calls of one connection. */
export const make = ({
  fork,
  handle,
  isOver,
  onDelivered,
  onNotification,
  onUndelivered,
  send
}: Options): IncomingCalls => {
  const calls = new Map<JsonRpc.Id, Call>()
  let connection = 0

  // A channel that goes on still waits for the response; with a new connection the call is cancelled.
  const deliver = (response: JsonRpc.Message, askedOn: number) =>
    Effect.retry(send(response), {
      schedule: Retries.deliver,
      while: (error) => error._tag === "ConnectionLost" && isOver() === undefined && askedOn === connection
    })

  /** Gets the id alone: a response that waits to be taken keeps no request in memory. */
  const run = (
    id: JsonRpc.Id,
    call: Call,
    result: Effect.Effect<unknown, JsonRpc.RpcError>,
    outcome: { readonly delivered: Effect.Effect<void>; readonly undelivered: Effect.Effect<void> }
  ) => {
    const askedOn = connection
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
      Effect.flatMap((response) => deliver(response, askedOn)),
      Effect.tap(outcome.delivered),
      Effect.catchAll((error) =>
        Effect.zipRight(Effect.logDebug("An answer could not be delivered", error._tag), outcome.undelivered)
      ),
      Effect.ensuring(Effect.sync(() => calls.get(id) === call && calls.delete(id)))
    )
  }

  return {
    answer: (request) => {
      const { id } = request
      if (calls.has(id)) return
      // A peer that takes no responses must not fill the memory.
      if (calls.size >= maxCalls || (typeof id === "string" && id.length > maxIdChars)) {
        fork(Effect.logDebug("A request is left out: its id is too long, or too many are open"))
        return
      }
      const handled = handle(request)
      // Some services write `"id": null` in a notification.
      if (handled === undefined && id === null) {
        return onNotification?.(JsonRpc.notification(request.method, request.params))
      }
      const call: Call = { fiber: undefined, answered: false }
      const result = handled ?? Effect.fail(JsonRpc.RpcError.methodNotFound(request.method))
      calls.set(id, call)
      call.fiber = fork(
        run(id, call, result, { delivered: notify(request, onDelivered), undelivered: notify(request, onUndelivered) })
      )
    },
    cancel: (params) => {
      const id = requestIdOf(params)
      if (id === undefined) return
      const { answered = false, fiber } = calls.get(id) ?? {}
      if (fiber === undefined || answered) return
      calls.delete(id)
      fork(
        Fiber.interrupt(fiber).pipe(
          Effect.andThen(send(JsonRpc.failure(id, JsonRpc.RpcError.cancelled()))),
          Effect.catchAll((error) => Effect.logDebug("A cancellation could not be confirmed", error._tag))
        )
      )
    },
    cancelAll: () => {
      connection++
      const cancelled = [...calls.values()]
      calls.clear()
      for (const { fiber } of cancelled) fiber?.unsafeInterruptAsFork(fiber.id())
    }
  }
}

const notify = (request: JsonRpc.Request, listener: Options["onDelivered"]): Effect.Effect<void> =>
  listener === undefined ? Effect.void : Effect.sync(() => listener(request))

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
