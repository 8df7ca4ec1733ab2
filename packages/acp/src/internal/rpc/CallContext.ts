import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import type { TransportError } from "../../AcpError.ts"
import type * as JsonRpc from "../../JsonRpc.ts"

/** What the calls of either direction need of their connection. */
export interface CallContext {
  send(message: JsonRpc.Message, isWanted?: () => boolean): Effect.Effect<void, TransportError>
  /** Runs in the background until the connection is closed. */
  fork<A>(effect: Effect.Effect<A>): Fiber.RuntimeFiber<A>
  /** Waits until nothing has been received for this long. */
  silence(duration: Duration.DurationInput): Effect.Effect<unknown>
  /** Why the connection is over, once it is. */
  over(): TransportError | undefined
}
