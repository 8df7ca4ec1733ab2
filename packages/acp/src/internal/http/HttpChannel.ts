import * as RetryAfter from "@heddle/core/RetryAfter"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { ConnectionLost, type TransportError } from "../../AcpError.ts"
import { fromFetch, type HttpResponse, type HttpExchange } from "../../HttpExchange.ts"
import type * as Ticket from "../../Ticket.ts"
import { Backpressure } from "./Backpressure.ts"
import * as Http from "./Http.ts"
import { RateLimitWaits } from "./RateLimitWaits.ts"
import * as Refusal from "./Refusal.ts"

/** How a channel over HTTP is reached, whatever its dialect. */
export interface Options {
  readonly ticket: Ticket.Ticket["Type"]
  /**
   * A stream with heartbeats is given up after this long without a byte, or after three of their intervals where that is
   * longer. Two comments or pings in a row are heartbeats. A stream without them may be silent for ever; the keep-alive
   * of its socket finds out that its server is gone. Infinity: no stream is given up. Default: 45 seconds.
   */
  readonly silence?: Duration.DurationInput
  /** How long a server may take for the head of a response; four times that for its body. Default: 30 seconds. */
  readonly headTimeout?: Duration.DurationInput
  /** The first and the longest wait before connecting again. Default: 250 ms and 30 seconds. */
  readonly backoff?: { readonly first: Duration.DurationInput; readonly longest: Duration.DurationInput }
  /** A larger message is skipped and reported. Default: 32 Mi characters. */
  readonly maxMessageSize?: number
  /** What carries the requests. Default: `fetch`. */
  readonly exchange?: HttpExchange
}

/** Why a stream does not open, or no longer is: `status` and `ticket` where a server answered. */
export interface Broken {
  readonly error: TransportError
  readonly status?: number
  readonly ticket?: Ticket.TicketValue
  /** The seconds to wait, as the server says. */
  readonly retryAfter?: number | undefined
  /** The channel has another link now, at which this connection is unknown. */
  readonly moved?: true
}

/** The requests of one channel over HTTP, and what they share. */
export class HttpChannel {
  readonly exchange: HttpExchange
  readonly ticket: Ticket.Ticket["Type"]
  readonly maxSize: number
  readonly headTimeout: Duration.DurationInput
  /** How many milliseconds a stream with heartbeats may be silent. */
  readonly silence: number
  readonly backpressure = new Backpressure()
  readonly rateLimitWaits = new RateLimitWaits()
  readonly #dialect: Refusal.Dialect
  #lastAccepted: Ticket.TicketValue | undefined

  constructor(options: Options, dialect: Refusal.Dialect) {
    this.exchange = options.exchange ?? fromFetch()
    this.ticket = options.ticket
    this.maxSize = options.maxMessageSize ?? 32 * 1024 * 1024
    this.headTimeout = options.headTimeout ?? "30 seconds"
    this.silence = Duration.toMillis(options.silence ?? "45 seconds")
    this.#dialect = dialect
  }

  /** Remembers a ticket that the server took. */
  accepted(value: Ticket.TicketValue): void {
    this.#lastAccepted = value
  }

  /** Fails an effect that does not answer within the head timeout. */
  inTime<A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | ConnectionLost, R> {
    return Effect.timeoutFail(effect, {
      duration: this.headTimeout,
      onTimeout: () => new ConnectionLost({ description: "The channel's server does not answer", sent: true })
    })
  }

  /** Opens an event stream with the present ticket, only at `link` if it is given; `controller` closes it. */
  open(headers: Readonly<Record<string, string>>, controller: AbortController, link?: string) {
    return Effect.flatMap(
      Effect.mapError(this.ticket.current, (error): Broken => ({ error })),
      (ticket): Effect.Effect<OpenStream, Broken> => {
        if (link !== undefined && link !== ticket.link) return Effect.fail({ error: moved(), moved: true })
        const call = { method: "GET", headers: { Accept: "text/event-stream", ...headers } } as const
        return this.inTime(Http.exchange(this.exchange, ticket, call, controller)).pipe(
          Effect.mapError((error): Broken =>
            error._tag === "ChannelRefused" ? { error, status: error.status, ticket } : { error }
          ),
          Effect.flatMap((answer) => {
            if (answer.status !== 200) return this.#refused(answer, ticket)
            this.accepted(ticket)
            return Effect.succeed({ answer, ticket })
          })
        )
      }
    )
  }

  /** Tells the server by DELETE that a connection is no longer wanted; takes two seconds at most and never fails. */
  close(begun: Ticket.TicketValue, headers: Readonly<Record<string, string>>): Effect.Effect<void> {
    const last = this.#lastAccepted
    return Effect.suspend(() => remove(this.exchange, last?.link === begun.link ? last : begun, headers))
  }

  #refused(answer: HttpResponse, ticket: Ticket.TicketValue): Effect.Effect<never, Broken> {
    const { status } = answer
    const mayBeFinal = status >= 400 && status < 500 && status !== 429
    const opens = this.#dialect === "SseTransport" ? this.#dialect : undefined
    return Effect.flatMap(mayBeFinal ? Refusal.readBody(answer.body) : Effect.succeed(""), (body) => {
      answer.body.cancel()
      const error = Refusal.make({ status, body, ticket, opens })
      return Effect.fail({ error, status, ticket, retryAfter: retryAfter(answer) })
    })
  }
}

/** An event stream at its head, and the ticket with which it was opened. */
export interface OpenStream {
  readonly answer: HttpResponse
  readonly ticket: Ticket.TicketValue
}

/** The seconds that a response says to wait. */
export const retryAfter = ({ header }: HttpResponse): number | undefined =>
  RetryAfter.parseSeconds(header("retry-after"), header("date"), Date.now())

/** The channel has another link than the connection. */
export const moved = () =>
  new ConnectionLost({
    description: "The channel has moved to another link; nothing was sent",
    sent: false,
    reconnecting: true
  })

const remove = (exchange: HttpExchange, ticket: Ticket.TicketValue, headers: Readonly<Record<string, string>>) => {
  const controller = new AbortController()
  // A timer of its own: this runs where nothing can be interrupted.
  const timer = setTimeout(() => controller.abort(), 2000)
  return Http.exchange(exchange, ticket, { method: "DELETE", headers }, controller).pipe(
    Effect.map(({ body }) => body.cancel()),
    // The server forgets an abandoned connection by itself, only later.
    Effect.catchAll((error) => Effect.logDebug("A channel could not be closed", error.message)),
    Effect.ensuring(Effect.sync(() => clearTimeout(timer)))
  )
}
