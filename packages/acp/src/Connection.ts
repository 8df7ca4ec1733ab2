import * as Effect from "effect/Effect"
import type * as Runtime from "effect/Runtime"
import * as Scope from "effect/Scope"
import { Background } from "./internal/Background.ts"
import { type Connection, type Handlers, Peer } from "./internal/rpc/Peer.ts"
import type { Transport } from "./Transport.ts"

export type { RequestOptions } from "./internal/rpc/OutgoingCalls.ts"
export type { Connection, Handlers } from "./internal/rpc/Peer.ts"

/** Opens a connection on a transport; the scope owns its reader and every request handler. */
export const make = (transport: Transport, handlers: Handlers): Effect.Effect<Connection, never, Scope.Scope> =>
  Effect.flatMap(Effect.runtime<Scope.Scope>(), (runtime) => start(transport, runtime, handlers))

/** Like {@link make}, on a runtime of the caller's. */
export const start = Effect.fn("Connection.start")(function* (
  transport: Transport,
  runtime: Runtime.Runtime<Scope.Scope>,
  handlers: Handlers
): Effect.fn.Return<Connection, never, Scope.Scope> {
  const background = new Background(runtime)
  yield* Scope.addFinalizer(yield* Effect.scope, background.close())
  const peer = new Peer(transport, handlers, background)
  peer.run()
  return {
    request: (method, params, options) => peer.request(method, params, options),
    notify: (method, params, isWanted) => peer.notify(method, params, isWanted),
    closed: peer.closed
  }
})
