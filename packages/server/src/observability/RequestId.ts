import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FiberRef from "effect/FiberRef"
import * as FiberRefs from "effect/FiberRefs"
import * as HashMap from "effect/HashMap"
import * as HashSet from "effect/HashSet"
import * as Logger from "effect/Logger"
import * as Crypto from "node:crypto"

/** The id of the current request (contract decision 12), which its response also has. */
export class RequestId extends Context.Reference<RequestId>()("@heddle/server/observability/RequestId", {
  defaultValue: () => ""
}) {}

/** Adds the id to the log lines of a request. An annotation of the fiber would cost every request, also without lines. */
export const inLogs = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.locallyWith(effect, FiberRef.currentLoggers, HashSet.map(withId))

const withId = <Message, Output>(logger: Logger.Logger<Message, Output>): Logger.Logger<Message, Output> =>
  Logger.make((options) => {
    const id = Context.get(FiberRefs.getOrDefault(options.context, FiberRef.currentContext), RequestId)
    return logger.log(
      id === "" ? options : { ...options, annotations: HashMap.set(options.annotations, "request_id", id) }
    )
  })

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
