import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Random from "effect/Random"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import { ChannelRefused, ConnectionLost, type TransportError } from "./AcpError.ts"
import * as Http from "./internal/Http.ts"
import * as SseReader from "./internal/SseReader.ts"
import * as JsonRpc from "./JsonRpc.ts"
import * as Ticket from "./Ticket.ts"
import type { Inbound, Transport } from "./Transport.ts"

/** How a task's channel is reached. */
export interface Options {
  readonly ticket: Ticket.Ticket["Type"]
  /** A stream without a byte (heartbeats count) for this long is given up; 45 seconds without it. */
  readonly silence?: Duration.DurationInput
  /** How long a server may take to answer a request's head; 30 seconds without it. */
  readonly headTimeout?: Duration.DurationInput
  /** The first and the longest wait before connecting again; 250 ms and 30 seconds without it. */
  readonly backoff?: { readonly first: Duration.DurationInput; readonly longest: Duration.DurationInput }
  /** A larger message is skipped and reported; 32 Mi characters without it. */
  readonly maxMessageSize?: number
  readonly fetch?: typeof globalThis.fetch
}

/**
 * The ACP channel of a task (spec 4.13): one event stream in, one POST for each message out.
 *
 * It connects again by itself: on the same connection id when the server numbers its events, else on a new one,
 * which `Connected` calls fresh. A POST may be answered by nothing, JSON or an event stream; all of it is received.
 */
