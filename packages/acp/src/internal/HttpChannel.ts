import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import { ChannelRefused, ConnectionLost, type TransportError } from "../AcpError.ts"
import { fromFetch, type HttpAnswer, type HttpExchange } from "../HttpExchange.ts"
import * as JsonRpc from "../JsonRpc.ts"
import type * as Ticket from "../Ticket.ts"
import type { Inbound } from "../Transport.ts"
import * as Flow from "./Flow.ts"
import * as Http from "./Http.ts"
import * as Reading from "./Reading.ts"

/** How a channel over HTTP is reached, whatever its dialect. */
export interface Options {
  readonly ticket: Ticket.Ticket["Type"]
  /** A stream without a byte (heartbeats count) for this long is given up; 45 seconds without it. */
  readonly silence?: Duration.DurationInput
  /** How long a server may take to answer a request's head; 30 seconds without it. Four times that for a body. */
  readonly headTimeout?: Duration.DurationInput
  /** The first and the longest wait before connecting again; 250 ms and 30 seconds without it. */
  readonly backoff?: { readonly first: Duration.DurationInput; readonly longest: Duration.DurationInput }
  /** A larger message is skipped and reported; 32 Mi characters without it. */
  readonly maxMessageSize?: number
  /** What carries the requests; `fetch` without it. */
  readonly exchange?: HttpExchange
}

/** Why a stream does not open, or no longer is: `status` and `ticket` where a server answered. */
export interface Broken {
  readonly error: TransportError
  readonly status?: number
  readonly ticket?: Ticket.TicketValue
}

/** One connection: where messages go, and what becomes of their answers. */
export interface Peer {
  readonly link: string
  /** What each request carries besides its type and the token. */
  readonly headers: (message: JsonRpc.Message) => Readonly<Record<string, string>>
  readonly receive: (inbound: Inbound) => void
  /** Sees each answer at its head. */
  readonly answered: (answer: HttpAnswer, message: JsonRpc.Message) => void
  /** Makes a reader of an event stream that answers a message. */
  readonly listen: () => (text: string) => void
  readonly lost: (error: TransportError) => void
  readonly alive: () => boolean
  readonly scope: Scope.Scope
}

/** The requests of one channel over HTTP. */
export interface HttpChannel {
  readonly maxSize: number
  readonly flow: Flow.Flow
  /** Opens an event stream with the present ticket; gives it up with the scope. */
  readonly open: (
    headers: Readonly<Record<string, string>>
  ) => Effect.Effect<{ readonly answer: HttpAnswer; readonly ticket: Ticket.TicketValue }, Broken, Scope.Scope>
  readonly read: (answer: HttpAnswer, reader: (text: string) => void) => Reading.Reading
  readonly post: (peer: Peer, message: JsonRpc.Message) => Effect.Effect<void, TransportError>
  /** Tells the server that a connection is no longer wanted; takes two seconds at most and never fails. */
  readonly forget: (ticket: Ticket.TicketValue, headers: Readonly<Record<string, string>>) => Effect.Effect<void>
}

