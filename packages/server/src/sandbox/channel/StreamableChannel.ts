import type * as JsonRpc from "@heddle/acp/JsonRpc"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FiberId from "effect/FiberId"
import { jsonOf, type Channel } from "./Channel.ts"
import type { Options } from "../../config/SandboxOptions.ts"
import type { FrameBudget } from "./FrameBudget.ts"
import * as SseChannel from "./SseChannel.ts"

/**
 * A channel of ACP's streamable HTTP: one stream for the connection and one for its session.
 *
 * The session's stream has all messages of the session in order, with the response to `session/load`. On two streams a
 * client could not know which one is ahead.
 */
export interface StreamableChannel extends Channel {
  readonly connection: SseChannel.SseChannel
  readonly session: SseChannel.SseChannel
  /** Sends the response to a request without a session over the connection's stream. */
  readonly expectOnConnection: (id: JsonRpc.Id) => void
  /** The JSON text of the first response, which goes over no stream; undefined when the channel closes before. */
  readonly initialized: Effect.Effect<Buffer | undefined>
}

/** Opens a channel; `onClose` runs once, when either side closes it or it is too slow. */
export const make = (id: string, options: Options, budget: FrameBudget, onClose: () => void): StreamableChannel => {
  const initialized = Deferred.unsafeMake<Buffer | undefined>(FiberId.none)
  const connectionRequests = new Set<JsonRpc.Id>()
  let isInitialized = false
  let closed = false
  const close = () => {
    if (closed) return
    closed = true
    connection.close()
    session.close()
    Deferred.unsafeDone(initialized, Effect.succeed(undefined))
    onClose()
  }
  const connection = SseChannel.make(id, options, budget, close)
  // The connection's stream shows whether the client is there, so the session's stream may be missing.
  const session = SseChannel.make(id, { ...options, resume: Duration.infinity }, budget, close)
  return {
    id,
    connection,
    session,
    close,
    drained: session.drained,
    expectOnConnection: (id) => connectionRequests.add(id),
    initialized: Deferred.await(initialized),
    push: (frame, answersId) => {
      // The first response is that to initialize, which answers its POST.
      if (!isInitialized && answersId !== undefined) {
        isInitialized = true
        return Deferred.unsafeDone(initialized, Effect.succeed(jsonOf(frame)))
      }
      if (answersId !== undefined && connectionRequests.delete(answersId)) return connection.push(frame)
      return session.push(frame)
    }
  }
}
