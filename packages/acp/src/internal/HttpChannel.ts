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
  /** The channel has another link now, at which nothing of this connection is known. */
  readonly moved?: true
}

/** One connection: where messages go, and what becomes of their answers. */
export interface Peer {
  readonly link: string
  /** The server takes a message that comes twice on this connection, by its id, once. */
  readonly idempotent: boolean
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
  /** Opens an event stream with the present ticket, only at `link` if it is given; gives it up with the scope. */
  readonly open: (
    headers: Readonly<Record<string, string>>,
    link?: string
  ) => Effect.Effect<{ readonly answer: HttpAnswer; readonly ticket: Ticket.TicketValue }, Broken, Scope.Scope>
  readonly read: (answer: HttpAnswer, reader: (text: string) => void) => Reading.Reading
  readonly post: (peer: Peer, message: JsonRpc.Message) => Effect.Effect<void, TransportError>
  /** Tells the server that a connection, begun with this ticket, is no longer wanted; takes two seconds at most and never fails. */
  readonly forget: (ticket: Ticket.TicketValue, headers: Readonly<Record<string, string>>) => Effect.Effect<void>
}

/** Makes the requests of one channel. */
export const make = (options: Options): HttpChannel => {
  const http = options.exchange ?? fromFetch()
  const silence = Duration.toMillis(options.silence ?? "45 seconds")
  const maxSize = options.maxMessageSize ?? 32 * 1024 * 1024
  const { ticket } = options
  const flow = Flow.make()
  /** The last ticket that was not refused. */
  let good: Ticket.TicketValue | undefined

  const headTimeout = options.headTimeout ?? "30 seconds"
  const inTime = Effect.timeoutFail({
    duration: headTimeout,
    onTimeout: () => new ConnectionLost({ description: "The channel's server does not answer", sent: true })
  })

  const open = (headers: Readonly<Record<string, string>>, link?: string) =>
    Effect.gen(function* () {
      const value = yield* ticket.current.pipe(Effect.mapError((error): Broken => ({ error })))
      if (link !== undefined && link !== value.link) {
        return yield* Effect.fail<Broken>({ error: elsewhere(), moved: true })
      }
      const controller = yield* abortController
      const call = { method: "GET", headers: { Accept: "text/event-stream", ...headers } } as const
      const answer = yield* Http.exchange(http, value, call, controller).pipe(
        inTime,
        Effect.mapError((error): Broken => ({ error }))
      )
      if (answer.status === 200) {
        good = value
        return { answer, ticket: value }
      }
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
  ): Effect.fn.Return<void, ConnectionLost | ChannelRefused | TokenRefused | Busy> {
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
    const exchanged = Http.exchange(http, value, call, controller)
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
    good = value
    const read = Http.text(body, maxSize, Duration.times(headTimeout, 4))
    const said = ok && JsonRpc.isRequest(message) ? read : inTime(read)
    if (ok && (status === 202 || status === 204 || !JsonRpc.isRequest(message))) {
      // It has arrived, and nothing waits for what else the server may say to it.
      yield* said.pipe(
        Effect.map((answered) => take(peer, message, answered)),
        Effect.catchAll((error) => Effect.logDebug("The answer to a message could not be read", error.message)),
        Effect.forkIn(peer.scope)
      )
      return
    }
    const answered = yield* said
    if (ok || messagesOf(answered)?.some((each) => JsonRpc.isResponse(each) && answers(each, message)) === true) {
      return take(peer, message, answered)
    }
    if (status === 404 || status === 409 || status === 410) {
      peer.lost(new ConnectionLost({ description: unknownConnection, sent: true }))
      return yield* new ConnectionLost({ description: unknownConnection, sent: false })
    }
    if (status === 429 || status === 503) {
      // Whatever stands before the server may say so after it has passed the message on.
      return yield* Effect.fail(busy)
    }
    if (status >= 500) {
      return yield* new ConnectionLost({ description: `The channel's server failed (${status})`, sent: true })
    }
    return yield* refusal(status)
  })

  const post = Effect.fnUntraced(function* (peer: Peer, message: JsonRpc.Message) {
    // What any of the attempts may have brought there counts as brought, whatever the last one says.
    let maybeSent = false
    const attempt = (value: Ticket.TicketValue) => {
      if (value.link !== peer.link) {
        peer.lost(elsewhere())
        return Effect.fail(elsewhere())
      }
      // Between two attempts the connection may have ended, and what waited for the answer with it.
      const gone = () => !peer.alive() && maybeSent
      return Effect.suspend(() => (gone() ? Effect.fail(ended()) : postOnce(peer, message, value))).pipe(
        Effect.tapError((error) =>
          Effect.sync(() => {
            if (error._tag === "Busy" || (error._tag === "ConnectionLost" && error.sent)) maybeSent = true
          })
        ),
        Effect.retry({
          schedule: sendAgain,
          while: (error) => peer.alive() && mayRepeat(message, error, peer.idempotent)
        }),
        Effect.catchTag("Busy", () =>
          Effect.fail(new ConnectionLost({ description: "The channel's server is busy", sent: true }))
        )
      )
    }
    yield* ticket.current.pipe(
      Effect.flatMap(attempt),
      Effect.catchTag("TokenRefused", (refused) =>
        ticket.renew(refused.ticket).pipe(
          Effect.flatMap(attempt),
          Effect.catchTag("TokenRefused", () => Effect.fail(refusal(401)))
        )
      ),
      Effect.mapError((error) =>
        maybeSent && !(error._tag === "ConnectionLost" && error.sent)
          ? new ConnectionLost({ description: error.message, sent: true, cause: error })
          : error
      )
    )
  })

  const forget = (begun: Ticket.TicketValue, headers: Readonly<Record<string, string>>) =>
    Effect.suspend(() => {
      const value = good?.link === begun.link ? good : begun
      const controller = new AbortController()
      // A timer of its own: this runs where nothing can be interrupted.
      const timer = setTimeout(() => controller.abort(), 2000)
      return Http.exchange(http, value, { method: "DELETE", headers }, controller).pipe(
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

interface Busy {
  readonly _tag: "Busy"
}

const busy: Busy = { _tag: "Busy" }

const ended = () => new ConnectionLost({ description: "The connection ended before the message was taken", sent: true })

const elsewhere = () =>
  new ConnectionLost({ description: "The channel has moved to another link; nothing was sent", sent: false })

const unknownConnection = "The server no longer knows this connection"

const abortController = Effect.acquireRelease(
  Effect.sync(() => new AbortController()),
  (controller) => Effect.sync(() => controller.abort())
)

const messagesOf = ({ text, whole }: Http.Text) => (!whole || text.trim() === "" ? undefined : JsonRpc.parse(text))

/** Gives on what a server said to a message; whoever waits for an answer that is too large must not wait for ever. */
const take = ({ receive }: Peer, message: JsonRpc.Message, answered: Http.Text) => {
  for (const each of messagesOf(answered) ?? []) receive({ _tag: "Message", message: each })
  if (answered.whole) return
  receive({ _tag: "Skipped", reason: "TooLarge", sample: answered.text.slice(0, 200) })
  if (!JsonRpc.isRequest(message)) return
  receive({ _tag: "Message", message: JsonRpc.failure(message.id, JsonRpc.RpcError.tooLarge()) })
}

const answers = (response: JsonRpc.Success | JsonRpc.Failure, message: JsonRpc.Message) =>
  "method" in message && "id" in message && response.id === message.id

const sendAgain = Schedule.exponential("500 millis").pipe(Schedule.intersect(Schedule.recurs(3)))

// What surely did not arrive may go again. So may an answer and a notification, which mean the same when they come
// twice, and at a busy server the introduction; a prompt must not, and a second load would tell everything twice.
const mayRepeat = (
  message: JsonRpc.Message,
  error: ConnectionLost | ChannelRefused | TokenRefused | Busy,
  idempotent: boolean
): boolean => {
  if (error._tag !== "ConnectionLost" && error._tag !== "Busy") return false
  if (!JsonRpc.isRequest(message) || idempotent) return true
  return error._tag === "Busy" ? message.method === "initialize" : !error.sent
}
