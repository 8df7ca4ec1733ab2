import * as RetryPolicy from "@heddle/core/RetryPolicy"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import { type ChannelRefused, ConnectionLost, type TransportError } from "../../AcpError.ts"
import type { HttpResponse } from "../../HttpExchange.ts"
import * as JsonRpc from "../../JsonRpc.ts"
import type * as Ticket from "../../Ticket.ts"
import type { Inbound } from "../../Transport.ts"
import * as Retries from "../Retries.ts"
import * as Http from "./Http.ts"
import { type HttpChannel, moved, retryAfter } from "./HttpChannel.ts"
import * as Refusal from "./Refusal.ts"
import type { SseReader } from "./SseReader.ts"

/** One connection: where messages are posted, and what becomes of their responses. */
export interface Peer {
  readonly link: string
  /** The server takes a message that comes twice on this connection, by its id, once. */
  readonly idempotent: boolean
  readonly scope: Scope.Scope
  /** The headers of a message besides its type and the token. */
  headers(message: JsonRpc.Message): Readonly<Record<string, string>>
  receive(inbound: Inbound): void
  /** Whether a message makes the connection, which therefore cannot be unknown to the server. */
  opens(message: JsonRpc.Message): boolean
  /** Sees each response at its head. */
  onResponse(answer: HttpResponse, message: JsonRpc.Message): void
  /** Makes a reader for an event stream that answers a message. */
  newReader(): SseReader
  abort(error: TransportError): void
  isAlive(): boolean
}

/** Posts a message on a connection, again where that is safe and while the message is wanted. */
export const post = Effect.fnUntraced(function* (
  channel: HttpChannel,
  peer: Peer,
  message: JsonRpc.Message,
  isWanted: () => boolean = () => true
) {
  const { ticket } = channel
  // What one attempt may have delivered counts as delivered, whatever the last attempt says.
  let maybeSent = false
  const attempt = (value: Ticket.TicketValue) => {
    if (value.link !== peer.link) {
      peer.abort(moved())
      return Effect.fail(moved())
    }
    const postIfWanted = Effect.suspend(() => {
      // During a wait the connection may have ended, and what waited for the response with it.
      if (!peer.isAlive()) return Effect.fail(ended())
      return isWanted() ? postOnce(channel, peer, message, value) : Effect.fail(unwanted())
    }).pipe(
      Effect.tapError((error) =>
        asksToWait(error) ? channel.rateLimitWaits.begin(value.link, message, error.retryAfter) : Effect.void
      )
    )
    return Effect.zipRight(channel.rateLimitWaits.awaitEnd(value.link, message), postIfWanted).pipe(
      RetryPolicy.retryIf(
        isRateLimited,
        Schedule.whileInput(RetryPolicy.busyBackoff, () => peer.isAlive() && isWanted())
      ),
      Effect.tapError((error) =>
        Effect.sync(() => {
          if (error._tag === "Busy" || (error._tag === "ConnectionLost" && error.sent)) maybeSent = true
        })
      ),
      Effect.retry({
        schedule: Retries.post,
        while: (error) => peer.isAlive() && isWanted() && mayRepeat(message, error, peer.idempotent)
      }),
      Effect.catchTags({
        Busy: ({ retryAfter }) =>
          Effect.fail(new ConnectionLost({ description: "The channel's server is busy", sent: true, retryAfter })),
        RateLimited: (busy) =>
          Effect.fail(
            new ConnectionLost({
              description: "The channel's server takes no more messages for now",
              sent: false,
              retryAfter: Duration.toSeconds(RetryPolicy.waitAfter(1, busy))
            })
          )
      })
    )
  }
  yield* ticket.current.pipe(
    Effect.flatMap(attempt),
    Effect.catchTag("TokenRefused", (refused) =>
      ticket.renew(refused.ticket).pipe(
        Effect.flatMap(attempt),
        Effect.catchTag("TokenRefused", ({ error }) => Effect.fail(error))
      )
    ),
    Effect.mapError((error) =>
      maybeSent && !(error._tag === "ConnectionLost" && error.sent)
        ? new ConnectionLost({ description: error.message, sent: true, ...retryAfterOf(error), cause: error })
        : error
    )
  )
})

