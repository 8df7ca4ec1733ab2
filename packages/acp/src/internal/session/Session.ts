import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Runtime from "effect/Runtime"
import * as Scope from "effect/Scope"
import { ConnectionLost, type TransportError } from "../../AcpError.ts"
import * as Connection from "../../Connection.ts"
import type { Options } from "../../SessionOptions.ts"
import type { Transport } from "../../Transport.ts"
import * as AwaitIdle from "./AwaitIdle.ts"
import * as ControlCalls from "./ControlCalls.ts"
import * as SessionParts from "./SessionParts.ts"

/** Opens a session over a transport. What runs for as long as the session lives runs on this runtime. */
export const open = Effect.fnUntraced(function* <E>(
  transport: Transport,
  options: Options<E>,
  runtime: Runtime.Runtime<Scope.Scope>
) {
  const connected = yield* Deferred.make<Connection.Connection>()
  const background = yield* Scope.make()
  const { broadcast, calls, loop, requests, router, state } = SessionParts.make(options, {
    connection: Deferred.await(connected),
    reconnect: transport.reconnect,
    clock: yield* Effect.clock,
    fork: (effect) => Runtime.runFork(runtime)(effect, { scope: background })
  })
  const connection = yield* Connection.start(transport, runtime, {
    onRequest: router.request,
    onDelivered: requests.delivered,
    onUndelivered: requests.undelivered,
    onNotification: router.notification,
    onSkipped: broadcast.event,
    onClosed: (error) => loop.dispatch({ _tag: "Closed", error }),
    onInterrupted: (error) => loop.dispatch({ _tag: "Interrupted", error }),
    onConnected: (fresh) => loop.dispatch({ _tag: "Connected", fresh })
  })
  // Before the connection ends.
  yield* Effect.addFinalizer(() => Effect.zipRight(calls.cancelsSettled, Scope.close(background, Exit.void)))
  yield* Deferred.succeed(connected, connection)

  yield* Effect.timeoutFail(calls.ready, {
    duration: options.openTimeout ?? "90 seconds",
    onTimeout: () => unreachable(loop.state().lastError)
  })

  const controls = ControlCalls.make({
    connection: Deferred.await(connected),
    sessionId: router.sessionId,
    state,
    ready: calls.ready
  })

  return {
    ...controls,
    sessionId: router.sessionId() ?? "",
    state: Effect.sync(state.get),
    loadedState: Effect.sync(state.loaded),
    changes: broadcast.stream,
    follow: broadcast.follow,
    during: broadcast.during,
    closed: calls.closed,
    prompt: calls.prompt,
    cancel: calls.cancel,
    awaitIdle: AwaitIdle.make({
      ready: calls.ready,
      // The history of a new connection is news, too.
      received: () => router.received() + loop.state().readies,
      deliveryCheck: calls.deliveryCheck
    }),
    answerPermission: requests.answer,
    agent: calls.ready
  }
})

const unreachable = (cause: TransportError | undefined) =>
  new ConnectionLost({
    description: `The session cannot be reached${cause === undefined ? "" : `: ${cause.message}`}`,
    sent: false,
    cause
  })
