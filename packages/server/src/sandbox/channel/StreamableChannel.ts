import type * as JsonRpc from "@heddle/acp/JsonRpc"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FiberId from "effect/FiberId"
import { jsonOf, type Channel } from "./Channel.ts"
import type { Options } from "../../config/SandboxOptions.ts"
import * as SseChannel from "./SseChannel.ts"

/**
 * A channel of ACP's streamable HTTP: one stream about the connection and one about its session.
 *
 * Everything about the session goes over its one stream in order, the answer to `session/load` too: a client would
 * otherwise have to guess which of two streams is ahead.
 */
export interface StreamableChannel extends Channel {
  readonly connection: SseChannel.SseChannel
  readonly session: SseChannel.SseChannel
  /** A request that is about no session will be answered over the connection's stream. */
  readonly expect: (id: JsonRpc.Id) => void
  /** The JSON text of the first answer, which goes over no stream; undefined when the channel closes before. */
  readonly initialized: Effect.Effect<Buffer | undefined>
}

/** Opens a channel; `onClose` runs once, when it is closed by either side or given up. */
export const make = (id: string, options: Options, onClose: () => void): StreamableChannel => {
  const initialized = Deferred.unsafeMake<Buffer | undefined>(FiberId.none)
  const aside = new Set<JsonRpc.Id>()
  let greeted = false
  let closed = false
  const close = () => {
    if (closed) return
    closed = true
    connection.close()
    session.close()
    Deferred.unsafeDone(initialized, Effect.succeed(undefined))
    onClose()
  }
  const connection = SseChannel.make(id, options, close)
  // The connection's stream tells whether a client is there; the session's may be missing for as long as that is.
  const session = SseChannel.make(id, { ...options, resume: Duration.infinity }, close)
  return {
    id,
    connection,
    session,
    close,
    drained: session.drained,
    expect: (id) => aside.add(id),
    initialized: Deferred.await(initialized),
    push: (frame, answers) => {
      if (!greeted && answers !== undefined) {
        greeted = true
        return Deferred.unsafeDone(initialized, Effect.succeed(jsonOf(frame)))
      }
      if (answers !== undefined && aside.delete(answers)) return connection.push(frame)
      return session.push(frame)
    }
  }
}
