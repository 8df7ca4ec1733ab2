import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { ConnectionLost, TransportError } from "../../AcpError.ts"
import type { TicketValue } from "../../Ticket.ts"
import type { Inbound } from "../../Transport.ts"
import { EventStream } from "./EventStream.ts"
import type { Broken, HttpChannel, OpenStream } from "./HttpChannel.ts"
import type * as HttpPost from "./HttpPost.ts"
import type { ReconnectPolicy } from "./ReconnectPolicy.ts"
import { type Listener, SseReader } from "./SseReader.ts"

/** What a connection needs of its transport. */
export interface Transport {
  readonly channel: HttpChannel
  readonly policy: ReconnectPolicy
  readonly receive: (inbound: Inbound) => void
}

/** What takes up a connection again, whose server numbers its events. */
export interface Resumption {
  readonly connectionId: string
  readonly lastEventId: string
}

/** One connection of the transport over an event stream, whose stream is open. */
export class SseConnection implements HttpPost.Peer, Listener {
  readonly ticket: TicketValue
  readonly link: string
  readonly idempotent: boolean
  readonly scope: Scope.CloseableScope
  readonly #transport: Transport
  readonly #connectionId: string
  readonly #stream: EventStream
  #state: "Alive" | "Broken" | "Abandoned" = "Alive"
  #lastEventId: string | undefined
  #pieces = 0

  constructor(transport: Transport, { answer, ticket }: OpenStream, connectionId: string, scope: Scope.CloseableScope) {
    this.#transport = transport
    this.#connectionId = connectionId
    this.#stream = new EventStream(transport.channel, answer.body)
    this.ticket = ticket
    this.link = ticket.link
    this.idempotent = answer.header("acp-idempotent-posts") === "1"
    this.scope = scope
  }

  /** Reads the stream; fails in every case. Run once, and left afterwards. */
  ended(): Effect.Effect<never, Broken> {
    const reader = new SseReader(this.#transport.channel.maxSize, this)
    return this.#stream.ended((text) => reader.read(text))
  }

  /** Ends the connection, which is then not resumed; nothing more is delivered from it. */
  abandon(reason: ConnectionLost): void {
    this.#state = "Abandoned"
    this.abort(reason)
  }

  /** Closes the stream. Returns how the connection can be taken up again. */
  leave(): Resumption | undefined {
    this.#stream.close()
    const [state, lastEventId] = [this.#state, this.#lastEventId]
    if (state === "Alive") this.#state = "Broken"
    return state === "Alive" && lastEventId !== undefined
      ? { connectionId: this.#connectionId, lastEventId }
      : undefined
  }

  isAlive(): boolean {
    return this.#state === "Alive"
  }

  receive(inbound: Inbound): void {
    if (this.#state !== "Abandoned") this.#transport.receive(inbound)
  }

  abort(error: TransportError): void {
    this.#stream.abort(error)
  }

  headers(): Readonly<Record<string, string>> {
    return { "Acp-Connection-Id": this.#connectionId }
  }

  newReader(): SseReader {
    return new SseReader(this.#transport.channel.maxSize, {
      onPiece: () => this.onPiece(),
      onInbound: (inbound) => this.onInbound(inbound),
      onRetry: (millis) => this.onRetry(millis)
    })
  }

  opens(): boolean {
    return false
  }

  onResponse(): void {}

  onPiece(): void {
    // A server that only greets and closes again makes no progress.
    if (++this.#pieces > 1) this.#transport.policy.progressed()
  }

  onInbound(inbound: Inbound): void {
    this.#transport.policy.progressed()
    this.receive(inbound)
  }

  onId(id: string | undefined): void {
    this.#lastEventId = id
  }

  onRetry(millis: number): void {
    this.#transport.policy.setMinimum(millis)
  }

  onHeartbeat(): void {
    this.#stream.onHeartbeat()
  }
}