export const make = (options: Options): Transport => {
  const fetch = options.fetch ?? globalThis.fetch
  const silence = Duration.toMillis(options.silence ?? "45 seconds")
  const headTimeout = options.headTimeout ?? "30 seconds"
  const firstWait = Duration.toMillis(options.backoff?.first ?? "250 millis")
  const longestWait = Duration.toMillis(options.backoff?.longest ?? "30 seconds")
  const maxSize = options.maxMessageSize ?? 32 * 1024 * 1024
  const { ticket } = options
  let live: Live | undefined

  const exchangeInTime = (...exchange: Parameters<typeof Http.exchange>) =>
    Http.exchange(...exchange).pipe(
      Effect.timeoutFail({
        duration: headTimeout,
        onTimeout: () => new ConnectionLost({ description: "The channel's server does not answer", sent: true })
      })
    )

  /** Opens the stream and reads it until it breaks; fails in every case. */
  const connect = (progress: Progress, receive: (inbound: Inbound) => void) =>
    Effect.gen(function* () {
      const value = yield* ticket.current.pipe(Effect.mapError((error): Broken => ({ error })))
      const controller = yield* abortController
      const scope = yield* Effect.scope
      const { resume } = progress
      const response = yield* exchangeInTime(
        fetch,
        value,
        value.link,
        { method: "GET", headers: { Accept: "text/event-stream", ...resumeHeaders(resume) } },
        controller
      ).pipe(Effect.mapError((error): Broken => ({ error })))
      if (response.status !== 200) {
        yield* Http.discard(response.body)
        return yield* Effect.fail<Broken>({ error: refusal(response.status), status: response.status, ticket: value })
      }
      const connectionId = response.headers.get("Acp-Connection-Id")
      if (connectionId === null || response.body === null) {
        const description = "The channel's server names no Acp-Connection-Id"
        return yield* Effect.fail<Broken>({ error: new ChannelRefused({ status: 200, description }) })
      }
      const fresh = resume === undefined || resume.connectionId !== connectionId
      if (fresh) progress.resume = undefined
      progress.refused = 0

      const broken = yield* Deferred.make<never, Broken>()
      const lost = (error: TransportError) => Deferred.unsafeDone(broken, Effect.fail<Broken>({ error }))
      let beats = 0
      const listen = (onId?: (id: string) => void) => {
        const read = SseReader.make(maxSize, {
          receive: (inbound) => {
            progress.attempts = 0
            receive(inbound)
          },
          ...(onId === undefined ? {} : { onId }),
          onRetry: (millis) => {
            progress.shortest = Math.min(millis, longestWait)
          }
        })
        return (text: string) => {
          // A server that only greets and closes again does not count as a success.
          if (++beats > 1) progress.attempts = 0
          read(text)
        }
      }
      live = { connectionId, link: value.link, lost, receive, listen: () => listen(), scope }
      yield* Effect.addFinalizer(() =>
        Effect.sync(() => {
          live = undefined
        })
      )
      receive({ _tag: "Connected", fresh })

      const watchdog = Effect.gen(function* () {
        let quiet = 0
        for (;;) {
          const before = beats
          yield* Effect.sleep(silence / 3)
          quiet = beats === before ? quiet + 1 : 0
          if (quiet === 3) {
            const description = "The channel is silent: its server or the way to it is gone"
            return yield* Effect.fail<Broken>({ error: new ConnectionLost({ description, sent: true }) })
          }
        }
      })
      const read = Http.pump(
        response.body,
        listen((lastEventId) => {
          progress.resume = { connectionId, lastEventId }
        })
      ).pipe(
        Effect.mapError((error): Broken => ({ error })),
        Effect.andThen(
          Effect.fail<Broken>({
            error: new ConnectionLost({ description: "The server closed the channel", sent: true })
          })
        )
      )
      return yield* read.pipe(Effect.raceFirst(watchdog), Effect.raceFirst(Deferred.await(broken)))
    }).pipe(Effect.scoped)

  /** Decides what follows a broken stream: the wait before the next try, or the error that ends the channel. */
  const next = Effect.fn("SseTransport.next")(function* (progress: Progress, broken: Broken) {
    const { error, status } = broken
    if (error._tag === "TicketError" && error.gone) return yield* error
    if (error._tag === "ChannelRefused" && broken.ticket === undefined) return yield* error
    if (status === 409 && progress.resume !== undefined && progress.conflicts < 8) {
      // The server still holds the old socket of this connection.
      progress.conflicts++
      return 250
    }
    progress.conflicts = 0
    // Only refusals in a row tell that a fresh ticket does not help.
    if (broken.ticket === undefined || (status ?? 0) >= 500) progress.refused = 0
    if (status !== undefined && status !== 401 && status < 500 && progress.resume !== undefined) {
      progress.resume = undefined
      return 0
    }
    if (broken.ticket !== undefined && (status === 401 || status === 403 || status === 404 || status === 410)) {
      // The link moves and the token ends: only when a fresh ticket is refused, too, is the answer final.
      if (progress.refused >= 2) return yield* error
      const renewed = yield* Effect.either(ticket.renew(broken.ticket))
      if (Either.isLeft(renewed)) {
        if (renewed.left.gone) return yield* renewed.left
      } else {
        progress.refused++
        if (!Ticket.same(renewed.right, broken.ticket)) return 0
        if (status !== 401) return yield* error
      }
    } else if (error._tag === "ChannelRefused" && status !== 409 && status !== 429 && (status ?? 0) < 500) {
      return yield* error
    }
    const wait = Math.min(longestWait, firstWait * 2 ** progress.attempts++)
    const jitter = yield* Random.nextRange(0.75, 1.25)
    return Math.max(wait * jitter, progress.shortest)
  })

  const run = (receive: (inbound: Inbound) => void) =>
    Effect.gen(function* () {
      const progress: Progress = { attempts: 0, refused: 0, conflicts: 0, shortest: 0, resume: undefined }
      for (;;) {
        const broken = yield* Effect.flip(connect(progress, receive))
        const wait = yield* next(progress, broken)
        receive({ _tag: "Interrupted", error: broken.error })
        yield* Effect.sleep(wait)
      }
    })

  const post = Effect.fn("SseTransport.post")(function* (
    channel: Live,
    message: JsonRpc.Message,
    value: Ticket.TicketValue
  ): Effect.fn.Return<void, ConnectionLost | ChannelRefused | TokenRefused> {
    const controller = new AbortController()
    // A server may hold its answer to a call until the call is done; a dead one is noticed by its silent stream.
    const limited = JsonRpc.isRequest(message) ? Http.exchange : exchangeInTime
    const response = yield* limited(
      fetch,
      value,
      channel.link,
      {
        method: "POST",
        headers: {
          Accept: "application/json, text/event-stream",
          "Content-Type": "application/json",
          "Acp-Connection-Id": channel.connectionId
        },
        body: JSON.stringify(message)
      },
      controller
    )
    const type = response.headers.get("Content-Type") ?? ""
    if (response.ok && type.startsWith("text/event-stream") && response.body !== null) {
      // Such an answer lasts as long as the call; losing it means losing messages, so the channel is opened anew.
      yield* Http.pump(response.body, channel.listen()).pipe(
        Effect.catchAll((error) => Effect.sync(() => channel.lost(error))),
        Effect.ensuring(Effect.sync(() => controller.abort())),
        Effect.forkIn(channel.scope)
      )
      return
    }
    if (response.status === 401) {
      yield* Http.discard(response.body)
      return yield* Effect.fail<TokenRefused>({ _tag: "TokenRefused", ticket: value })
    }
    const body = yield* Http.text(response.body, maxSize)
    const messages = body === undefined || body.trim() === "" ? undefined : JsonRpc.parse(body)
    if (response.ok || messages?.some((each) => JsonRpc.isResponse(each) && answers(each, message)) === true) {
      if (body === undefined) channel.receive({ _tag: "Skipped", reason: "TooLarge", sample: "" })
      for (const each of messages ?? []) channel.receive({ _tag: "Message", message: each })
      return
    }
    if (response.status === 404 || response.status === 409 || response.status === 410) {
      const description = "The server no longer knows this connection"
      channel.lost(new ConnectionLost({ description, sent: true }))
      return yield* new ConnectionLost({ description, sent: false })
    }
    if (response.status === 429 || response.status === 503) {
      return yield* new ConnectionLost({ description: "The channel's server is busy", sent: false })
    }
    if (response.status >= 500) {
      return yield* new ConnectionLost({ description: `The channel's server failed (${response.status})`, sent: true })
    }
    return yield* refusal(response.status)
  })

  const send = Effect.fn("SseTransport.send")(function* (message: JsonRpc.Message) {
    // Bound to one connection: what belongs to an old one must not reach its successor.
    const channel = live
    if (channel === undefined) {
      return yield* new ConnectionLost({ description: "The channel is not connected at the moment", sent: false })
    }
    const attempt = (value: Ticket.TicketValue) =>
      post(channel, message, value).pipe(
        Effect.retry({
          schedule: sendAgain,
          while: (error) => error._tag === "ConnectionLost" && live === channel && mayRepeat(message, error)
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

  return { run, send }
}

interface Live {
  readonly connectionId: string
  readonly link: string
  readonly scope: Scope.Scope
  readonly lost: (error: TransportError) => void
  readonly receive: (inbound: Inbound) => void
  readonly listen: () => (text: string) => void
}

/** What outlives one stream. */
interface Progress {
  attempts: number
  refused: number
  conflicts: number
  shortest: number
  resume: { readonly connectionId: string; readonly lastEventId: string } | undefined
}

interface Broken {
  readonly error: TransportError
  readonly status?: number
  readonly ticket?: Ticket.TicketValue
}

interface TokenRefused {
  readonly _tag: "TokenRefused"
  readonly ticket: Ticket.TicketValue
}

const abortController = Effect.acquireRelease(
  Effect.sync(() => new AbortController()),
  (controller) => Effect.sync(() => controller.abort())
)

const refusal = (status: number) =>
  new ChannelRefused({ status, description: `The channel's server refuses with status ${status}` })

const resumeHeaders = (resume: Progress["resume"]): Record<string, string> =>
  resume === undefined ? {} : { "Acp-Connection-Id": resume.connectionId, "Last-Event-ID": resume.lastEventId }

const answers = (response: JsonRpc.Success | JsonRpc.Failure, message: JsonRpc.Message) =>
  "method" in message && "id" in message && response.id === message.id

const sendAgain = Schedule.exponential("500 millis").pipe(Schedule.intersect(Schedule.recurs(3)))

// What surely did not arrive may go again, and an answer too: the server takes the first one.
const mayRepeat = (message: JsonRpc.Message, error: ConnectionLost) => !error.sent || JsonRpc.isResponse(message)
