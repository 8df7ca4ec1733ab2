import * as Deferred from "effect/Deferred"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { ConnectionLost, type TransportError } from "../../AcpError.ts"
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
  /**
   * How long, from the last received message on, the peer may leave the sending itself unconfirmed. Then the call counts
   * as lost, and the sending goes on. Default: no limit.
   */
  readonly sendingTimeout?: Duration.DurationInput
  /** Whether the request may still go out while it waits for another attempt. Default: yes. */
  readonly isWanted?: () => boolean
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
  /**
   * Fails all calls: their connection is gone. A call that is being sent still has a moment to find out whether it
   * arrived, unless the channel is over.
   */
  readonly failAll: (reason: TransportError) => void
}

/** What the calls need of their connection. */
export interface Options {
  readonly send: (message: JsonRpc.Message, isWanted?: () => boolean) => Effect.Effect<void, TransportError>
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

  const lose = (id: number, call: Call, reason: TransportError) => {
    if (calls.get(id) !== call) return
    calls.delete(id)
    call.onLost?.(reason)
    Deferred.unsafeDone(call.response, Exit.fail(reason))
  }

  const request = (method: string, params: unknown, options: RequestOptions = {}) =>
    Effect.gen(function* () {
      const over = isOver()
      if (over !== undefined) return yield* Effect.fail(over)
      const id = ++lastId
      const response = yield* Deferred.make<unknown, JsonRpc.RpcError | TransportError>()
      const call: Call = { response, onReply: options.onReply, onLost: options.onLost, isSending: true }
      calls.set(id, call)
      const { sendingTimeout, unconfirmedTimeout } = options
      const watch = (duration: Duration.DurationInput) =>
        Effect.zipRight(
          silence(duration),
          Effect.sync(() => lose(id, call, unconfirmed()))
        )
      // Forked, because a peer may answer on the stream before the sending itself is confirmed.
      fork(
        send(JsonRpc.request(id, method, params), options.isWanted).pipe(
          Effect.tapError((error) =>
            unconfirmedTimeout !== undefined && error._tag === "ConnectionLost" && error.sent
              ? silence(unconfirmedTimeout)
              : Effect.void
          ),
          Effect.catchAll((error) =>
            Effect.sync(() => lose(id, call, call.lost === undefined || !mayHaveArrived(error) ? error : call.lost))
          ),
          Effect.ensuring(
            Effect.sync(() => {
              call.isSending = false
              if (call.lost !== undefined) lose(id, call, call.lost)
            })
          ),
          (sending) =>
            sendingTimeout === undefined
              ? sending
              : Effect.raceFirst(sending, Effect.zipRight(watch(sendingTimeout), Effect.never))
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
      const id = Number(response.id)
      const call = JsonRpc.isResponseTo(response, id) ? calls.get(id) : undefined
      if (call === undefined) return
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
      for (const [id, call] of calls) {
        if (!call.isSending || isOver() !== undefined) {
          lose(id, call, reason)
          continue
        }
        call.lost = reason
        fork(
          Effect.delay(
            Effect.sync(() => lose(id, call, reason)),
            sendingGrace
          )
        )
      }
    }
  }
}

/** How long a call whose connection is gone waits for the outcome of its sending. */
const sendingGrace = "1 second"

const unconfirmed = () =>
  new ConnectionLost({ description: "The peer does not confirm that it has the call", sent: true })

const mayHaveArrived = (error: TransportError): boolean => error._tag !== "ConnectionLost" || error.sent

interface Call {
  readonly response: Deferred.Deferred<unknown, JsonRpc.RpcError | TransportError>
  readonly onReply: RequestOptions["onReply"]
  readonly onLost: RequestOptions["onLost"]
  isSending: boolean
  /** Why no response can come any more. */
  lost?: TransportError
}
