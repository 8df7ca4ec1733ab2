import * as Effect from "effect/Effect"
import { ChannelRefused, ConnectionLost } from "./AcpError.ts"
import { counted } from "./internal/Counted.ts"
import * as HttpChannel from "./internal/HttpChannel.ts"
import * as Recovery from "./internal/Recovery.ts"
import * as SseReader from "./internal/SseReader.ts"
import type * as JsonRpc from "./JsonRpc.ts"
import type { Inbound, Transport } from "./Transport.ts"

/** How a task's channel is reached. */
export interface Options extends HttpChannel.Options {}

/**
 * The ACP channel of a task (spec 4.13): one event stream in, one POST for each message out.
 *
 * It connects again by itself: on the same connection id when the server numbers its events, else on a new one,
 * which `Connected` calls fresh. A POST may be answered by nothing, JSON or an event stream; all of it is received.
 * Closing tells the server by DELETE; one that does not know that notices by itself.
 */
export const make = (options: Options): Transport => {
  const channel = HttpChannel.make(options)
  let live: HttpChannel.Peer | undefined

  /** Opens the stream and reads it until it breaks; fails in every case. */
  const connect = (progress: Progress, receive: (inbound: Inbound) => void) =>
    Effect.gen(function* () {
      const scope = yield* Effect.scope
      const { recovery, resume } = progress
      const { answer, ticket } = yield* channel.open(resumeHeaders(resume))
      const connectionId = answer.header("acp-connection-id")
      if (connectionId === undefined) {
        const description = "The channel's server names no Acp-Connection-Id"
        return yield* Effect.fail<HttpChannel.Broken>({ error: new ChannelRefused({ status: 200, description }) })
      }
      const fresh = resume === undefined || resume.connectionId !== connectionId
      if (fresh) progress.resume = undefined
      recovery.opened()

      let lastEventId: string | undefined
      let pieces = 0
      const listen = (onId?: (id: string) => void) => {
        const read = SseReader.make(channel.maxSize, {
          receive: (inbound) => {
            recovery.proved()
            receive(inbound)
          },
          ...(onId === undefined ? {} : { onId }),
          onRetry: recovery.atLeast
        })
        return (text: string) => {
          // A server that only greets and closes again does not count as a success.
          if (++pieces > 1) recovery.proved()
          read(text)
        }
      }
      const reading = channel.read(
        answer,
        listen((id) => {
          lastEventId = id
        })
      )
      const peer: HttpChannel.Peer = {
        link: ticket.link,
        idempotent: answer.header("acp-idempotent-posts") === "1",
        headers: () => ({ "Acp-Connection-Id": connectionId }),
        receive,
        answered: () => undefined,
        listen: () => listen(),
        lost: reading.lost,
        alive: () => live === peer,
        scope
      }
      live = peer
      yield* Effect.addFinalizer(() =>
        Effect.sync(() => {
          live = undefined
          if (lastEventId !== undefined) progress.resume = { connectionId, lastEventId }
        })
      )
      receive({ _tag: "Connected", fresh })
      return yield* reading.ended.pipe(
        Effect.onInterrupt(() => channel.forget(ticket, { "Acp-Connection-Id": connectionId }))
      )
    }).pipe(Effect.scoped)

  const run = (receive: (inbound: Inbound) => void) =>
    Effect.gen(function* () {
      const progress: Progress = { recovery: Recovery.make(options), resume: undefined }
      for (;;) {
        const broken = yield* Effect.flip(connect(progress, receive))
        const held = progress.resume === undefined ? undefined : { drop: () => (progress.resume = undefined) }
        const wait = yield* progress.recovery.next(broken, held)
        receive({ _tag: "Interrupted", error: broken.error })
        yield* Effect.sleep(wait)
      }
    })

  const send = Effect.fn("SseTransport.send")(function* (message: JsonRpc.Message) {
    // Bound to one connection: what belongs to an old one must not reach its successor.
    if (live === undefined) {
      return yield* new ConnectionLost({ description: "The channel is not connected at the moment", sent: false })
    }
    yield* channel.post(live, message)
  })

  return counted({ run, send, pause: channel.flow.pause, resume: channel.flow.resume })
}

/** What outlives one stream. */
interface Progress {
  readonly recovery: Recovery.Recovery
  resume: { readonly connectionId: string; readonly lastEventId: string } | undefined
}

const resumeHeaders = (resume: Progress["resume"]): Record<string, string> =>
  resume === undefined ? {} : { "Acp-Connection-Id": resume.connectionId, "Last-Event-ID": resume.lastEventId }
