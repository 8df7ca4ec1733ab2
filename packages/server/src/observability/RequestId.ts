import * as Context from "effect/Context"
import * as Crypto from "node:crypto"

/** The trace id of the request under way (contract decision 12), as its answer carries it. */
export class RequestId extends Context.Reference<RequestId>()("@heddle/server/observability/RequestId", {
  defaultValue: () => ""
}) {}

/** A new id, 96 random bits in hex. */
export const generate = (): string => {
  if (used === pool.length) {
    Crypto.randomFillSync(pool)
    used = 0
  }
  return pool.toString("hex", used, (used += size))
}

const size = 12

// One call to the system's generator for many ids: it costs more than all else that an id does.
const pool = Buffer.alloc(size * 256)
let used = pool.length
