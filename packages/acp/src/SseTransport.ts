import * as Effect from "effect/Effect"
import * as Scope from "effect/Scope"
import { ChannelRefused, ConnectionLost } from "./AcpError.ts"
import * as HttpChannel from "./internal/http/HttpChannel.ts"
import * as HttpPost from "./internal/http/HttpPost.ts"
import * as ReconnectPolicy from "./internal/http/ReconnectPolicy.ts"
import * as SseReader from "./internal/http/SseReader.ts"
import { withMetrics } from "./internal/WithMetrics.ts"
import type * as JsonRpc from "./JsonRpc.ts"
import type { Inbound, Transport } from "./Transport.ts"

/** How a task's channel is reached. */
export interface Options extends HttpChannel.Options {}

/**
 * The ACP channel of a task (contract 4.13): one event stream in, one POST for each message out.
 *
 * It reconnects by itself: on the same connection id when the server numbers its events, else on a new connection, for
 * which `Connected` is fresh. A POST may be answered by nothing, JSON or an event stream; all of it is received.
 * Closing sends DELETE; a server without that notices the end by itself.
 */
export const make = (options: Options): Transport => {
  const channel = HttpChannel.make(options, "SseTransport")
  const progress: Progress = { policy: ReconnectPolicy.make(options), resume: undefined }
  let live: LiveConnection | undefined

  const run = (receive: (inbound: Inbound) => void) =>
    Effect.gen(function* () {
      const setLive = (connection: LiveConnection | undefined) => {
        live = connection
      }
      for (;;) {
        const broken = yield* Effect.flip(connect(channel, progress, receive, setLive))
        const resumable = progress.resume === undefined ? undefined : { discard: () => (progress.resume = undefined) }
        const wait = yield* progress.policy.next(broken, resumable)
        receive({ _tag: "Interrupted", error: broken.error })
        yield* Effect.sleep(wait)
      }
    })

  const send = (message: JsonRpc.Message, isWanted?: () => boolean) =>
    // Bound to one connection: a message for an old one must not reach its successor.
    Effect.suspend(() =>
      live === undefined ? Effect.fail(notConnected()) : HttpPost.post(channel, live.peer, message, isWanted)
    ).pipe(Effect.withSpan("SseTransport.send"))

  const reconnect = (reason: ConnectionLost) => {
    progress.resume = undefined
    live?.abandon(reason)
  }

  return withMetrics({ run, send, reconnect, pause: channel.backpressure.pause, resume: channel.backpressure.resume })
}

/** Opens the stream and reads it until it breaks; fails in every case. */
const connect = (
  channel: HttpChannel.HttpChannel,
  progress: Progress,
  receiveAny: (inbound: Inbound) => void,
  setLive: (connection: LiveConnection | undefined) => void
) =>
  // The scope is in no context: that would be a copy of its own for as long as the stream is open.
  Effect.scopedWith(
    Effect.fnUntraced(function* (scope) {
      const { policy, resume } = progress
      const { answer, ticket } = yield* Scope.extend(channel.open(resumeHeaders(resume)), scope)
      // reconnect was called while the stream was opened: it clears resume.
      if (progress.resume !== resume) return yield* Effect.fail<HttpChannel.Broken>({ error: abandoned() })
      const connectionId = answer.header("acp-connection-id")
      if (connectionId === undefined) {
        const description = "The channel's server names no Acp-Connection-Id"
        return yield* Effect.fail<HttpChannel.Broken>({ error: new ChannelRefused({ status: 200, description }) })
      }
      const fresh = resume === undefined || resume.connectionId !== connectionId
      if (fresh) progress.resume = undefined
      policy.opened()

      let state: "Alive" | "Broken" | "Abandoned" = "Alive"
      // Nothing more is delivered from an abandoned connection.
      const receive = (inbound: Inbound) => {
        if (state !== "Abandoned") receiveAny(inbound)
      }
      const { lastEventId, ofPost, ofStream } = readers(channel.maxSize, policy, receive)
      const stream = channel.read(answer, ofStream)
      const peer: HttpPost.Peer = {
        link: ticket.link,
        idempotent: answer.header("acp-idempotent-posts") === "1",
        headers: () => ({ "Acp-Connection-Id": connectionId }),
        receive,
        opens: () => false,
        onResponse: () => undefined,
        newReader: ofPost,
        abort: stream.abort,
        isAlive: () => state === "Alive",
        scope
      }
      const abandon = (reason: ConnectionLost) => {
        state = "Abandoned"
        setLive(undefined)
        stream.abort(reason)
      }
      setLive({ peer, abandon })
      yield* Scope.addFinalizer(
        scope,
        Effect.sync(() => {
          setLive(undefined)
          const id = lastEventId()
          if (state === "Alive" && id !== undefined) progress.resume = { connectionId, lastEventId: id }
          state = "Broken"
        })
      )
      receive({ _tag: "Connected", fresh })
      return yield* stream.ended.pipe(
        Effect.onInterrupt(() => channel.close(ticket, { "Acp-Connection-Id": connectionId }))
      )
    })
  )

/** The readers of one connection: of its stream, whose event ids are kept, and of its POST responses. */
const readers = (maxSize: number, policy: ReconnectPolicy.ReconnectPolicy, receive: (inbound: Inbound) => void) => {
  let lastEventId: string | undefined
  let pieces = 0
  const newReader = (more: Pick<SseReader.Listener, "onId" | "onHeartbeat">) => {
    const read = SseReader.make(maxSize, {
      receive: (inbound) => {
        policy.progressed()
        receive(inbound)
      },
      onRetry: policy.setMinimum,
      ...more
    })
    return (text: string) => {
      // A server that only greets and closes again makes no progress.
      if (++pieces > 1) policy.progressed()
      read(text)
    }
  }
  const onId = (id: string | undefined) => {
    lastEventId = id
  }
  return {
    ofStream: (onHeartbeat: () => void) => newReader({ onId, onHeartbeat }),
    ofPost: () => newReader({}),
    lastEventId: () => lastEventId
  }
}

/** The connection whose stream is open. */
interface LiveConnection {
  readonly peer: HttpPost.Peer
  /** Ends the connection, which is then not resumed. */
  readonly abandon: (reason: ConnectionLost) => void
}

/** What outlives one stream. */
interface Progress {
  readonly policy: ReconnectPolicy.ReconnectPolicy
  resume: { readonly connectionId: string; readonly lastEventId: string } | undefined
}

const notConnected = () =>
  new ConnectionLost({ description: "The channel is not connected at the moment", sent: false, reconnecting: true })

const abandoned = () =>
  new ConnectionLost({ description: "The connection was given up while its stream was opened", sent: true })

const resumeHeaders = (resume: Progress["resume"]): Record<string, string> =>
  resume === undefined ? {} : { "Acp-Connection-Id": resume.connectionId, "Last-Event-ID": resume.lastEventId }
