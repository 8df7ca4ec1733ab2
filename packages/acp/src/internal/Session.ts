import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as Runtime from "effect/Runtime"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { type AcpError, ConnectionLost, SessionNotFound, type TransportError } from "../AcpError.ts"
import type { Detached, NotDelivered, UnsupportedContent } from "../AcpError.ts"
import type { AcpSession, Options, TurnEnd } from "../AcpSession.ts"
import * as Connection from "../Connection.ts"
import * as Extension from "../Extension.ts"
import * as JsonRpc from "../JsonRpc.ts"
import * as Permission from "../Permission.ts"
import type * as Wire from "../schema/generated/AcpSchema.ts"
import * as Update from "../schema/Update.ts"
import type { SessionEvent } from "../SessionEvent.ts"
import * as SessionFold from "../SessionFold.ts"
import * as SessionState from "../SessionState.ts"
import type { Transport } from "../Transport.ts"
import * as Asks from "./Asks.ts"
import * as Attach from "./Attach.ts"
import * as Broadcast from "./Broadcast.ts"
import * as Early from "./Early.ts"
import * as Idle from "./Idle.ts"
import * as Turns from "./Turns.ts"

/** Opens a session over a transport; everything that goes on for as long as it lives runs on this runtime. */
export const start = Effect.fnUntraced(function* <E>(
  transport: Transport,
  options: Options<E>,
  runtime: Runtime.Runtime<Scope.Scope>
): Effect.fn.Return<AcpSession<E>, AcpError, Scope.Scope> {
  const scope = yield* Effect.scope
  const fiberId = yield* Effect.fiberId
  const connected = yield* Deferred.make<Connection.Connection>()
  const closed = yield* Deferred.make<never, AcpError>()
  // Without a registry of its own the session's type says that it has the standard one.
  const extensions = (options.extensions ?? Extension.standard) as Extension.Registry<E>
  const early = Early.make()
  let sessionId = options.sessionId
  let fold = SessionFold.make({ ...(options.state ?? SessionState.empty), permissions: [], running: false })
  let replay: SessionFold.SessionFold | undefined
  let ready = yield* Deferred.make<Wire.InitializeResponse, AcpError>()
  let isReady = false
  let attached = false
  let opened = false
  let agent: Wire.InitializeResponse | undefined
  let epoch = 0
  let news = 0
  let attaching: Fiber.RuntimeFiber<void> | undefined
  let lastError: TransportError | undefined

  const broadcast = Broadcast.make<SessionEvent<E>>(
    (changed) => ({ _tag: "StateChanged", state: fold.state(), changed }),
    (count) => ({ _tag: "Missed", count })
  )
  const set = (fields: Parameters<SessionFold.SessionFold["set"]>[0]) => {
    fold.set(fields)
    for (const name of Object.keys(fields)) broadcast.change(name)
  }

  const become = (state: SessionState.SessionState) => {
    const before = fold.state()
    fold = SessionFold.make(state)
    for (const name of SessionState.difference(before, state)) broadcast.change(name)
  }

  const unready = () => {
    if (isReady) ready = Deferred.unsafeMake(fiberId)
    isReady = false
  }

  const end = (error: AcpError) => {
    unready()
    asks.connectionGone()
    Deferred.unsafeDone(ready, Effect.fail(error))
    Deferred.unsafeDone(closed, Effect.fail(error))
    broadcast.event({ _tag: "Closed", error })
    broadcast.end()
  }

  const becomeReady = (answer: Wire.InitializeResponse) => {
    isReady = true
    news++
    Deferred.unsafeDone(ready, Effect.succeed(answer))
    if (opened) broadcast.event({ _tag: "Ready" })
  }

  const asks = Asks.make({
    deadline: options.permissionDeadline ?? "300 seconds",
    changed: (permissions) => set({ permissions }),
    asked: (permission) => broadcast.event({ _tag: "PermissionRequested", permission }),
    withdrawn: (permission, reason) => broadcast.event({ _tag: "PermissionWithdrawn", permission, reason }),
    answered: (permission) => broadcast.event({ _tag: "PermissionAnswered", permission })
  })

  const turns = Turns.make({
    // A prompt waits until the session is ready, and by then it has a name.
    sessionId: () => sessionId ?? "",
    over: asks.turnOver,
    connection: Deferred.await(connected),
    ready: Effect.suspend(() => Deferred.await(ready)).pipe(
      Effect.timeoutFail({
        duration: options.readyTimeout ?? "30 seconds",
        onTimeout: () =>
          new ConnectionLost({ description: "The channel is down; nothing was sent", sent: false, cause: lastError })
      })
    ),
    cancelDeadline: options.cancelDeadline ?? "5 seconds",
    fold: () => fold,
    changed: broadcast.change,
    set,
    fork: Runtime.runFork(runtime)
  })

  const cwd = options.cwd ?? "/"

  const begun = (name: string) => {
    sessionId = name
    early.release().forEach(notified)
  }

  const take = (
    connection: Connection.Connection,
    capabilities: Wire.AgentCapabilities | undefined,
    name: string,
    { resume, told }: { readonly resume: boolean; readonly told: (history: SessionState.SessionState) => void }
  ) => {
    let mine: SessionFold.SessionFold | undefined
    const missing = () => !opened && options.mustExist === true
    let empty = false
    return Attach.take(connection, capabilities, {
      sessionId: name,
      cwd,
      resume,
      begin: () => {
        replay = mine = SessionFold.make(SessionState.empty)
      },
      end: (replayed) => {
        if (replayed && replay !== undefined) {
          const history = replay.state()
          empty = history.entries.length === 0
          become(SessionState.reconcile(fold.state(), history))
          told(history)
        }
        replay = undefined
      }
    }).pipe(
      Effect.ensuring(
        Effect.sync(() => {
          // Without an answer: what comes now is told live.
          if (replay === mine) replay = undefined
        })
      ),
      Effect.filterOrFail(
        () => !(empty && missing()),
        () => new SessionNotFound({ sessionId: name })
      ),
      Effect.mapError((error) =>
        error._tag === "RpcError" && error.code === JsonRpc.ErrorCode.resourceNotFound && missing()
          ? new SessionNotFound({ sessionId: name })
          : error
      )
    )
  }

  /** A history that is told while nothing runs lacks nothing: a prompt that is not in it has not arrived. */
  const settle: Effect.Effect<void, AcpError | NotDelivered> = Effect.gen(function* () {
    while (turns.inDoubt()) {
      const { agentCapabilities } = yield* Effect.suspend(() => Deferred.await(ready))
      // Who cannot tell its history leaves the doubt.
      if (agentCapabilities?.loadSession !== true) return
      let lost: NotDelivered | undefined
      const told = yield* take(yield* Deferred.await(connected), agentCapabilities, sessionId ?? "", {
        resume: false,
        told: (history) => {
          lost = turns.replayed(history, true)
        }
      }).pipe(
        Effect.as(true),
        Effect.catchTag("ConnectionLost", () => Effect.as(Effect.sleep("500 millis"), false)),
        Effect.catchTag("RpcError", (error) =>
          Effect.as(Effect.logWarning("Whether a message arrived cannot be found out", error.message), true)
        )
      )
      if (lost !== undefined) return yield* lost
      if (told) return
    }
  })

  const attach = Effect.fn("AcpSession.attach")(function* (mine: number) {
    const connection = yield* Deferred.await(connected)
    let answer: Wire.InitializeResponse | undefined
    const attempt = Effect.gen(function* () {
      answer ??= yield* Attach.initialize(connection, {
        clientInfo: options.clientInfo,
        questions: options.questions === true,
        extensionPrefix: extensions.prefix
      })
      agent = answer
      const { modes, configOptions } = yield* sessionId === undefined
        ? Attach.begin(connection, cwd, begun)
        : take(connection, answer.agentCapabilities, sessionId, {
            resume: options.resume === true && (mine > 1 || options.state !== undefined),
            told: (history) => void turns.replayed(history, false)
          })
      if (modes) set({ modes: modes.availableModes, mode: modes.currentModeId })
      if (configOptions) set({ configOptions })
      return answer
    })
    // A connection that is replaced meanwhile has an attachment of its own.
    const current = () => mine === epoch
    let tries = 0
    // A session that was open outlives any outage: the transport knows when the channel is over.
    const again = (error: AcpError) =>
      error._tag === "ConnectionLost" ? mine > 1 || ++tries <= 5 : mine > 1 && error._tag === "RpcError" && ++tries <= 5
    yield* attempt.pipe(
      Effect.retry({ schedule: attachAgain, while: (error) => current() && again(error) }),
      Effect.match({
        onSuccess: (value) => {
          if (!current()) return
          attached = true
          becomeReady(value)
          const settled = Effect.sync(() => {
            if (current()) asks.allAsked()
          })
          Runtime.runFork(runtime)(Effect.delay(settled, asksAgainWithin), { scope })
        },
        onFailure: (error) => {
          if (current()) end(error)
        }
      })
    )
  })

  const ask = (request: JsonRpc.Request) => {
    const form = Permission.formOf(request.method, extensions.prefix)
    if (form === undefined || (form !== "permission" && options.questions !== true)) return undefined
    const permission = Permission.fromRequest(form, crypto.randomUUID(), request.params)
    if (permission === undefined) {
      return Effect.fail(new JsonRpc.RpcError({ code: JsonRpc.ErrorCode.invalidParams, message: "Invalid params" }))
    }
    if (turns.cancelling()) return Effect.succeed(Permission.toResult(permission, Permission.cancelled))
    const update = permission.sessionId === sessionId ? SessionFold.permissionUpdate(permission) : undefined
    const key = update === undefined ? undefined : fold.apply(update)
    if (key !== undefined) broadcast.change(key)
    return asks.ask(permission, request)
  }

  const notified = (notification: JsonRpc.Notification) => {
    const { method, params } = notification
    news++
    const extension = extensions.read(method, params)
    if (extension !== undefined) return broadcast.event(extension)
    const decoded = method === "session/update" ? Update.decode(params) : undefined
    if (decoded !== undefined && sessionId === undefined && early.hold(notification)) return
    if (decoded === undefined || decoded.sessionId !== sessionId || decoded.update.sessionUpdate === "unknown") {
      return broadcast.event({ _tag: "Unknown", method, params })
    }
    const key = (replay ?? fold).apply(decoded.update)
    if (key !== undefined && replay === undefined) broadcast.change(key)
  }

  const connection = yield* Connection.start(transport, runtime, {
    onRequest: ask,
    onDelivered: asks.delivered,
    onNotification: notified,
    onSkipped: broadcast.event,
    onClosed: end,
    onInterrupted: (error) => {
      lastError = error
      unready()
      if (opened) broadcast.event({ _tag: "Interrupted", error })
    },
    onConnected: (fresh) => {
      if (!fresh && agent !== undefined && attached) return becomeReady(agent)
      if (!fresh) return
      attached = false
      replay = undefined
      asks.connectionGone()
      attaching?.unsafeInterruptAsFork(fiberId)
      attaching = Runtime.runFork(runtime)(attach(++epoch), { scope })
    }
  })
  // Before the connection ends.
  yield* Effect.addFinalizer(() => turns.settled)
  yield* Deferred.succeed(connected, connection)

  yield* Deferred.await(ready).pipe(
    Effect.timeoutFail({
      duration: options.openTimeout ?? "90 seconds",
      onTimeout: () =>
        new ConnectionLost({
          description: `The session cannot be reached${lastError === undefined ? "" : `: ${lastError.message}`}`,
          sent: false,
          cause: lastError
        })
    })
  )

  opened = true

  return {
    sessionId: sessionId ?? "",
    state: Effect.sync(() => fold.state()),
    changes: broadcast.stream,
    follow: broadcast.follow,
    closed: Deferred.await(closed),
    prompt: turns.prompt,
    turn: (content) =>
      Stream.unwrap(
        Effect.map(Deferred.make<TurnEnd, AcpError | Detached | UnsupportedContent>(), (ended) =>
          Stream.concat(
            broadcast.during(Effect.asVoid(Effect.intoDeferred(turns.prompt(content), ended))),
            Stream.fromEffect(Effect.map(Deferred.await(ended), (end) => ({ _tag: "Ended", end }) as const))
          )
        )
      ),
    cancel: turns.cancel(asks.cancelAll),
    awaitIdle: Idle.make({ ready: Effect.suspend(() => Deferred.await(ready)), news: () => news, settle }),
    answerPermission: asks.answer,
    agent: Effect.suspend(() => Deferred.await(ready))
  }
})

/** Within which an agent repeats, on a new connection, what it still wants to know. */
const asksAgainWithin = "10 seconds"

const attachAgain = Schedule.exponential("500 millis").pipe(Schedule.union(Schedule.spaced("8 seconds")))
