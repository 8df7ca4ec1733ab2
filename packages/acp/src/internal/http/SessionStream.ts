import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { ConnectionLost } from "../../AcpError.ts"
import type { TicketValue } from "../../Ticket.ts"
import type { Inbound } from "../../Transport.ts"
import type { Cookies } from "./Cookies.ts"
import { EventStream } from "./EventStream.ts"
import type { Broken, HttpChannel, Options } from "./HttpChannel.ts"
import { ReconnectPolicy } from "./ReconnectPolicy.ts"
import { SseReader } from "./SseReader.ts"

/** What a stream needs of its connection. */
export interface StreamConnection {
  readonly channel: HttpChannel
  readonly options: Options
  readonly ticket: TicketValue
  readonly cookies: Cookies
  readonly headers: (sessionId: string | undefined) => Readonly<Record<string, string>>
  readonly receive: (inbound: Inbound, sessionId: string | undefined) => void
  /** A stream brought something: the backoff of connections starts over. */
  readonly progressed: () => void
  readonly abort: (reason: Broken) => void
}

/**
 * Reads the stream of a session, or without one of the connection, for as long as the connection lasts. `opened` is done
 * at its first head.
 *
 * A stream that its server ended, or that numbers its events, is opened again. Any other break may have lost something
 * and ends the connection.
 */
export const follow = (connection: StreamConnection, sessionId: string | undefined, opened: Deferred.Deferred<void>) =>
  Effect.gen(function* () {
    const { abort, channel, cookies, headers, options, ticket } = connection
    const policy = new ReconnectPolicy(options)
    let lastEventId: string | undefined
    let discarded = false
    const once = Effect.gen(function* () {
      const controller = yield* abortController
      const { answer } = yield* channel.open(
        { ...headers(sessionId), ...(lastEventId === undefined ? {} : { "Last-Event-ID": lastEventId }) },
        controller,
        ticket.link
      )
      cookies.keep(answer.cookies)
      policy.opened()
      Deferred.unsafeDone(opened, Effect.void)
      const stream = new EventStream(channel, answer.body)
      yield* Effect.addFinalizer(() => Effect.sync(() => stream.close()))
      const reader = new SseReader(channel.maxSize, {
        onInbound: (inbound) => {
          policy.progressed()
          connection.progressed()
          connection.receive(inbound, sessionId)
        },
        onId: (id) => {
          lastEventId = id
        },
        onRetry: (millis) => policy.setMinimum(millis),
        onHeartbeat: () => stream.onHeartbeat()
      })
      return yield* stream.ended((text) => reader.read(text))
    }).pipe(Effect.scoped)
    for (;;) {
      const broken = yield* Effect.flip(once)
      if ("moved" in broken) return abort(broken)
      if ("clean" in broken && !broken.clean && lastEventId === undefined) return abort(broken)
      const wait = yield* policy.next(broken, {
        discard: () => {
          discarded = true
        }
      })
      if (discarded) return abort({ error: unknownConnection })
      yield* Effect.sleep(wait)
    }
  }).pipe(Effect.catchAll((error) => Effect.sync(() => connection.abort({ error }))))

const abortController = Effect.acquireRelease(
  Effect.sync(() => new AbortController()),
  (controller) => Effect.sync(() => controller.abort())
)

const unknownConnection = new ConnectionLost({
  description: "The agent's server no longer knows this connection",
  sent: true
})
