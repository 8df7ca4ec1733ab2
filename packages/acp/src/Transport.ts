import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Mailbox from "effect/Mailbox"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { ConnectionLost, TransportError } from "./AcpError.ts"
import type * as JsonRpc from "./JsonRpc.ts"

/** Skipped input; the channel goes on. `sample` is its beginning, at most 200 characters. */
export interface Skipped {
  readonly _tag: "Skipped"
  readonly reason: "TooLarge" | "NotJsonRpc"
  readonly sample: string
}

/** The input of a channel, in its order. */
export type Inbound =
  | { readonly _tag: "Message"; readonly message: JsonRpc.Message }
  | Skipped
  /** The channel is usable. `fresh`: the peer knows nothing of earlier calls on this transport. */
  | { readonly _tag: "Connected"; readonly fresh: boolean }
  /** The channel broke and is being opened again; `Connected` follows, or `run` ends. */
  | { readonly _tag: "Interrupted"; readonly error: TransportError }

/**
 * One ordered channel of JSON-RPC messages to an agent.
 *
 * `run` calls `receive` synchronously for each input, without a fiber or queue in between, and ends or fails when the
 * channel is over for good. It is run once. `send` fails at once while the channel is down.
 */
export interface Transport {
  readonly run: (receive: (inbound: Inbound) => void) => Effect.Effect<void, TransportError>
  /** Sends a message. While it waits for another attempt, `isWanted` may withdraw it: it fails as not sent. */
  readonly send: (message: JsonRpc.Message, isWanted?: () => boolean) => Effect.Effect<void, TransportError>
  /** Stops reading, and so in the end the sender. One more network read may still come. */
  readonly pause: () => void
  readonly resume: () => void
  /**
   * Gives up the present connection for this reason. Nothing more is received on it. `Connected` with `fresh` follows, or
   * `run` ends where there is no second connection.
   */
  readonly reconnect: (reason: ConnectionLost) => void
}

/**
 * The input of a transport as a stream, which runs the transport. The transport is paused while `bound` inputs wait to be
 * taken. Default: 256.
 */
export const toStream = (transport: Transport, bound = 256): Stream.Stream<Inbound, TransportError> =>
  Stream.unwrapScoped(
    Effect.gen(function* () {
      const mailbox = yield* Mailbox.make<Inbound, TransportError>()
      let waiting = 0
      yield* transport
        .run((inbound) => {
          mailbox.unsafeOffer(inbound)
          if (++waiting === bound) transport.pause()
        })
        .pipe(
          Effect.exit,
          Effect.flatMap((exit) => mailbox.done(exit)),
          Effect.forkScoped
        )
      return Stream.repeatEffectChunkOption(
        Effect.gen(function* () {
          const [pieces, done] = yield* Effect.mapError(mailbox.takeAll, Option.some)
          const was = waiting
          waiting = 0
          if (was >= bound) transport.resume()
          return done && Chunk.isEmpty(pieces) ? yield* Effect.fail(Option.none()) : pieces
        })
      )
    })
  )
