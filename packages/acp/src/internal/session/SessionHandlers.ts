import type { TransportError } from "../../AcpError.ts"
import type * as JsonRpc from "../../JsonRpc.ts"
import type { SessionEvent } from "../../SessionEvent.ts"
import type { Skipped } from "../../Transport.ts"
import type { Handlers } from "../rpc/Peer.ts"
import type { InboundRouter } from "./InboundRouter.ts"
import type { PendingRequests } from "./PendingRequests.ts"
import type { Event } from "./SessionLife.ts"

/** What the handlers need of their session. */
export interface Context<E> {
  readonly requests: PendingRequests
  readonly router: InboundRouter<E>
  publish(event: SessionEvent<E>): void
  dispatch(event: Event): void
}

/** Hands what the connection of a session brings to the part that it concerns. */
export class SessionHandlers<E> implements Handlers {
  readonly #context: Context<E>

  constructor(context: Context<E>) {
    this.#context = context
  }

  onRequest(request: JsonRpc.Request) {
    return this.#context.router.request(request)
  }

  onDelivered(request: JsonRpc.Request): void {
    this.#context.requests.delivered(request)
  }

  onUndelivered(request: JsonRpc.Request): void {
    this.#context.requests.undelivered(request)
  }

  onNotification(notification: JsonRpc.Notification): void {
    this.#context.router.notification(notification)
  }

  onSkipped(skipped: Skipped): void {
    this.#context.publish(skipped)
  }

  onConnected(fresh: boolean): void {
    this.#context.dispatch({ _tag: "Connected", fresh })
  }

  onInterrupted(error: TransportError): void {
    this.#context.dispatch({ _tag: "Interrupted", error })
  }

  onClosed(error: TransportError): void {
    this.#context.dispatch({ _tag: "Closed", error })
  }
}