const postOnce = Effect.fn("HttpPost.postOnce")(function* (
  channel: HttpChannel,
  peer: Peer,
  message: JsonRpc.Message,
  value: Ticket.TicketValue
): Effect.fn.Return<void, PostError> {
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
  const exchanged = Http.exchange(channel.exchange, value, call, controller)
  // A server may hold its response until the call is done.
  const answer = yield* JsonRpc.isRequest(message) ? exchanged : channel.inTime(exchanged)
  const { body, status } = answer
  peer.onResponse(answer, message)
  const ok = status >= 200 && status < 300
  if (ok && answer.header("content-type")?.startsWith("text/event-stream") === true) {
    yield* Effect.forkIn(readStream(channel, peer, answer, controller), peer.scope)
    return
  }
  if (status === 401) {
    const error = Refusal.make({ status, body: yield* Refusal.readBody(body), ticket: value })
    body.cancel()
    return yield* Effect.fail<TokenRefused>({ _tag: "TokenRefused", ticket: value, error })
  }
  channel.accepted(value)
  const text = Http.readText(body, channel.maxSize, Duration.times(channel.headTimeout, 4))
  const read = ok && JsonRpc.isRequest(message) ? text : channel.inTime(text)
  if (ok && (status === 202 || status === 204 || !JsonRpc.isRequest(message))) {
    // It has arrived, and nothing waits for what else the server may say to it.
    yield* read.pipe(
      Effect.map((response) => receiveAll(peer, message, response)),
      Effect.catchAll((error) => Effect.logDebug("The answer to a message could not be read", error.message)),
      Effect.forkIn(peer.scope)
    )
    return
  }
  const response = yield* read
  if (ok && isCutOff(response)) {
    return yield* new ConnectionLost({ description: "The answer of the channel's server is cut off", sent: true })
  }
  if (ok || hasResponse(response, message)) return receiveAll(peer, message, response)
  return yield* refused(peer, message, answer, response.text, value)
})

/** A response as long as the call. Losing it means losing messages, so the channel is opened anew. */
const readStream = (channel: HttpChannel, peer: Peer, { body }: HttpResponse, controller: AbortController) =>
  Effect.suspend(() => {
    channel.backpressure.add(body)
    const reader = peer.newReader()
    return Http.pump(body, (text) => reader.read(text)).pipe(
      Effect.ensuring(Effect.sync(() => channel.backpressure.remove(body))),
      Effect.catchAll((error) => Effect.sync(() => peer.abort(error))),
      Effect.ensuring(Effect.sync(() => controller.abort()))
    )
  })

/** What a status without a JSON-RPC response says. */
const refused = (
  peer: Peer,
  message: JsonRpc.Message,
  answer: HttpResponse,
  body: string,
  ticket: Ticket.TicketValue
): Effect.Effect<never, PostError> => {
  const { status } = answer
  const opens = peer.opens(message)
  const error = Refusal.make({ status, body, ticket, opens: opens ? "StreamableHttpTransport" : undefined })
  // The link may have moved.
  if (opens && (status === 404 || status === 410))
    return Effect.fail<TokenRefused>({ _tag: "TokenRefused", ticket, error })
  if (opens && status === 409) return Effect.fail(error)
  if (status === 404 || status === 409 || status === 410) return unknownConnection(peer, message)
  const seconds = retryAfter(answer)
  if (status === 429) return Effect.fail<Retries.RateLimited>({ _tag: "RateLimited", retryAfter: seconds })
  // A proxy may say so after it has passed the message on.
  if (status === 503) return Effect.fail<Busy>({ _tag: "Busy", retryAfter: seconds })
  const description = `The channel's server failed (${status})`
  return Effect.fail(status >= 500 ? new ConnectionLost({ description, sent: true, retryAfter: seconds }) : error)
}

