import * as RetryAfter from "@heddle/core/RetryAfter"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { ConnectionLost, type TransportError } from "../../AcpError.ts"
import { fromFetch, type HttpResponse, type HttpExchange } from "../../HttpExchange.ts"
import type * as Ticket from "../../Ticket.ts"
import * as Backpressure from "./Backpressure.ts"
import * as EventStream from "./EventStream.ts"
import * as Http from "./Http.ts"
import * as RateLimitWaits from "./RateLimitWaits.ts"
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
export interface HttpChannel {
  readonly exchange: HttpExchange
  readonly ticket: Ticket.Ticket["Type"]
  readonly maxSize: number
  readonly headTimeout: Duration.DurationInput
  readonly backpressure: Backpressure.Backpressure
  readonly rateLimitWaits: RateLimitWaits.RateLimitWaits
  /** Remembers a ticket that the server took. */
  readonly accepted: (ticket: Ticket.TicketValue) => void
  /** Fails an effect that does not answer within the head timeout. */
  readonly inTime: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E | ConnectionLost, R>
  /** Opens an event stream with the present ticket, only at `link` if it is given; the scope closes it. */
  readonly open: (
    headers: Readonly<Record<string, string>>,
    link?: string
  ) => Effect.Effect<{ readonly answer: HttpResponse; readonly ticket: Ticket.TicketValue }, Broken, Scope.Scope>
  readonly read: (answer: HttpResponse, newReader: EventStream.NewReader) => EventStream.EventStream
  /** Tells the server by DELETE that a connection is no longer wanted; takes two seconds at most and never fails. */
  readonly close: (ticket: Ticket.TicketValue, headers: Readonly<Record<string, string>>) => Effect.Effect<void>
}

/** Makes the requests of one channel. */
export const make = (options: Options, dialect: Refusal.Dialect): HttpChannel => {
  const exchange = options.exchange ?? fromFetch()
  const silence = Duration.toMillis(options.silence ?? "45 seconds")
  const headTimeout = options.headTimeout ?? "30 seconds"
  const backpressure = Backpressure.make()
  const { ticket } = options
  let lastAccepted: Ticket.TicketValue | undefined

  const accepted = (value: Ticket.TicketValue) => {
    lastAccepted = value
  }
  const inTime = Effect.timeoutFail({
    duration: headTimeout,
    onTimeout: () => new ConnectionLost({ description: "The channel's server does not answer", sent: true })
  })

  const open = (headers: Readonly<Record<string, string>>, link?: string) =>
    Effect.gen(function* () {
      const value = yield* ticket.current.pipe(Effect.mapError((error): Broken => ({ error })))
      if (link !== undefined && link !== value.link) return yield* Effect.fail<Broken>({ error: moved(), moved: true })
      const controller = yield* abortController
      const call = { method: "GET", headers: { Accept: "text/event-stream", ...headers } } as const
      const answer = yield* Http.exchange(exchange, value, call, controller).pipe(
        inTime,
        Effect.mapError((error): Broken =>
          error._tag === "ChannelRefused" ? { error, status: error.status, ticket: value } : { error }
        )
      )
      if (answer.status === 200) {
        accepted(value)
        return { answer, ticket: value }
      }
      const { status } = answer
      const mayBeFinal = status >= 400 && status < 500 && status !== 429
      const body = mayBeFinal ? yield* Refusal.readBody(answer.body) : ""
      answer.body.cancel()
      const opens = dialect === "SseTransport" ? dialect : undefined
      return yield* Effect.fail<Broken>({
        error: Refusal.make({ status, body, ticket: value, opens }),
        status,
        ticket: value,
        retryAfter: retryAfter(answer)
      })
    })

  return {
    exchange,
    ticket,
    maxSize: options.maxMessageSize ?? 32 * 1024 * 1024,
    headTimeout,
    backpressure,
    rateLimitWaits: RateLimitWaits.make(),
    accepted,
    inTime,
    open,
    read: ({ body }, newReader) => EventStream.make(body, newReader, { backpressure, silence }),
    close: (begun, headers) =>
      Effect.suspend(() => remove(exchange, lastAccepted?.link === begun.link ? lastAccepted : begun, headers))
  }
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

const abortController = Effect.acquireRelease(
  Effect.sync(() => new AbortController()),
  (controller) => Effect.sync(() => controller.abort())
)