/** Makes the requests of one channel. */
export const make = (options: Options): HttpChannel => {
  const http = options.exchange ?? fromFetch()
  const silence = Duration.toMillis(options.silence ?? "45 seconds")
  const maxSize = options.maxMessageSize ?? 32 * 1024 * 1024
  const { ticket } = options
  const flow = Flow.make()

  const headTimeout = options.headTimeout ?? "30 seconds"
  const inTime = Effect.timeoutFail({
    duration: headTimeout,
    onTimeout: () => new ConnectionLost({ description: "The channel's server does not answer", sent: true })
  })

  const open = (headers: Readonly<Record<string, string>>) =>
    Effect.gen(function* () {
      const value = yield* ticket.current.pipe(Effect.mapError((error): Broken => ({ error })))
      const controller = yield* abortController
      const call = { method: "GET", headers: { Accept: "text/event-stream", ...headers } } as const
      const answer = yield* Http.exchange(http, value, value.link, call, controller).pipe(
        inTime,
        Effect.mapError((error): Broken => ({ error }))
      )
      if (answer.status === 200) return { answer, ticket: value }
      answer.body.cancel()
      return yield* Effect.fail<Broken>({ error: refusal(answer.status), status: answer.status, ticket: value })
    })

  const pump = (answer: HttpAnswer, feed: (text: string) => void) =>
    Effect.suspend(() => {
      const leave = flow.add(answer.body)
      return Http.pump(answer.body, feed).pipe(Effect.ensuring(Effect.sync(leave)))
    })

  const read = ({ body }: HttpAnswer, reader: (text: string) => void) => Reading.make(body, reader, { flow, silence })

  const postOnce = Effect.fn("HttpChannel.post")(function* (
    peer: Peer,
    message: JsonRpc.Message,
    value: Ticket.TicketValue
  ): Effect.fn.Return<void, ConnectionLost | ChannelRefused | TokenRefused> {
    const controller = new AbortController()
    const call = {
      method: "POST",
      headers: {
        Accept: "application/json, text/event-stream",
        "Content-Type": "application/json",
        ...peer.headers(message)
      },
      body: JSON.stringify(message)
    } as const
    const exchanged = Http.exchange(http, value, peer.link, call, controller)
    // A server may hold its answer to a call until the call is done; a dead one is noticed by its silent stream.
    const answer = yield* JsonRpc.isRequest(message) ? exchanged : inTime(exchanged)
    const { body, status } = answer
    peer.answered(answer, message)
    const ok = status >= 200 && status < 300
    if (ok && answer.header("content-type")?.startsWith("text/event-stream") === true) {
      // Such an answer lasts as long as the call; losing it means losing messages, so the channel is opened anew.
      yield* pump(answer, peer.listen()).pipe(
        Effect.catchAll((error) => Effect.sync(() => peer.lost(error))),
        Effect.ensuring(Effect.sync(() => controller.abort())),
        Effect.forkIn(peer.scope)
      )
      return
    }
    if (status === 401) {
      body.cancel()
      return yield* Effect.fail<TokenRefused>({ _tag: "TokenRefused", ticket: value })
    }
    const read = Http.text(body, maxSize, Duration.times(headTimeout, 4))
    const text = yield* JsonRpc.isRequest(message) ? read : inTime(read)
    const messages = text === undefined || text.trim() === "" ? undefined : JsonRpc.parse(text)
    if (ok || messages?.some((each) => JsonRpc.isResponse(each) && answers(each, message)) === true) {
      if (text === undefined) peer.receive({ _tag: "Skipped", reason: "TooLarge", sample: "" })
      for (const each of messages ?? []) peer.receive({ _tag: "Message", message: each })
      return
    }
    if (status === 404 || status === 409 || status === 410) {
      peer.lost(new ConnectionLost({ description: unknownConnection, sent: true }))
      return yield* new ConnectionLost({ description: unknownConnection, sent: false })
    }
    if (status === 429 || status === 503) {
      return yield* new ConnectionLost({ description: "The channel's server is busy", sent: false })
    }
    if (status >= 500) {
      return yield* new ConnectionLost({ description: `The channel's server failed (${status})`, sent: true })
    }
    return yield* refusal(status)
  })

  const post = Effect.fnUntraced(function* (peer: Peer, message: JsonRpc.Message) {
    const attempt = (value: Ticket.TicketValue) =>
      postOnce(peer, message, value).pipe(
        Effect.retry({
          schedule: sendAgain,
          while: (error) => error._tag === "ConnectionLost" && peer.alive() && mayRepeat(message, error)
        })
      )
    const refused = yield* ticket.current.pipe(
      Effect.flatMap(attempt),
      Effect.as(undefined),
      Effect.catchTag("TokenRefused", (error) => Effect.succeed(error))
    )
    if (refused === undefined) return
    yield* ticket.renew(refused.ticket).pipe(
      Effect.flatMap(attempt),
      Effect.catchTag("TokenRefused", () => Effect.fail(refusal(401)))
    )
  })

  const forget = (value: Ticket.TicketValue, headers: Readonly<Record<string, string>>) =>
    Effect.suspend(() => {
      const controller = new AbortController()
      // A timer of its own: this runs where nothing can be interrupted.
      const timer = setTimeout(() => controller.abort(), 2000)
      return Http.exchange(http, value, value.link, { method: "DELETE", headers }, controller).pipe(
        Effect.map(({ body }) => body.cancel()),
        // The server forgets an abandoned connection by itself, only later.
        Effect.catchAll((error) => Effect.logDebug("A channel could not be closed", error.message)),
        Effect.ensuring(Effect.sync(() => clearTimeout(timer)))
      )
    })

  return { maxSize, flow, open, read, post, forget }
}

/** Says that the server refuses for good. */
export const refusal = (status: number): ChannelRefused =>
  new ChannelRefused({ status, description: `The channel's server refuses with status ${status}` })

interface TokenRefused {
  readonly _tag: "TokenRefused"
  readonly ticket: Ticket.TicketValue
}

const unknownConnection = "The server no longer knows this connection"

const abortController = Effect.acquireRelease(
  Effect.sync(() => new AbortController()),
  (controller) => Effect.sync(() => controller.abort())
)

const answers = (response: JsonRpc.Success | JsonRpc.Failure, message: JsonRpc.Message) =>
  "method" in message && "id" in message && response.id === message.id

const sendAgain = Schedule.exponential("500 millis").pipe(Schedule.intersect(Schedule.recurs(3)))

// What surely did not arrive may go again, and an answer too: the server takes the first one.
const mayRepeat = (message: JsonRpc.Message, error: ConnectionLost) => !error.sent || JsonRpc.isResponse(message)
