import type * as JsonRpc from "@heddle/acp/JsonRpc"
import type * as Effect from "effect/Effect"
import * as ExactId from "./ExactId.ts"

/** One client's side of a task's ACP channel, as its session writes to it. */
export interface Channel {
  /** The `Acp-Connection-Id`. */
  readonly id: string
  /**
   * Hands over a message as {@link encode} made it; `answers` is the id of the request that it answers, if it is an
   * answer. Never blocks: a client that does not keep up is closed.
   */
  readonly push: (frame: Buffer, answers?: JsonRpc.Id) => void
  /** Waits until little enough is unsent that a long replay may go on. */
  readonly drained: Effect.Effect<void>
  readonly close: () => void
}

/** Encodes a message once for all its readers, as the data line of a server-sent event. */
export const encode = (message: object): Buffer => Buffer.from(`data: ${ExactId.print(message)}\n`)

/** The JSON text of a message that {@link encode} made. */
export const jsonOf = (frame: Buffer): Buffer => frame.subarray("data: ".length, -1)

/** Encodes a notification whose params are JSON text already. */
export const encodeNotification = (method: string, params: string): Buffer =>
  Buffer.from(`data: {"jsonrpc":"2.0","method":${JSON.stringify(method)},"params":${params}}\n`)
