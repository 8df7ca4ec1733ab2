import * as Deferred from "effect/Deferred"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FiberId from "effect/FiberId"
import { ConnectionLost, type TransportError } from "../../AcpError.ts"
import * as JsonRpc from "../../JsonRpc.ts"
import type { CallContext } from "./CallContext.ts"

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

/** The requests of this side that wait for their response; ids are positive integers and never used twice. */
export class OutgoingCalls {
  readonly #context: CallContext
  readonly #calls = new Map<number, Call>()
  #lastId = 0

  constructor(context: CallContext) {
    this.#context = context
  }

  /** Calls the peer and waits for the response. */
  request(
    method: string,
    params: unknown,
    options: RequestOptions = {}
  ): Effect.Effect<unknown, JsonRpc.RpcError | TransportError> {
    return Effect.suspend(() => {
      const over = this.#context.over()
      if (over !== undefined) return Effect.fail(over)
      const id = ++this.#lastId
      const { onInterrupt, onLost, onReply } = options
      const call: Call = { id, response: Deferred.unsafeMake(FiberId.none), onReply, onLost, isSending: true }
      this.#calls.set(id, call)
      // Forked, because a peer may answer on the stream before the sending itself is confirmed.
      this.#context.fork(this.#sending(call, JsonRpc.request(id, method, params), options))
      const response = Deferred.await(call.response)
      return onInterrupt === "abandon"
        ? response
        : Effect.onInterrupt(response, () => Effect.sync(() => this.#context.fork(this.#withdraw(id))))
    })
  }

  /** Completes the call that a response belongs to; a second response to it is dropped. */
  reply(response: JsonRpc.Success | JsonRpc.Failure): void {
    const id = Number(response.id)
    const call = JsonRpc.isResponseTo(response, id) ? this.#calls.get(id) : undefined
    if (call === undefined) return
    this.#calls.delete(id)
    call.onReply?.(response)
    Deferred.unsafeDone(
      call.response,
      JsonRpc.isFailure(response)
        ? Exit.fail(JsonRpc.RpcError.fromObject(response.error))
        : Exit.succeed(response.result)
    )
  }

  /**
   * Fails all calls: their connection is gone. A call that is being sent still has a moment to find out whether it
   * arrived, unless the channel is over.
   */
  failAll(reason: TransportError): void {
    for (const call of this.#calls.values()) {
      if (!call.isSending || this.#context.over() !== undefined) {
        this.#lose(call, reason)
        continue
      }
      call.lost = reason
      this.#context.fork(Effect.delay(this.#losing(call, reason), sendingGrace))
    }
  }

  #sending(call: Call, message: JsonRpc.Request, options: RequestOptions): Effect.Effect<void> {
    const { isWanted, sendingTimeout, unconfirmedTimeout } = options
    const sending = this.#context.send(message, isWanted).pipe(
      Effect.tapError((error) =>
        unconfirmedTimeout !== undefined && error._tag === "ConnectionLost" && error.sent
          ? this.#context.silence(unconfirmedTimeout)
          : Effect.void
      ),
      Effect.catchAll((error) =>
        this.#losing(call, call.lost === undefined || !mayHaveArrived(error) ? error : call.lost)
      ),
      Effect.ensuring(
        Effect.sync(() => {
          call.isSending = false
          if (call.lost !== undefined) this.#lose(call, call.lost)
        })
      )
    )
    if (sendingTimeout === undefined) return sending
    const timeout = Effect.zipRight(this.#context.silence(sendingTimeout), this.#losing(call, unconfirmed()))
    return Effect.raceFirst(sending, Effect.zipRight(timeout, Effect.never))
  }

  #withdraw(id: number): Effect.Effect<void> {
    return Effect.suspend(() =>
      this.#calls.delete(id)
        ? this.#context.send(JsonRpc.notification("$/cancel_request", { requestId: id }))
        : Effect.void
    ).pipe(Effect.catchAll((error) => Effect.logDebug("A request could not be withdrawn", error._tag)))
  }

  #losing(call: Call, reason: TransportError): Effect.Effect<void> {
    return Effect.sync(() => this.#lose(call, reason))
  }

  #lose(call: Call, reason: TransportError): void {
    if (this.#calls.get(call.id) !== call) return
    this.#calls.delete(call.id)
    call.onLost?.(reason)
    Deferred.unsafeDone(call.response, Exit.fail(reason))
  }
}

/** How long a call whose connection is gone waits for the outcome of its sending. */
const sendingGrace = "1 second"

const unconfirmed = () =>
  new ConnectionLost({ description: "The peer does not confirm that it has the call", sent: true })

const mayHaveArrived = (error: TransportError): boolean => error._tag !== "ConnectionLost" || error.sent

interface Call {
  readonly id: number
  readonly response: Deferred.Deferred<unknown, JsonRpc.RpcError | TransportError>
  readonly onReply: RequestOptions["onReply"]
  readonly onLost: RequestOptions["onLost"]
  isSending: boolean
  /** Why no response can come any more. */
  lost?: TransportError
}
