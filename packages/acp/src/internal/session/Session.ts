import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as Runtime from "effect/Runtime"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { ConnectionLost, type TransportError } from "../../AcpError.ts"
import type * as Permission from "../../Permission.ts"
import type * as Wire from "../../schema/generated/AcpSchema.ts"
import type { SessionEvent } from "../../SessionEvent.ts"
import type { Options } from "../../SessionOptions.ts"
import type { Transport } from "../../Transport.ts"
import type { TurnEnd } from "../../TurnEnd.ts"
import { Background } from "../Background.ts"
import { awaitIdle } from "./AwaitIdle.ts"
import type { Broadcast } from "./Broadcast.ts"
import * as ControlCalls from "./ControlCalls.ts"
import { SessionCalls } from "./SessionCalls.ts"
import { SessionContext } from "./SessionContext.ts"

/** Opens a session over a transport. What runs for as long as the session lives runs on this runtime. */
export const open = Effect.fnUntraced(function* <E>(
  transport: Transport,
  options: Options<E>,
  runtime: Runtime.Runtime<Scope.Scope>
) {
  const connection = new Background(runtime)
  const session = new Background(runtime)
  const context = new SessionContext(options, { transport, clock: yield* Effect.clock, connection, session })
  const calls = new SessionCalls(context)
  // Not by `Effect.addFinalizer`, which would keep the span of the opening.
  yield* Scope.addFinalizer(
    yield* Effect.scope,
    Effect.suspend(() =>
      // The connection ends last.
      calls.cancelsSettled().pipe(Effect.zipRight(session.close()), Effect.zipRight(connection.close()))
    )
  )
  context.connection.run()
  yield* Effect.timeoutFail(calls.ready(), {
    duration: options.openTimeout ?? "90 seconds",
    onTimeout: () => unreachable(context.loop.state.lastError)
  })
  return sessionOf(context, calls)
})

const sessionOf = <E>(context: SessionContext<E>, calls: SessionCalls) => {
  const { broadcast, requests, router, state } = context
  return {
    sessionId: router.sessionId ?? "",
    state: Effect.sync(() => state.get()),
    loadedState: Effect.sync(() => state.loaded()),
    changes: Stream.suspend(() => broadcast.stream()),
    follow: <FollowError, R>(use: (events: ReadonlyArray<SessionEvent<E>>) => Effect.Effect<unknown, FollowError, R>) =>
      broadcast.follow(use),
    closed: Effect.suspend(() => calls.closed()),
    prompt: (content: Content) => calls.prompt(content),
    turn: (content: Content) => turn(calls.prompt(content), broadcast),
    cancel: Effect.suspend(() => calls.cancel()),
    awaitIdle: <BusyError, R>(busy: Effect.Effect<boolean, BusyError, R>) => awaitIdle(calls, busy),
    answerPermission: (requestId: string, answer: Permission.Answer) => requests.answer(requestId, answer),
    setMode: (modeId: string) => ControlCalls.choose(calls, "mode", modeId),
    setModel: (modelId: string) => ControlCalls.choose(calls, "model", modelId),
    setConfigOption: (configId: string, value: string | boolean) =>
      ControlCalls.setConfigOption(calls, configId, value),
    callExtension: (method: string, params: object) => ControlCalls.callExtension(calls, method, params),
    agent: Effect.suspend(() => calls.ready())
  }
}

/** The events while a prompt's turn runs, then its end. */
const turn = <Event, Failure>(prompt: Effect.Effect<TurnEnd, Failure>, broadcast: Broadcast<Event>) =>
  Stream.unwrap(
    Effect.map(Deferred.make<TurnEnd, Failure>(), (ended) =>
      Stream.concat(
        broadcast.during(Effect.asVoid(Effect.intoDeferred(prompt, ended))),
        Stream.fromEffect(Effect.map(Deferred.await(ended), (end) => ({ _tag: "Ended", end }) as const))
      )
    )
  )

type Content = ReadonlyArray<Wire.ContentBlock>

const unreachable = (cause: TransportError | undefined) =>
  new ConnectionLost({
    description: `The session cannot be reached${cause === undefined ? "" : `: ${cause.message}`}`,
    sent: false,
    cause
  })
