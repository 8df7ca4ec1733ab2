import type * as JsonRpc from "@heddle/acp/JsonRpc"
import type * as Effect from "effect/Effect"
import * as ExactId from "./ExactId.ts"

/** The writing side of one client's ACP channel. */
export interface Channel {
  /** The `Acp-Connection-Id`. */
  readonly id: string
  /**
   * Sends a message that {@link encode} made; `answersId` is the id of the request for a response. Never blocks: a
   * client that does not keep up is closed.
   */
  readonly push: (frame: Buffer, answersId?: JsonRpc.Id) => void
  /** Waits until little is unsent, so that a long replay may continue. */
  readonly drained: Effect.Effect<void>
  readonly close: () => void
}

/** Encodes a message once for all clients, as the data line of a server-sent event. */
export const encode = (message: object): Buffer => Buffer.from(`data: ${ExactId.stringify(message)}\n`)

/** The JSON text of a message that {@link encode} made. */
export const jsonOf = (frame: Buffer): Buffer => frame.subarray("data: ".length, -1)

/** Encodes a notification whose params are JSON text already. */
export const encodeNotification = (method: string, params: string | Buffer): Buffer => {
  const head = `data: {"jsonrpc":"2.0","method":${JSON.stringify(method)},"params":`
  return typeof params === "string"
    ? Buffer.from(`${head}${params}}\n`)
    : Buffer.concat([Buffer.from(head), params, notificationEnd])
}

const notificationEnd = Buffer.from("}\n")