/** The server does not know the connection. Where its stream is open, it may have acted before it said so. */
const unknownConnection = Effect.fnUntraced(function* (peer: Peer, message: JsonRpc.Message) {
  const description = "The server no longer knows this connection"
  const isCall = JsonRpc.isRequest(message)
  if (isCall) yield* Effect.sleep(streamEndDelay)
  const mayHaveActed = isCall && peer.isAlive()
  peer.abort(new ConnectionLost({ description, sent: true }))
  return yield* new ConnectionLost({ description, sent: mayHaveActed, reconnecting: true })
})

/** By how much the end of a stream may come after a response that the server sent later. */
const streamEndDelay = "200 millis"

type PostError = ConnectionLost | ChannelRefused | TokenRefused | Busy | Retries.RateLimited

interface TokenRefused {
  readonly _tag: "TokenRefused"
  readonly ticket: Ticket.TicketValue
  /** What the message fails with if a fresh ticket does not help. */
  readonly error: ChannelRefused
}

interface Busy {
  readonly _tag: "Busy"
  /** The seconds to wait, as the server says. */
  readonly retryAfter: number | undefined
}

const isRateLimited = (error: PostError): error is Retries.RateLimited => error._tag === "RateLimited"

/** Whether the server wants such a message later; a 429 without `Retry-After` means a second. */
const asksToWait = (error: PostError): error is Extract<PostError, { readonly retryAfter?: unknown }> =>
  isRateLimited(error) || ("retryAfter" in error && error.retryAfter !== undefined)

const retryAfterOf = (error: TransportError): { readonly retryAfter?: number | undefined } =>
  "retryAfter" in error ? { retryAfter: error.retryAfter } : {}

const unwanted = () => new ConnectionLost({ description: "The message is no longer wanted", sent: false })

const ended = () =>
  new ConnectionLost({
    description: "The connection ended before the message was taken",
    sent: false,
    reconnecting: true
  })

const messagesOf = ({ complete, text }: Http.BodyText) =>
  !complete || text.trim() === "" ? undefined : JsonRpc.parse(text)

/** Whether a body begins as JSON and is none. */
const isCutOff = ({ complete, text }: Http.BodyText): boolean => {
  if (!complete || !/^\s*[{[]/.test(text)) return false
  try {
    JSON.parse(text)
    return false
  } catch {
    // The reason says less than the fact.
    return true
  }
}

const hasResponse = (response: Http.BodyText, message: JsonRpc.Message): boolean =>
  JsonRpc.isRequest(message) &&
  messagesOf(response)?.some((each) => JsonRpc.isResponse(each) && JsonRpc.isResponseTo(each, message.id)) === true

/** Receives the messages of a response. One that is too large to be read becomes a failure, so that its call ends. */
const receiveAll = (peer: Peer, message: JsonRpc.Message, response: Http.BodyText) => {
  for (const each of messagesOf(response) ?? []) peer.receive({ _tag: "Message", message: each })
  if (response.complete) return
  peer.receive({ _tag: "Skipped", reason: "TooLarge", sample: response.text.slice(0, 200) })
  if (!JsonRpc.isRequest(message)) return
  peer.receive({ _tag: "Message", message: JsonRpc.failure(message.id, JsonRpc.RpcError.tooLarge()) })
}

// What surely did not arrive may go again. So may an answer and a notification, which mean the same when they come
// twice, and `initialize` at a busy server. A prompt must not, and a second load would replay everything twice. A
// connection that the server no longer knows takes nothing.
const mayRepeat = (message: JsonRpc.Message, error: PostError, idempotent: boolean): boolean => {
  if (error._tag !== "ConnectionLost" && error._tag !== "Busy") return false
  if (error._tag === "ConnectionLost" && error.reconnecting === true) return false
  if (!JsonRpc.isRequest(message) || idempotent) return true
  return error._tag === "Busy" ? message.method === "initialize" : !error.sent
}
