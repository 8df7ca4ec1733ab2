import * as Context from "effect/Context"
import * as Crypto from "node:crypto"

/** The id of the current request (contract decision 12), which its response also has. */
export class RequestId extends Context.Reference<RequestId>()("@heddle/server/observability/RequestId", {
  defaultValue: () => ""
}) {}

/** Makes an id: 96 random bits in hex. */
export const generate = (): string => {
  if (offset === pool.length) {
    Crypto.randomFillSync(pool)
    offset = 0
  }
  return pool.toString("hex", offset, (offset += idBytes))
}

const idBytes = 12

// Filled once for many ids, because a call to the system's generator is expensive.
const pool = Buffer.alloc(idBytes * 256)
let offset = pool.length
