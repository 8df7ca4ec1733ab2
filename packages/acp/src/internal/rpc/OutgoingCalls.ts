import * as Deferred from "effect/Deferred"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { TransportError } from "../../AcpError.ts"
import * as JsonRpc from "../../JsonRpc.ts"

/** Options of one request. */
export interface RequestOptions {
  /** Runs in channel order with the response, before the messages after it are handled. */
  readonly onReply?: (reply: JsonRpc.Success | JsonRpc.Failure) => void
  /** Runs when no response can come any more: nothing was sent, or the connection is gone. */
  readonly onLost?: (reason: TransportError) => void
  /** What an interruption does: it sends `$/cancel_request` (the default), or leaves the call running. */
  readonly onInterrupt?: "cancel" | "abandon"
  /**
   * How long, from the last received message on, the response is still awaited when it is unknown whether the request
   * arrived. For calls that must not run twice on one connection. Default: no time.
   */
  readonly unconfirmedTimeout?: Duration.DurationInput
}

/** The requests of this side that wait for their response. */
export interface OutgoingCalls {
  readonly request: (
    method: string,
    params: unknown,
    options?: RequestOptions
  ) => Effect.Effect<unknown, JsonRpc.RpcError | TransportError>
  /** Completes the call that a response belongs to; a second response to it is dropped. */
  readonly reply: (response: JsonRpc.Success | JsonRpc.Failure) => void
  /** Fails all calls: their connection is gone. */
  readonly failAll: (reason: TransportError) => void
}

/** What the calls need of their connection. */
export interface Options {
  readonly send: (message: JsonRpc.Message) => Effect.Effect<void, TransportError>
  /** Runs in the background until the connection is closed. */
  readonly fork: (effect: Effect.Effect<unknown>) => void
  /** Waits until nothing has been received for this long. */
  readonly silence: (duration: Duration.DurationInput) => Effect.Effect<unknown>
  readonly isOver: () => TransportError | undefined
}

/** Makes the calls of one connection; ids are positive integers and never used twice. */
export const make = ({ fork, isOver, send, silence }: Options): OutgoingCalls => {
  const calls = new Map<number, Call>()
  let lastId = 0

  const request = Effect.fnUntraced(function* (method: string, params: unknown, options: RequestOptions = {}) {
    const over = isOver()
    if (over !== undefined) return yield* Effect.fail(over)
    const id = ++lastId
    const response = yield* Deferred.make<unknown, JsonRpc.RpcError | TransportError>()
    calls.set(id, { response, onReply: options.onReply, onLost: options.onLost })
    const { unconfirmedTimeout } = options
    // Forked, because a peer may answer on the stream before the sending itself is confirmed.
    fork(
      send(JsonRpc.request(id, method, params)).pipe(
        Effect.tapError((error) =>
          unconfirmedTimeout !== undefined && error._tag === "ConnectionLost" && error.sent
            ? silence(unconfirmedTimeout)
            : Effect.void
        ),
        Effect.catchAll((error) => {
          if (calls.delete(id)) options.onLost?.(error)
          return Deferred.fail(response, error)
        })
      )
    )
    if (options.onInterrupt === "abandon") return yield* Deferred.await(response)
    const withdraw = Effect.suspend(() =>
      calls.delete(id) ? send(JsonRpc.notification("$/cancel_request", { requestId: id })) : Effect.void
    ).pipe(Effect.catchAll((error) => Effect.logDebug("A request could not be withdrawn", error._tag)))
    return yield* Effect.onInterrupt(Deferred.await(response), () => Effect.sync(() => fork(withdraw)))
  })

  return {
    request,
    reply: (response) => {
      const { id } = response
      const call = typeof id === "number" ? calls.get(id) : undefined
      if (call === undefined || typeof id !== "number") return
      calls.delete(id)
      call.onReply?.(response)
      Deferred.unsafeDone(
        call.response,
        JsonRpc.isFailure(response)
          ? Exit.fail(JsonRpc.RpcError.fromObject(response.error))
          : Exit.succeed(response.result)
      )
    },
    failAll: (reason) => {
      const failed = [...calls.values()]
      calls.clear()
      for (const call of failed) {
        call.onLost?.(reason)
        Deferred.unsafeDone(call.response, Exit.fail(reason))
      }
    }
  }
}

interface Call {
  readonly response: Deferred.Deferred<unknown, JsonRpc.RpcError | TransportError>
  readonly onReply: RequestOptions["onReply"]
  readonly onLost: RequestOptions["onLost"]
}
